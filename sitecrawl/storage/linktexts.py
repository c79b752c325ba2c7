"""Texts of links by the page that they lead to.

A text is kept once for a page that it leads to, with one of the pages that say so, its source. When the source is
fetched again and says it no more, the text is dropped; another page that says it brings it back when it is fetched.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from sqlalchemy import Select, and_, bindparam, delete, func, select, update
from sqlalchemy.orm import Session, aliased

from sitecrawl.dom.text import printable
from sitecrawl.links.linktexts import LinkText
from sitecrawl.metadata.survey import value_key
from sitecrawl.storage.models import ContentRow, LinkTextRow
from sitecrawl.storage.terms import fold
from sitecrawl.storage.upsert import upsert

TARGETS: Final = 3
"""Pages that a text may lead to; one that leads to more (`next`, `read more`) tells none of them (docs/search.md)."""
TEXTS: Final = 12
"""Texts of one page that are kept."""
CHUNK: Final = 300

_KEY: Final = ("site_id", "url_key", "text_key")
_ROW: Final = LinkTextRow.__table__
_OF_SOURCE: Final = select(LinkTextRow.url_key, LinkTextRow.text_key).where(
    LinkTextRow.site_id == bindparam("b_site"), LinkTextRow.source == bindparam("b_source")
)


class Pair(NamedTuple):
    """A text, folded and hashed, and the page that it leads to."""

    url_key: int
    text_key: int


@lru_cache(20_000)
def text_key(text: str) -> int:
    """Return the fingerprint of a text without its case, accents and white space."""
    return value_key(" ".join(fold(text).split()))


def _texts() -> Select[str]:
    """Return what selects the texts of a page that lead to few pages, not in order."""
    other = aliased(LinkTextRow)
    same = and_(other.site_id == LinkTextRow.site_id, other.text_key == LinkTextRow.text_key)
    targets = select(func.count(other.source)).where(same).scalar_subquery()
    return select(LinkTextRow.text).where(
        LinkTextRow.site_id == bindparam("b_site"),
        LinkTextRow.url_key == bindparam("b_key"),
        LinkTextRow.source.is_not(None),
        targets <= TARGETS,
    )


_TEXTS: Final = _texts()


class LinkTextRepository:
    """Reads and writes `link_text`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def of(self, site_id: int, url_key: int) -> list[str]:
        """Return the texts of links to a page, without those that lead to many pages."""
        return sorted(self.session.scalars(_TEXTS, {"b_site": site_id, "b_key": url_key}))

    def record(self, site_id: int, source: int, said: Collection[LinkText]) -> None:
        """Store what a page says of others, and drop what it said and does not any more."""
        pairs = {Pair(one.url_key, text_key(one.text)): printable(one.text) for one in said}
        for key, text in self.session.execute(_OF_SOURCE, {"b_site": site_id, "b_source": source}).all():
            if Pair(key, text) not in pairs:
                self._drop(site_id, Pair(key, text))
        new = self._new(site_id, pairs)
        rows = [
            {
                **{"site_id": site_id, "url_key": pair.url_key, "text_key": pair.text_key, "text": pairs[pair]},
                **{"source": source, "fresh": True},
            }
            for pair in new
        ]
        upsert(self.session, LinkTextRow, rows, _KEY, _again)

    def _new(self, site_id: int, pairs: Collection[Pair]) -> list[Pair]:
        """Return the pairs to store: those without a source, as far as there is room."""
        kept: dict[int, set[int]] = {}
        targets = sorted({pair.url_key for pair in pairs})
        for part in _parts(targets):
            rows = self.session.execute(
                select(LinkTextRow.url_key, LinkTextRow.text_key, LinkTextRow.source).where(
                    LinkTextRow.site_id == site_id, LinkTextRow.url_key.in_(part)
                )
            )
            for key, text, source in rows:
                if source is not None:  # SQLite would choose the index of sources for it
                    kept.setdefault(key, set()).add(text)
        missing = [pair for pair in pairs if pair.text_key not in kept.get(pair.url_key, ())]
        leading = self._targets(site_id, {pair.text_key for pair in missing})
        new = []
        for pair in missing:
            texts = kept.setdefault(pair.url_key, set())
            if len(texts) < TEXTS and leading.get(pair.text_key, 0) <= TARGETS:
                texts.add(pair.text_key)
                leading[pair.text_key] = leading.get(pair.text_key, 0) + 1
                new.append(pair)
        return new

    def _targets(self, site_id: int, texts: Collection[int]) -> dict[int, int]:
        """Return to how many pages each text leads."""
        found: dict[int, int] = {}
        for part in _parts(sorted(texts)):
            rows = self.session.execute(
                select(LinkTextRow.text_key, func.count(LinkTextRow.source))
                .where(LinkTextRow.site_id == site_id, LinkTextRow.text_key.in_(part))
                .group_by(LinkTextRow.text_key)
            )
            found.update((text, count) for text, count in rows)
        return found

    def _drop(self, site_id: int, pair: Pair) -> None:
        chosen = (_ROW.c.site_id == site_id, _ROW.c.url_key == pair.url_key, _ROW.c.text_key == pair.text_key)
        self.session.execute(update(LinkTextRow).where(*chosen).values(source=None, fresh=True))

    def outdated(self, site_id: int) -> list[int]:
        """Return the pages of an index for which texts were found or dropped since the last `settle`.

        They are more than those: a text that leads to one more page may tell the others no longer.
        """
        fresh = select(LinkTextRow.text_key).where(LinkTextRow.site_id == site_id, LinkTextRow.fresh)
        pages = select(LinkTextRow.url_key).where(LinkTextRow.site_id == site_id, LinkTextRow.text_key.in_(fresh))
        return list(
            self.session.scalars(
                select(ContentRow.url_key)
                .where(ContentRow.site_id == site_id, ContentRow.indexed, ContentRow.url_key.in_(pages))
                .order_by(ContentRow.url_key)
            )
        )

    def settle(self, site_id: int) -> None:
        """Note that the index was told of all texts; delete those that were dropped."""
        chosen = (LinkTextRow.site_id == site_id, LinkTextRow.fresh)
        self.session.execute(delete(LinkTextRow).where(*chosen, LinkTextRow.source.is_(None)))
        self.session.execute(update(LinkTextRow).where(*chosen).values(fresh=False))


def _again(new: object) -> dict[str, object]:
    return {name: getattr(new, name) for name in ("text", "source", "fresh")}


def _parts(keys: list[int]) -> Iterable[list[int]]:
    return (keys[i : i + CHUNK] for i in range(0, len(keys), CHUNK))
