"""By what words links call the pages of a site, told to all indexes once a crawl has seen its links."""

from collections.abc import Sequence

from sitecrawl.clock import now
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter

AT_ONCE = 50
"""Pages of one operation: others need the writer too, as the lease does."""


async def relink(writer: BatchWriter, site_id: int, crawl_id: int) -> int:
    """Queue pages of this crawl again that links call by other words than when they were queued; return how many.

    What was queued before a kill is left alone by the next call, for it is as it should be.
    """
    keys = await writer.submit(lambda s: LinkTextRepository(s).outdated(site_id, crawl_id))
    changed = 0
    for first in range(0, len(keys), AT_ONCE):
        part = keys[first : first + AT_ONCE]
        changed += await writer.submit(lambda s, part=part: _relinked(s, site_id, part))  # type: ignore[misc]
    await writer.submit(lambda s: LinkTextRepository(s).settle(site_id))
    return changed


def _relinked(session: Session, site_id: int, keys: Sequence[int]) -> int:
    contents, moment = ContentRepository(session), now()
    return sum(contents.relink(site_id, key, moment) for key in keys)
