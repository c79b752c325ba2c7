"""A network namespace of a case's own, in which no other process has an address."""

import contextlib
import ctypes
import os
import subprocess

from tests.drill.cases import NotPossible

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of unshare(2) and setns(2)."""
KERNEL = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def own_network():
    """Move this thread, and what it starts from now on, to a new network namespace whose loopback is up; move back."""
    if os.geteuid() != 0:
        raise NotPossible("network namespaces need root")
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if KERNEL.unshare(NEW_NETWORK):
            raise NotPossible(f"no network namespace can be made: {os.strerror(ctypes.get_errno())}")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            if KERNEL.setns(before, NEW_NETWORK):
                raise OSError(ctypes.get_errno(), "the way back to the first network namespace is closed")
    finally:
        os.close(before)
