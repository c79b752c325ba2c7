"""Closed traps of a site: folders, paths and parameters."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import delete, select

from sitecrawl.dom.text import printable
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, upsert
from sitecrawl.storage.tables.models import CLOSED

_KEY = ("site_id", "key")


class StoredClosed(NamedTuple):
    """A closed trap as stored."""

    closed: Closed
    closed_at: dt.datetime


class ClosedRepository:
    """Reads and writes `closed`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def all(self, site_id: int) -> list[StoredClosed]:
        """Return the closed traps in the order in which they were found."""
        rows = self.session.execute(
            select(CLOSED.c.key, CLOSED.c.kind, CLOSED.c.place, CLOSED.c.reason, CLOSED.c.closed_at)
            .where(CLOSED.c.site_id == site_id)
            .order_by(CLOSED.c.closed_at, CLOSED.c.key)
        )
        return [StoredClosed(Closed(key, ClosedKind(kind), place, why), at) for key, kind, place, why, at in rows]

    def put(self, site_id: int, places: Iterable[Closed], now: dt.datetime) -> None:
        """Store closed traps; the time of an earlier one is renewed."""
        for one in sorted(places):
            row = {
                "site_id": site_id,
                "key": one.key,
                "kind": int(one.kind),
                "place": printable(one.place),
                "reason": printable(one.reason),
                "closed_at": now,
            }
            upsert(self.session, CLOSED, [row], _KEY, _again)

    def open(self, site_id: int, keys: Iterable[int]) -> None:
        """Delete closed traps by their keys."""
        for key in sorted(keys):
            self.session.execute(delete(CLOSED).where(CLOSED.c.site_id == site_id, CLOSED.c.key == key))

    def forget(self, site_id: int) -> None:
        """Delete all closed traps of a site."""
        self.session.execute(delete(CLOSED).where(CLOSED.c.site_id == site_id))


def _again(new: Excluded) -> dict[str, object]:
    return {"kind": new.kind, "place": new.place, "reason": new.reason, "closed_at": new.closed_at}
