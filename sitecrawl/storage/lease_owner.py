"""Names the holder of a lease: a process whose end other processes on the machine can detect.

A killed process cannot release its site. On the same machine that is detected at once; from elsewhere (another machine,
another container, or after a restart of the machine) its lease must expire.
"""

import hashlib
import os
import secrets
import socket
from functools import cache
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_ENDED: Final = ("Z", "X")
"""States of a process that has ended but still has an entry (proc_pid_stat(5))."""


def new_owner() -> str:
    """Return a unique name for a holder of a lease: `host:process:machine.start:token`."""
    host, process = socket.gethostname().replace(":", "-"), os.getpid()
    try:
        start = _start(process)
    except OSError:
        start = ""
    return f"{host}:{process}:{_machine()}.{start}:{secrets.token_hex(4)}"


def machine_part() -> str:
    """Return the part that all holders' names on this machine share; "" if the system does not identify it."""
    machine = _machine()
    return f":{machine}." if machine else ""


def described(owner: str) -> str:
    """Return the holder of a lease in words: its process and machine; the name itself if it has another form."""
    parts = owner.split(":")
    return f"process {parts[1]} on {parts[0]}" if len(parts) == 4 else owner


def has_ended(owner: str) -> bool:
    """Return True if the holder of a lease ran on this machine and that process no longer exists.

    False if that is uncertain: another machine, or a process that this one may not inspect.
    """
    parts = owner.split(":")
    if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdecimal()):
        return False
    machine, _, start = parts[2].partition(".")
    if not machine or not start or machine != _machine():
        return False
    process = int(parts[1])
    try:
        return _start(process) != start
    except FileNotFoundError:
        return not _exists(process)  # /proc may hide the processes of other users (hidepid)
    except OSError:
        return False


def _machine() -> str:
    """Return an id of this boot of the machine and its process numbers; empty if the system has none."""
    return _machine_of(_PROCESSES)


@cache
def _machine_of(processes: Path) -> str:
    try:
        boot = (processes / "sys/kernel/random/boot_id").read_text()
        numbers = (processes / "self/ns/pid").readlink()
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {numbers}".encode()).hexdigest()[:8]


def _start(process: int) -> str:
    """Return the start time of a process in clock ticks; empty if it has ended.

    Raises OSError if that cannot be read: FileNotFoundError if there seems to be no such process.
    """
    try:
        # the program's name, in parentheses, may contain anything
        state, *values = (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except ProcessLookupError:  # it ended while it was read
        return ""
    except ValueError as error:
        raise OSError(f"process {process}: its state cannot be read") from error
    return "" if state in _ENDED else values[18]


def _exists(process: int) -> bool:
    """Return whether a process with that id exists; True if the system cannot say."""
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
