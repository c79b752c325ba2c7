"""Records which process crawls the sites of each IP address."""

import datetime as dt
from collections.abc import Collection
from typing import Final

from sqlalchemy import Text, bindparam, delete, exists, not_, or_, select, update

from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing
from sitecrawl.storage.lease_owner import has_ended
from sitecrawl.storage.tables.columns import UtcDateTime
from sitecrawl.storage.tables.models import ADDRESS_SLOT, SITE

FREE_ADDRESS: Final = not_(
    exists().where(
        ADDRESS_SLOT.c.address == SITE.c.address,
        ADDRESS_SLOT.c.holder != bindparam("holder", type_=Text),
        ADDRESS_SLOT.c.held_until > bindparam("moment", type_=UtcDateTime),
    )
)
"""Condition for sites whose address, as of their last crawl, is held by no process but `holder` at `moment`."""


class AddressSlots:
    """Reads and writes `address_slot`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def take(self, site_id: int, address: str, holder: str, now: dt.datetime, seconds: int) -> bool:
        """Take or renew the address of a site for a process; return False if another process holds it."""
        moved = SITE.c.address.is_distinct_from(address)
        self.session.execute(update(SITE).where(SITE.c.id == site_id, moved).values(address=address))
        until = now + dt.timedelta(seconds=seconds)
        insert_missing(
            self.session, ADDRESS_SLOT, [{"address": address, "holder": holder, "held_until": until}], ["address"]
        )
        other = self.session.scalar(select(ADDRESS_SLOT.c.holder).where(ADDRESS_SLOT.c.address == address)) or ""
        ended = [ADDRESS_SLOT.c.holder == other] if other != holder and has_ended(other) else []
        taken = self.session.execute(
            update(ADDRESS_SLOT)
            .where(
                ADDRESS_SLOT.c.address == address,
                or_(ADDRESS_SLOT.c.holder == holder, ADDRESS_SLOT.c.held_until <= now, *ended),
            )
            .values(holder=holder, held_until=until)
        )
        return bool(taken.rowcount)

    def renew(self, addresses: Collection[str], holder: str, now: dt.datetime, seconds: int) -> None:
        """Renew the addresses that a process holds."""
        self.session.execute(
            update(ADDRESS_SLOT)
            .where(ADDRESS_SLOT.c.address.in_(addresses), ADDRESS_SLOT.c.holder == holder)
            .values(held_until=now + dt.timedelta(seconds=seconds))
        )

    def release(self, address: str, holder: str) -> None:
        """Release an address."""
        self.session.execute(
            delete(ADDRESS_SLOT).where(ADDRESS_SLOT.c.address == address, ADDRESS_SLOT.c.holder == holder)
        )
