"""The last robots.txt of each host of a site."""

import datetime as dt
from typing import Final

import zstandard
from sqlalchemy import select

from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, upsert
from sitecrawl.storage.tables.models import ROBOTS

_KEY: Final = ("site_id", "host")
HOST_LENGTH: Final = 300
"""Maximum characters of a host with its port; the robots.txt of a longer one is not stored."""


class RobotsRepository:
    """Reads and writes `robots`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def keep(self, site_id: int, host: str, body: bytes, now: dt.datetime) -> None:
        """Store the robots.txt of a host (with its port); empty if it has none."""
        if len(host) <= HOST_LENGTH:
            packed = zstandard.ZstdCompressor().compress(body)
            row = {"site_id": site_id, "host": host, "body": packed, "read_at": now}
            upsert(self.session, ROBOTS, [row], _KEY, _read)

    def last(self, site_id: int, host: str, since: dt.datetime) -> tuple[bytes, dt.datetime] | None:
        """Return the last robots.txt of a host and the time of reading; None if that was before `since`."""
        row = self.session.execute(
            select(ROBOTS.c.body, ROBOTS.c.read_at).where(
                ROBOTS.c.site_id == site_id, ROBOTS.c.host == host, ROBOTS.c.read_at >= since
            )
        ).first()
        if row is None:
            return None
        try:
            return zstandard.ZstdDecompressor().decompress(row.body), row.read_at
        except zstandard.ZstdError:  # a damaged copy counts as missing, which is the stricter choice
            return None


def _read(new: Excluded) -> dict[str, object]:
    return {"body": new.body, "read_at": new.read_at}
