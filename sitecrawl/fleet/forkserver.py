"""A process from which crawls are forked: it has imported the modules that they need, and does nothing else.

    python -m sitecrawl.fleet.forkserver SOCKET MAIN MODULE...

SOCKET is the number of a connected socket that preserves message boundaries. MAIN is `module:function`, which a forked
process runs with its arguments in `sys.argv`. A MODULE that ends in `.*` stands for all modules of a package, and
`module:function` is imported and called.

Messages are JSON. The starter receives `{"start": NUMBER, "arguments": [...]}`, with an optional file for the process's
stderr, and `{"signal": NUMBER, "what": 2}`. It sends `{"begun": NUMBER, "process": 4711}`, or `{"failed": NUMBER}` if
the system cannot start a process now, and `{"ended": NUMBER, "status": 0}`, with a negative status if a signal ended
the process. When the other end closes the connection, the starter exits, and its processes go on.

It has one thread, no event loop and no other connection, so there is nothing that a fork could break.
"""

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

MESSAGE: Final = 2**17
"""Maximum bytes of a message: the largest that Linux passes on in one piece by default."""
ALL_OF: Final = ".*"
STDERR: Final = 2


def preload(modules: Iterable[str]) -> None:
    """Import modules and call functions, and exempt all loaded objects from cyclic garbage collection.

    So their memory stays shared with all forks.
    """
    for name in modules:
        with suppress(ImportError):  # the crawl imports it again and reports the error
            module, _, function = name.partition(":")
            package = importlib.import_module(module.removesuffix(ALL_OF))
            if function:
                getattr(package, function)()
            elif name.endswith(ALL_OF):
                for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
                    importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


class Starter:
    """Forks processes and waits for them."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._jobs: dict[int, int] = {}
        """Job number by process id."""
        self._woken, self._wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def serve(self) -> list[str] | None:
        """Serve until the other end disconnects and return None; in a forked process, return its arguments at once."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        requests = self._connection.fileno()
        while True:
            ready, _, _ = select.select([requests, self._woken], [], [])
            try:
                if self._woken in ready:
                    os.read(self._woken, 1024)
                    self._reap()
                if requests in ready:
                    data, files, _, _ = socket.recv_fds(self._connection, MESSAGE, 1)
                    if not data:
                        return None
                    message = json.loads(data)
                    if "signal" in message:
                        self._signal(message["signal"], message["what"])
                    elif self._forked(message["start"], files):
                        return list(message["arguments"])
            except (BrokenPipeError, ConnectionResetError):
                return None

    def _forked(self, number: int, files: list[int]) -> bool:
        """Fork; return True in the new process, False in this one. A failed fork is reported to the other end."""
        try:
            process = os.fork()
        except OSError:
            process = -1
        if process:
            for file in files:
                os.close(file)
            if process > 0:
                self._jobs[process] = number
                self._report(begun=number, process=process)
            else:
                self._report(failed=number)
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._connection.close()
        os.close(self._woken)
        os.close(self._wakes)
        os.setsid()  # Ctrl-C reaches only the process that the user started
        for file in files:
            os.dup2(file, STDERR)
            os.close(file)
        return True

    def _reap(self) -> None:
        for process in list(self._jobs):
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                self._report(ended=self._jobs.pop(process), status=os.waitstatus_to_exitcode(status))

    def _signal(self, number: int, signal_number: int) -> None:
        for process, job in self._jobs.items():  # not reaped yet, so no other process has the id
            if job == number:
                os.kill(process, signal_number)

    def _report(self, **message: int) -> None:
        self._connection.send(json.dumps(message).encode())


def main() -> Any:
    """Serve; in a forked process run MAIN and return its result."""
    handle, target, *modules = sys.argv[1:]
    preload(modules)
    # Ctrl-C during the start of a forked process, before it handles signals, should end it without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = Starter(socket.socket(fileno=int(handle))).serve()
    if arguments is None:
        return 0
    sys.argv = arguments
    module, _, name = target.partition(":")
    run: Callable[[], Any] = getattr(importlib.import_module(module), name)
    return run()


if __name__ == "__main__":
    sys.exit(main())
