"""Re-queues pages for the indexes if the anchor texts of links to them changed."""

from collections.abc import Sequence

from sitecrawl.clock import now
from sitecrawl.slices import slices
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import Writer

AT_ONCE = 50
"""Maximum pages per operation, so that others (such as the lease) can use the writer in between."""


async def relink(writer: Writer, site_id: int, crawl_id: int) -> int:
    """Queue the pages of this crawl whose inbound anchor texts changed since they were queued; return how many.

    Pages queued before a kill are not queued again.
    """
    keys = await writer.submit(lambda s: LinkTextRepository(s).outdated(site_id, crawl_id))
    changed = 0
    for part in slices(keys, AT_ONCE):
        changed += await writer.submit(lambda s, part=part: _relinked(s, site_id, part))  # type: ignore[misc]
    await writer.submit(lambda s: LinkTextRepository(s).settle(site_id))
    return changed


def _relinked(session: Session, site_id: int, keys: Sequence[int]) -> int:
    contents, moment = ContentRepository(session), now()
    return sum(contents.relink(site_id, key, moment) for key in keys)
