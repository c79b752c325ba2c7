"""File permissions of databases and feeds, which hold a site's texts, some from behind a login."""

import os
from typing import Final

OWNER_ONLY: Final = 0o600


def owner_only(path: str, flags: int) -> int:
    """Open a file as `os.open` does; a new file can be read and written by its owner alone.

    It is an `opener` for `open`. A stricter umask applies; an existing file keeps its permissions.
    """
    return os.open(path, flags, OWNER_ONLY)
