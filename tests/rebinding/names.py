"""A DNS server on loopback whose answers change as a case wants: UDP, A and AAAA, no time to live."""

import ipaddress
import socket
import struct
import threading

A, AAAA = 1, 28
NO_SUCH_NAME, REFUSED = 3, 5


class Names:
    """Answers for the names in `answers`; any other does not exist.

    An entry is a list of addresses, None for no such name, or what returns one of these when it is called, which is once for each look-up of a name:
    the C library asks for A and AAAA at once, and both get the same list.
    """

    def __init__(self, host="127.0.0.53"):
        self.answers = {}
        self.asked = []
        self._pending = {}
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, 53))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            query, client = self._socket.recvfrom(4096)
            self._socket.sendto(self._answer(query, client), client)

    def _answer(self, query, client):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode().lower())
            at += query[at] + 1
        kind = struct.unpack("!H", query[at + 1 : at + 3])[0]
        question = query[12 : at + 5]
        name = ".".join(labels)
        found = self._addresses(name, kind, client)
        version = {A: 4, AAAA: 6}.get(kind)
        records = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(one.packed)) + one.packed
            for one in found or ()
            if one.version == version
        )
        count = sum(one.version == version for one in found or ())
        flags = 0x8580 | (NO_SUCH_NAME if found is None else 0)
        return query[:2] + struct.pack("!HHHHH", flags, 1, count, 0, 0) + question + records

    def _addresses(self, name, kind, client):
        """Return the addresses of a name, None where there is no such name."""
        with self._lock:
            answer = self.answers.get(name)
            if answer is None:
                return None
            if not callable(answer):
                found = answer
            elif (name, client) in self._pending and self._pending[name, client][0] != kind:
                found = self._pending.pop((name, client))[1]
            else:
                self.asked.append(name)
                found = answer()
                self._pending[name, client] = (kind, found)
            return None if found is None else [ipaddress.ip_address(one) for one in found]


def each_in_turn(*lists):
    """Return an answer that gives these lists one after the other, the last one for good."""
    left = list(lists)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def to_and_fro(*lists):
    """Return an answer that gives these lists in turn, without end."""
    count = 0

    def give():
        nonlocal count
        count += 1
        return lists[(count - 1) % len(lists)]

    return give
