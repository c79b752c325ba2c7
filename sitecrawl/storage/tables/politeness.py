"""The table of addresses that are being crawled."""

import datetime as dt
from typing import Final

from sqlalchemy import Column, Named, Table, Text, TypedColumns

from sitecrawl.storage.tables.base import METADATA
from sitecrawl.storage.tables.columns import UtcDateTime


class AddressSlotColumns(TypedColumns):
    """The process that crawls the sites of an address; other processes do not crawl them."""

    address: Named[str] = Column(Text, primary_key=True)
    holder: Named[str] = Column(Text)
    held_until: Named[dt.datetime] = Column(UtcDateTime)


ADDRESS_SLOT: Final = Table("address_slot", METADATA, AddressSlotColumns)
