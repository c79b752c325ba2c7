"""Folders and paths of a site that are closed as traps."""

import datetime as dt
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import delete, select

from sitecrawl.dom.text import printable
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.tables.models import ClosedRow

_KEY = ("site_id", "key")


class StoredClosed(NamedTuple):
    """A closed place as it is stored."""

    closed: Closed
    closed_at: dt.datetime


class ClosedRepository:
    """Reads and writes `closed`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def all(self, site_id: int) -> list[StoredClosed]:
        """Return what is closed, as it was found."""
        rows = self.session.execute(
            select(ClosedRow.key, ClosedRow.kind, ClosedRow.place, ClosedRow.reason, ClosedRow.closed_at)
            .where(ClosedRow.site_id == site_id)
            .order_by(ClosedRow.closed_at, ClosedRow.key)
        )
        return [StoredClosed(Closed(key, ClosedKind(kind), place, why), at) for key, kind, place, why, at in rows]

    def put(self, site_id: int, places: Iterable[Closed], now: dt.datetime) -> None:
        """Store closed places; what was closed before counts as closed now."""
        for one in sorted(places):
            row = {
                "site_id": site_id,
                "key": one.key,
                "kind": int(one.kind),
                "place": printable(one.place),
                "reason": printable(one.reason),
                "closed_at": now,
            }
            upsert(self.session, ClosedRow, [row], _KEY, _again)

    def open(self, site_id: int, keys: Iterable[int]) -> None:
        """Forget that places were closed."""
        for key in sorted(keys):
            self.session.execute(delete(ClosedRow).where(ClosedRow.site_id == site_id, ClosedRow.key == key))

    def forget(self, site_id: int) -> None:
        """Forget everything that is closed on a site."""
        self.session.execute(delete(ClosedRow).where(ClosedRow.site_id == site_id))


def _again(new: Any) -> dict[str, Any]:
    return {"kind": new.kind, "place": new.place, "reason": new.reason, "closed_at": new.closed_at}
