"""File permissions of databases and feeds, which contain a site's texts, some of them from behind a login."""

import os
from typing import Final

OWNER_ONLY: Final = 0o600


def owner_only(path: str, flags: int) -> int:
    """Open a file as `os.open` does and return its descriptor; only its owner can read and write a new file.

    The function is an `opener` for `open`. A stricter umask applies; an existing file keeps its permissions.
    """
    return os.open(path, flags, OWNER_ONLY)
