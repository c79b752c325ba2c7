"""The built-in search in PostgreSQL: `search.vector` under a GIN index.

A page is stemmed by its own language, so a query is built once for each language of the database.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import log
from operator import add
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, cast, func, or_, select, text
from sqlalchemy.dialects.postgresql import TSQUERY

from sitecrawl.storage.db.prepared import PreparedChange
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.search.languages import CONFIGS, PLAIN
from sitecrawl.storage.search.terms import ANY, Clause, Query, Width, widened
from sitecrawl.storage.tables.models import SEARCH

MAX_BYTES: Final = 300_000
"""Maximum bytes of the terms of a page's text: a tsvector of more than a megabyte is an error."""
MAX_SHORT_BYTES: Final = 5_000
"""The same for title, description and anchors, each."""
WEIGHTS: Final = "{0.1, 0.2, 0.4, 1.0}"
"""Weights of text (D), description (C), anchors (B) and title (A): the default of ts_rank."""
_WEIGHTS: Final = text(f"'{WEIGHTS}'")
PAIR: Final = 0.1
"""Weight of two neighbouring clauses on a page: as much as each once in its text."""
CANDIDATES: Final = 2000
"""Maximum pages examined for a query that no page matches completely."""
BY_LENGTH: Final = 1
"""Normalisation of ts_rank: divide by 1 + the logarithm of the length."""
_WRITE: Final = PreparedChange(
    text(
        "UPDATE search SET vector ="
        " setweight(to_tsvector(CAST(:config AS regconfig), :title), 'A') ||"
        " setweight(to_tsvector(CAST(:config AS regconfig), :anchors), 'B') ||"
        " setweight(to_tsvector(CAST(:config AS regconfig), :description), 'C') ||"
        " to_tsvector(CAST(:config AS regconfig), :text)"
        " WHERE id = :number"
    )
)
_PARSE: Final = text(
    "SELECT CAST(to_tsquery(CAST(:config AS regconfig), one.part) AS text)"
    " FROM unnest(CAST(:parts AS text[])) WITH ORDINALITY AS one (part, number) ORDER BY number"
)
_PRESENT: Final = text(
    "SELECT config FROM unnest(CAST(:configs AS text[])) AS config"
    " WHERE EXISTS (SELECT 1 FROM search WHERE search.config = config.config)"
)


def write(session: Session, number: int, config: str, fields: Sequence[str]) -> None:
    """Replace the terms of a page: of its title, description, anchors and text."""
    title, description, anchors = (_cut(field, MAX_SHORT_BYTES) for field in fields[:3])
    values = {
        **{"number": number, "config": config, "title": title, "description": description},
        **{"anchors": anchors, "text": _cut(fields[3], MAX_BYTES)},
    }
    _WRITE.run(session, values)


def matching(session: Session, query: Query, wide: Width) -> Select[float] | None:
    """Return a statement for the matching pages, best first; its column is the score.

    None if the query is empty in all languages, such as one of stop words.
    """
    clauses = widened(query, wide)
    configs = [*sorted(set(CONFIGS.values())), PLAIN]
    ranked = _any if wide in ANY else _all
    languages: dict[str, _Ranked] = {}
    for config in session.scalars(_PRESENT, {"configs": configs}).all():
        made = ranked(session, config, clauses)
        if made is not None:
            languages[config] = made
    if not languages:
        return None
    score = case(*((SEARCH.c.config == config, one.score) for config, one in languages.items())).label("score")
    matches = or_(*(and_(SEARCH.c.config == config, one.matches) for config, one in languages.items()))
    return select(score).select_from(SEARCH).where(matches).order_by(score.desc(), SEARCH.c.id)


class _Ranked(NamedTuple):
    """The matching pages of one language, with their scores."""

    matches: ColumnElement[bool]
    score: ColumnElement[float]


def _all(session: Session, config: str, clauses: Sequence[Clause]) -> _Ranked | None:
    """Return the pages that contain all clauses; those with the clauses close together rank higher."""
    (made,) = _parsed(session, config, [" & ".join(map(_phrase, clauses))])
    if made is None:
        return None
    return _Ranked(_holds(made), func.ts_rank_cd(_WEIGHTS, SEARCH.c.vector, made, BY_LENGTH))


def _any(session: Session, config: str, clauses: Sequence[Clause]) -> _Ranked | None:
    """Return the pages that contain a part of the clauses.

    Each clause is weighted by its rarity (inverse document frequency, Sparck Jones 1972), which PostgreSQL does not do.
    Two clauses that are neighbours in the query and on the page add to the score. Only pages with one of the rarest
    clauses are examined.
    """
    here = SEARCH.c.config == config
    beside = list(pairwise(clauses))
    parts = [*map(_phrase, clauses), *(f"{_phrase(one)} <-> {_phrase(other)}" for one, other in beside)]
    made = _parsed(session, config, parts)
    parsed = {clause: one for clause, one in zip(clauses, made, strict=False) if one is not None}
    if not parsed:
        return None
    counts = [select(func.count()).select_from(SEARCH).where(here, _holds(made)) for made in parsed.values()]
    total = select(func.count()).select_from(SEARCH).where(here)
    pages, *found = session.execute(select(*(one.scalar_subquery() for one in (total, *counts)))).one()
    rarity = {one: log(1 + pages / count) for one, count in zip(parsed, found, strict=True) if count}
    if not rarity:
        return None
    score = [rarity[one] * func.ts_rank(_WEIGHTS, SEARCH.c.vector, parsed[one], BY_LENGTH) for one in rarity]
    for (one, other), pair in zip(beside, made[len(clauses) :], strict=True):
        if pair is not None and one in rarity and other in rarity:
            score.append(case((_holds(pair), PAIR * (rarity[one] + rarity[other])), else_=0.0))
    rarest: list[ColumnElement[bool]] = []
    covered = 0
    for one, count in sorted(zip(parsed, found, strict=True), key=lambda pair: pair[1]):
        if count and (not rarest or covered + count <= CANDIDATES):
            rarest.append(_holds(parsed[one]))
            covered += count
    return _Ranked(or_(*rarest), reduce(add, score))


def _holds(query: ColumnElement[str]) -> ColumnElement[bool]:
    return SEARCH.c.vector.bool_op("@@")(query)


def _parsed(session: Session, config: str, parts: list[str]) -> list[ColumnElement[str] | None]:
    """Return expressions of the stems of one language; None for those with stop words only."""
    found = session.scalars(_PARSE, {"config": config, "parts": parts}).all()
    return [cast(one, TSQUERY) if one else None for one in found]


def _phrase(clause: Clause) -> str:
    """Return a clause in the syntax of to_tsquery; terms contain only letters, digits and marks."""
    parts = [f"'{term}'" for term in clause.terms]
    if clause.prefix:
        parts[-1] += ":*"
    return f"({' <-> '.join(parts)})"


def _cut(terms: str, size: int) -> str:
    raw = terms.encode()
    return terms if len(raw) <= size else raw[:size].decode("utf-8", "ignore").rpartition(" ")[0]
