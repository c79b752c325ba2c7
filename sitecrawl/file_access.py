"""Who may read what the program writes: databases and feeds hold a site's texts, some from behind a login."""

import os
from typing import Final

OWNER_ONLY: Final = 0o600


def owner_only(path: str, flags: int) -> int:
    """Open a file as `os.open` does; one that is new can be read and written by its owner alone.

    It is an `opener` for `open`. A stricter umask counts; a file that is there keeps its permissions.
    """
    return os.open(path, flags, OWNER_ONLY)
