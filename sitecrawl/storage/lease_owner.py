"""Names the holder of a lease: a process whose end other processes on the machine can detect.

A killed process cannot release its site. Other processes of the same machine detect that at once; for any others (on
another machine, in another container, or after a restart of the machine) the lease must expire.
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
    """Return the common part of the names of all holders on this machine; "" if the machine has no id."""
    machine = _machine()
    return f":{machine}." if machine else ""


def described(owner: str) -> str:
    """Return the holder of a lease for messages: process and machine, or the name itself if it has another form."""
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

    Raises OSError if it cannot be read: FileNotFoundError if the process does not exist or is hidden.
    """
    try:
        # the name of the program, in parentheses, may contain any characters
        state, *values = (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except ProcessLookupError:  # it ended while it was read
        return ""
    except ValueError as error:
        raise OSError(f"process {process}: its state cannot be read") from error
    return "" if state in _ENDED else values[18]


def _exists(process: int) -> bool:
    """Return whether a process with this id exists; True if that cannot be determined."""
    try:
        os.kill(process, 0)  # signal 0 only checks
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
