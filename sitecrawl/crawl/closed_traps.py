"""The closed traps of one site, stored with it, so that later runs do not fetch them again."""

import datetime as dt
import logging
from collections.abc import Iterable, Sequence
from functools import partial

from sitecrawl.clock import now
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.infinite_spaces import InfiniteSpaces
from sitecrawl.links.same_answers import SameAnswers
from sitecrawl.links.session_values import SessionValues
from sitecrawl.links.traps import TrapGuard
from sitecrawl.links.variants import describe
from sitecrawl.links.withheld_answers import WithheldAnswers
from sitecrawl.storage.closed import ClosedRepository, StoredClosed
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import Writer
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.revisits import RevisitRepository

logger = logging.getLogger(__name__)

Outcome = tuple[int, str, bool | None]
"""(url_key, URL, whether its page holds unique main content: None without an extracted page)."""


class ClosedTraps:
    """The closed folders, paths and parameters of a crawl."""

    def __init__(
        self,
        writer: Writer,
        site_id: int,
        guard: TrapGuard,
        infinite_spaces: InfiniteSpaces,
        same_answers: SameAnswers,
        withheld_answers: WithheldAnswers,
    ) -> None:
        self.writer, self.site_id, self.guard = writer, site_id, guard
        self.infinite_spaces, self.same_answers = infinite_spaces, same_answers
        self.withheld_answers = withheld_answers
        self.session_values = SessionValues(same_answers.start_url)
        self._stored: dict[str, int] = {}
        """Keys of the folders that are stored as closed."""
        self.closed = 0
        """Number of traps closed by this run."""

    def load(self, stored: Iterable[StoredClosed], keep: int) -> None:
        """Restore the stored traps closed in the last `keep` seconds; older ones are tested again."""
        site_id, moment = self.site_id, now()
        self._replay()
        valid, old = by_age(stored, moment - dt.timedelta(seconds=keep))
        self._stored = {one.place: one.key for one in (*valid, *old) if one.kind is ClosedKind.FOLDER}
        self.infinite_spaces.restore(
            (one for one in valid if one.kind is ClosedKind.FOLDER),
            (one for one in old if one.kind is ClosedKind.FOLDER),
        )
        self.same_answers.restore(one for one in valid if one.kind is ClosedKind.SAME)
        self.withheld_answers.restore(one for one in valid if one.kind is ClosedKind.WITHHELD)
        self.guard.restore(one for one in valid if one.kind in (ClosedKind.COMBINATIONS, ClosedKind.FULL))
        expired = [one.key for one in old if one.kind is not ClosedKind.FOLDER]
        if expired:
            self.writer.run(lambda s: ClosedRepository(s).open(site_id, expired))

    def _replay(self) -> None:
        """Restore the variants that earlier runs read: whether each had main content, and whether it led to any."""
        outcomes, listings, links = self.writer.run(partial(_outcomes, site_id=self.site_id))
        for _, url, content in outcomes:
            self.guard.replay(url, content=content)
        self.session_values.learn([(url, content) for _, url, content in outcomes])
        for key, url in listings.items():
            self.guard.replay_links(url, links.get(key, ()))
        for key, _, content in outcomes:
            if content:
                self.guard.lead(key)

    def refusal(self, url: str) -> str | None:
        """Return the reason why a URL is no longer requested, or None if it may be."""
        refusal = self.infinite_spaces.refusal(url) or self.guard.refusal(url) or self.withheld_answers.refusal(url)
        refusal = refusal or self.session_values.refusal(url)
        if refusal is not None:
            return refusal
        same = self.same_answers.refusal(url)
        return same if same is not None and not self.guard.holds(url) else None

    async def store(self, closed: Sequence[Closed]) -> None:
        """Store closed traps at once, so that the next run knows them even if this one is killed."""
        if not closed:
            return
        for one in closed:
            logger.warning("%s; no more requests are sent there", one.reason)
        self.closed += len(closed)
        site_id, moment = self.site_id, now()
        self._stored.update((one.place, one.key) for one in closed if one.kind is ClosedKind.FOLDER)
        await self.writer.submit(lambda s: ClosedRepository(s).put(site_id, closed, moment))

    async def open(self, folder: str) -> None:
        """Delete the record that a folder was closed, if there is one."""
        key, site_id = self._stored.pop(folder, None), self.site_id
        if key is not None:
            await self.writer.submit(lambda s: ClosedRepository(s).open(site_id, [key]))


def _outcomes(session: Session, site_id: int) -> tuple[list[Outcome], dict[int, str], dict[int, tuple[int, ...]]]:
    """Return the outcome of each URL; the variants without unique main content, by key; and the links of these."""
    outcomes = list(PageRepository(session).outcomes(site_id))
    listings = {key: url for key, url, content in outcomes if content is False and describe(url) is not None}
    return outcomes, listings, RevisitRepository(session).links_of(site_id, listings) if listings else {}


def by_age(stored: Iterable[StoredClosed], since: dt.datetime) -> tuple[list[Closed], list[Closed]]:
    """Return the traps closed since a time, and those closed before it."""
    valid: list[Closed] = []
    old: list[Closed] = []
    for one in stored:
        (valid if one.closed_at >= since else old).append(one.closed)
    return valid, old


def read_again(
    session: Session, infinite_spaces: InfiniteSpaces, site_id: int, crawl_id: int, since: dt.datetime
) -> set[int]:
    """Replay the pages that an interrupted run of a crawl read; return the pages that they link to.

    `since` is the time at which the crawl began.
    """
    new = dict(PageRepository(session).linked_since(site_id, since))
    seen: set[int] = set()
    for url, links in RevisitRepository(session).links_in_order(site_id, crawl_id):
        infinite_spaces.read(url, [new.pop(key) for key in links if key in new])
        seen.update(links)
    return seen
