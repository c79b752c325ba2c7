"""Anchor texts of links, stored by the page that they lead to.

A text is stored once per target page, with one of the pages that contain it as its source. If the source no longer
contains it at the next fetch, the text is dropped; another page that contains it restores it when it is fetched.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from sqlalchemy import Select, and_, bindparam, delete, func, select, update

from sitecrawl.dom.text import printable
from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.metadata.shared_values import value_key
from sitecrawl.slices import slices
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session, after_commit
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.search.terms import fold
from sitecrawl.storage.tables.models import CONTENT, LINK_TEXT

TARGETS: Final = 3
"""Maximum target pages of a text; a text with more targets (`next`, `read more`) describes none (docs/search.md)."""
TEXTS: Final = 12
"""Maximum texts stored per target page."""
CHUNK: Final = 300
"""Maximum pairs in one statement, which has a parameter for each page and each text [OWN]."""
MOST_SETTLED: Final = 30_000
"""Maximum texts in a `Settled`, about 70 bytes each."""
CACHED: Final = 2_048
"""Maximum texts whose fingerprints are cached."""
_SPREAD: Final = 0x9E3779B97F4A7C15
"""Odd multiplier (the bits of the golden ratio) that combines the two hashes of a pair with few collisions."""
_BITS: Final = (1 << 60) - 1
"""Bits of a remembered number: Python stores integers up to this size in the least memory."""

_KEY: Final = ("site_id", "url_key", "text_key")
_OF_SOURCE: Final = PreparedSelect(
    select(LINK_TEXT.c.url_key, LINK_TEXT.c.text_key).where(
        LINK_TEXT.c.site_id == bindparam("b_site"), LINK_TEXT.c.source == bindparam("b_source")
    )
)
# Statements that run for every page are built once. They exclude texts without a source by count(source), or their
# caller does: with a condition on `source`, SQLite would choose the index of sources.
_WITH_SOURCE: Final = select(LINK_TEXT.c.url_key, LINK_TEXT.c.text_key, LINK_TEXT.c.source).where(
    LINK_TEXT.c.site_id == bindparam("b_site"),
    LINK_TEXT.c.url_key.in_(bindparam("b_keys", expanding=True)),
    (LINK_TEXT.c.text_key + 0).in_(bindparam("b_texts", expanding=True)),  # + 0: no index look-up per text
)
_HELD: Final = (
    select(LINK_TEXT.c.url_key, func.count(LINK_TEXT.c.source))
    .where(LINK_TEXT.c.site_id == bindparam("b_site"), LINK_TEXT.c.url_key.in_(bindparam("b_keys", expanding=True)))
    .group_by(LINK_TEXT.c.url_key)
)
_LEADING: Final = (
    select(LINK_TEXT.c.text_key, func.count(LINK_TEXT.c.source))
    .where(LINK_TEXT.c.site_id == bindparam("b_site"), LINK_TEXT.c.text_key.in_(bindparam("b_texts", expanding=True)))
    .group_by(LINK_TEXT.c.text_key)
)


class Pair(NamedTuple):
    """A folded and hashed text, and the page that it leads to."""

    url_key: int
    text_key: int


@lru_cache(CACHED)
def text_key(text: str) -> int:
    """Return the fingerprint of a text without case, accents and white space."""
    return value_key(" ".join(fold(text).split()))


def _texts() -> Select[str]:
    """Return the statement that selects the texts of a page that lead to few pages, unordered."""
    other = LINK_TEXT.alias()
    same = and_(other.c.site_id == LINK_TEXT.c.site_id, other.c.text_key == LINK_TEXT.c.text_key)
    targets = select(func.count(other.c.source)).where(same).scalar_subquery()
    return select(LINK_TEXT.c.text).where(
        LINK_TEXT.c.site_id == bindparam("b_site"),
        LINK_TEXT.c.url_key == bindparam("b_key"),
        LINK_TEXT.c.source.is_not(None),
        targets <= TARGETS,
    )


_TEXTS: Final = PreparedSelect(_texts())


class Settled:
    """Anchor texts with nothing left to store in this crawl: they have a committed source, or were refused.

    The texts of menus repeat on every page, so this saves look-ups. When a text is dropped, all are forgotten, since a
    refused text may have room now.
    """

    def __init__(self) -> None:
        self._numbers: set[int] = set()
        self._drops = 0

    def open(self, link_texts: Iterable[LinkText]) -> dict[Pair, str]:
        """Return the pairs that still have to be looked up."""
        numbers = self._numbers
        found = {}
        for key, text in link_texts:
            folded = text_key(text)
            if (key ^ folded * _SPREAD) & _BITS not in numbers:
                found[Pair(key, folded)] = printable(text)
        return found

    def add(self, session: Session, pairs: Collection[Pair]) -> None:
        """Remember pairs once the transaction of a session is committed."""
        if pairs and len(self._numbers) < MOST_SETTLED:
            numbers, drops = [(pair.url_key ^ pair.text_key * _SPREAD) & _BITS for pair in pairs], self._drops

            def committed() -> None:
                if drops == self._drops:  # a page of the same transaction may drop texts
                    self._numbers.update(numbers)

            after_commit(session, committed)

    def clear(self) -> None:
        """Forget everything, pending pairs included."""
        self._numbers.clear()
        self._drops += 1


class LinkTextRepository:
    """Reads and writes `link_text`."""

    def __init__(self, session: Session, settled: Settled | None = None) -> None:
        """Use `settled` if one process writes the texts of a site."""
        self.session = session
        self.settled = settled or Settled()

    def of(self, site_id: int, url_key: int) -> list[str]:
        """Return the anchor texts of links to a page, without those that lead to many pages."""
        return sorted(text for (text,) in _TEXTS.all(self.session, {"b_site": site_id, "b_key": url_key}))

    def record(self, site_id: int, source: int, link_texts: Collection[LinkText], *, first: bool = False) -> None:
        """Store the anchor texts on a page, and drop those that it no longer contains; a `first` visit drops none."""
        before = [] if first else _OF_SOURCE.all(self.session, {"b_site": site_id, "b_source": source})
        if before:
            still = {(one.url_key, text_key(one.text)) for one in link_texts}
            for key, text in before:
                if (key, text) not in still:
                    self.settled.clear()
                    self._drop(site_id, Pair(key, text))
        pairs = self.settled.open(link_texts)
        if not pairs:
            return
        new = self._new(site_id, pairs)
        rows = [
            {
                **{"site_id": site_id, "url_key": pair.url_key, "text_key": pair.text_key, "text": pairs[pair]},
                **{"source": source, "fresh": True},
            }
            for pair in new
        ]
        upsert(self.session, LINK_TEXT, rows, _KEY, _again)
        self.settled.add(self.session, pairs)

    def _new(self, site_id: int, pairs: Collection[Pair]) -> list[Pair]:
        """Return the pairs to store: those without a source, within the limits TARGETS and TEXTS."""
        missing = self._without_source(site_id, pairs)
        held = self._held(site_id, {pair.url_key for pair in missing})
        missing = [pair for pair in missing if held.get(pair.url_key, 0) < TEXTS]
        leading = self._targets(site_id, {pair.text_key for pair in missing})
        new = []
        for pair in missing:
            texts, targets = held.get(pair.url_key, 0), leading.get(pair.text_key, 0)
            if texts < TEXTS and targets <= TARGETS:
                held[pair.url_key], leading[pair.text_key] = texts + 1, targets + 1
                new.append(pair)
        return new

    def _without_source(self, site_id: int, pairs: Collection[Pair]) -> list[Pair]:
        """Return the pairs that have no stored source."""
        stored: set[Pair] = set()
        connection = self.session.connection()
        for part in slices(sorted(pairs), CHUNK):
            keys, texts = {pair.url_key for pair in part}, {pair.text_key for pair in part}
            chosen = {"b_site": site_id, "b_keys": sorted(keys), "b_texts": sorted(texts)}
            rows = connection.execute(_WITH_SOURCE, chosen)
            stored.update(Pair(key, text) for key, text, source in rows if source is not None)
        return [pair for pair in pairs if pair not in stored]

    def _held(self, site_id: int, pages: Collection[int]) -> dict[int, int]:
        """Return the number of texts of each page."""
        found: dict[int, int] = {}
        connection = self.session.connection()
        for part in slices(sorted(pages), CHUNK):
            rows = connection.execute(_HELD, {"b_site": site_id, "b_keys": part})
            found.update((key, count) for key, count in rows)
        return found

    def _targets(self, site_id: int, texts: Collection[int]) -> dict[int, int]:
        """Return the number of target pages of each text."""
        found: dict[int, int] = {}
        connection = self.session.connection()
        for part in slices(sorted(texts), CHUNK):
            rows = connection.execute(_LEADING, {"b_site": site_id, "b_texts": part})
            found.update((text, count) for text, count in rows)
        return found

    def _drop(self, site_id: int, pair: Pair) -> None:
        same = (LINK_TEXT.c.url_key == pair.url_key) & (LINK_TEXT.c.text_key == pair.text_key)
        chosen = (LINK_TEXT.c.site_id == site_id, same)
        self.session.execute(update(LINK_TEXT).where(*chosen).values(source=None, fresh=True))

    def outdated(self, site_id: int, crawl_id: int) -> list[int]:
        """Return the pages of this crawl that are indexed and whose texts were found or dropped since `settle`.

        The texts of further pages may have changed too: a text that gains a target may describe none of its targets any
        more. Unchanged pages are left out, since lists of related links change with every visit.
        """
        fresh = select(LINK_TEXT.c.text_key).where(LINK_TEXT.c.site_id == site_id, LINK_TEXT.c.fresh)
        pages = select(LINK_TEXT.c.url_key).where(LINK_TEXT.c.site_id == site_id, LINK_TEXT.c.text_key.in_(fresh))
        return list(
            self.session.scalars(
                select(CONTENT.c.url_key)
                .where(
                    *(CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id, CONTENT.c.indexed),
                    *(CONTENT.c.status.in_((RowStatus.NEW, RowStatus.CHANGED)), CONTENT.c.url_key.in_(pages)),
                )
                .order_by(CONTENT.c.url_key)
            )
        )

    def settle(self, site_id: int) -> None:
        """Record that the indexes have all texts; delete the dropped ones."""
        chosen = (LINK_TEXT.c.site_id == site_id, LINK_TEXT.c.fresh)
        self.session.execute(delete(LINK_TEXT).where(*chosen, LINK_TEXT.c.source.is_(None)))
        self.session.execute(update(LINK_TEXT).where(*chosen).values(fresh=False))


def _again(new: object) -> dict[str, object]:
    return {name: getattr(new, name) for name in ("text", "source", "fresh")}
