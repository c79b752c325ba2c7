"""Claims IP addresses for a worker process: only one process at a time crawls the sites of one address.

Within the process, the requests to these sites take turns (`shell.address_pace`). So the address gets requests at the
rate of one site, whatever the number of processes and machines.
"""

import asyncio
import logging
from collections import Counter
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.errors import StorageError
from sitecrawl.shell.address_pace import shared_address
from sitecrawl.shell.addresses import is_loopback
from sitecrawl.shell.resolver import GuardedResolver, ascii_name
from sitecrawl.spiders.lease import RENEWALS
from sitecrawl.storage.address_slots import AddressSlots
from sitecrawl.storage.db.writer import ProcessDatabase
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.sites import SiteRef

logger = logging.getLogger(__name__)

REFUSED: Final = 5.0
"""Seconds before a site is taken again if another process had claimed its address. By then the database knows it."""


class AddressClaims:
    """The claims of one process on the addresses of its sites."""

    def __init__(self, config: Config, settings: BaseSettings, database: ProcessDatabase) -> None:
        self._config, self._settings, self._database = config, settings, database
        self.holder = new_owner()
        self._sites: dict[int, str] = {}
        """Claimed address by site number."""
        self._used: Counter[str] = Counter()
        self._refused: dict[int, float] = {}
        """Time, of `monotonic`, from which a site may be taken again, by site number."""

    def refused(self) -> list[int]:
        """Return the numbers of the sites that must not be taken now."""
        moment = monotonic()
        self._refused = {site: until for site, until in self._refused.items() if until > moment}
        return list(self._refused)

    async def claim(self, site: SiteRef) -> bool:
        """Claim the address of a site; return False if another process has claimed it. Raises StorageError."""
        address = await self._address(site)
        if not address:
            return True
        self._used[address] += 1
        self._sites[site.id] = address
        holder, moment, seconds = self.holder, now(), self._config.lease_seconds
        number, take = site.id, self._database.writer.submit
        if await take(lambda s: AddressSlots(s).take(number, address, holder, moment, seconds)):
            return True
        self._refused[site.id] = monotonic() + REFUSED
        logger.debug("its address %s is crawled by another process", address)
        return False

    async def end(self, site: SiteRef) -> None:
        """Release the address of a site whose crawl has ended, unless other sites use it. Raises StorageError."""
        address = self._sites.pop(site.id, "")
        if not address:
            return
        self._used[address] -= 1
        if not self._used[address]:
            del self._used[address]
            await self._database.writer.submit(lambda s: AddressSlots(s).release(address, self.holder))

    async def keep(self) -> None:
        """Renew the claims until cancelled."""
        while True:
            await asyncio.sleep(self._config.lease_seconds / RENEWALS)
            try:
                await self._renew(list(self._used))
            except StorageError as error:
                logger.warning("the addresses could not be kept (%s)", error)

    async def _renew(self, held: list[str]) -> None:
        holder, moment, seconds = self.holder, now(), self._config.lease_seconds
        if held:
            await self._database.writer.submit(lambda s: AddressSlots(s).renew(held, holder, moment, seconds))

    async def _address(self, site: SiteRef) -> str:
        """Return the address of a site; empty if the site does not share the rate of its address."""
        exempt = is_loopback(site.start_url) and not self._config.loopback_politeness
        host = urlsplit(site.start_url).hostname or ""
        if exempt or not host or not self._config.address_politeness:
            return ""
        resolver = GuardedResolver.installed(self._settings)
        try:
            found = await maybe_deferred_to_future(Deferred.fromCoroutine(resolver.look_up(ascii_name(host))))
        except DNSLookupError:
            return ""  # the crawl itself will fail and report it
        return shared_address(found)
