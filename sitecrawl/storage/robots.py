"""robots.txt of the hosts of a site, as it was last read."""

import datetime as dt
from typing import Any, Final

import zstandard
from sqlalchemy import select

from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.tables.models import RobotsRow

_KEY: Final = ("site_id", "host")
HOST_LENGTH: Final = 300


class RobotsRepository:
    """Reads and writes `robots`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def keep(self, site_id: int, host: str, body: bytes, now: dt.datetime) -> None:
        """Store what robots.txt of a host (with its port) says; empty for a host that has none."""
        if len(host) <= HOST_LENGTH:
            packed = zstandard.ZstdCompressor().compress(body)
            row = {"site_id": site_id, "host": host, "body": packed, "read_at": now}
            upsert(self.session, RobotsRow, [row], _KEY, _read)

    def last(self, site_id: int, host: str, since: dt.datetime) -> tuple[bytes, dt.datetime] | None:
        """Return the last robots.txt of a host and when it was read, unless that was before `since`."""
        row = self.session.execute(
            select(RobotsRow.body, RobotsRow.read_at).where(
                RobotsRow.site_id == site_id, RobotsRow.host == host, RobotsRow.read_at >= since
            )
        ).first()
        if row is None:
            return None
        try:
            return zstandard.ZstdDecompressor().decompress(row.body), row.read_at
        except zstandard.ZstdError:  # damaged: as if there were none, which forbids more
            return None


def _read(new: Any) -> dict[str, Any]:
    return {"body": new.body, "read_at": new.read_at}
