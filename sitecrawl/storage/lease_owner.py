"""Names of lease holders, by which other processes of the same machine can see that a holder has ended.

A killed process cannot release its lease. Processes of the same machine notice at once; others (another machine,
another container, or after a restart) wait until the lease expires.
"""

import hashlib
import os
import secrets
import socket
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_ENDED: Final = ("Z", "X")
"""States of a process that has ended and is not yet forgotten (proc_pid_stat(5))."""


def new_owner() -> str:
    """Return a unique name for a holder of a lease: `host:process:machine.start:token`."""
    host, process = socket.gethostname().replace(":", "-"), os.getpid()
    try:
        start = _start(process)
    except OSError:
        start = ""
    return f"{host}:{process}:{_machine()}.{start}:{secrets.token_hex(4)}"


def has_ended(owner: str) -> bool:
    """Return True if the holder of a lease ran on this machine and that process no longer exists.

    False for everything that is not certain: another machine, a process that this one may not look at.
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
    """Name this start of this machine and its process numbers; empty where the system does not tell."""
    try:
        boot = (_PROCESSES / "sys/kernel/random/boot_id").read_text()
        numbers = (_PROCESSES / "self/ns/pid").readlink()
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {numbers}".encode()).hexdigest()[:8]


def _start(process: int) -> str:
    """Return when a process was started, in ticks of its machine; empty when it has ended.

    Raises OSError when that cannot be read: FileNotFoundError when there seems to be no such process.
    """
    try:
        # the name of the program, in parentheses, may hold anything
        state, *values = (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except ProcessLookupError:  # it ended while it was read
        return ""
    except ValueError as error:
        raise OSError(f"process {process}: its state cannot be read") from error
    return "" if state in _ENDED else values[18]


def _exists(process: int) -> bool:
    """Return whether a process with this number exists; True where the system does not tell."""
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
