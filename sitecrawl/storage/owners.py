"""Who holds the lease of a site: a process, named so that others on its machine can see that it is no more.

A process that was killed cannot give its site back. On the same machine that is seen at once; from elsewhere (another
machine, another container, or after a restart of the machine) its lease has to run out.
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
    """Return a name for a holder of a lease, which no other has: `host:process:machine.start:token`."""
    host, process = socket.gethostname().replace(":", "-"), os.getpid()
    return f"{host}:{process}:{_machine()}.{_start(process)}:{secrets.token_hex(4)}"


def has_ended(owner: str) -> bool:
    """Say whether the process that holds a lease is certainly no more: a process of this machine, and not there."""
    parts = owner.split(":")
    if len(parts) != 4 or not parts[1].isdigit():
        return False
    machine, _, start = parts[2].partition(".")
    return bool(machine and start) and machine == _machine() and _start(int(parts[1])) != start


def _machine() -> str:
    """Name this start of this machine and its process numbers; empty where the system does not tell."""
    try:
        boot = (_PROCESSES / "sys/kernel/random/boot_id").read_text()
        numbers = (_PROCESSES / "self/ns/pid").readlink()
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {numbers}".encode()).hexdigest()[:8]


def _start(process: int) -> str:
    """Return when a process was started, in ticks of its machine; empty when there is none."""
    try:
        # the name of the program, in parentheses, may hold anything
        state, *values = (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (OSError, ValueError):
        return ""
    return "" if state in _ENDED else values[18]
