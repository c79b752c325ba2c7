"""The built-in search in PostgreSQL: `search.vector` under a GIN index.

A page is stemmed by its own language, so a query is made once for each language of the database.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Select, and_, case, cast, func, or_, select, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from sitecrawl.storage.languages import CONFIGS, PLAIN
from sitecrawl.storage.models import SearchRow
from sitecrawl.storage.terms import ANY, Clause, Query, Width, widened

MAX_BYTES: Final = 300_000
"""Bytes of the terms of a page's text that are kept: a tsvector holds a megabyte, and more is an error."""
MAX_SHORT_BYTES: Final = 5_000
"""The same for title, description and anchors, each."""
WEIGHTS: Final = "{0.1, 0.2, 0.4, 1.0}"
"""Of text (D), description (C), anchors (B) and title (A): the default of ts_rank."""
BY_LENGTH: Final = 1
"""Normalisation of ts_rank: divide by 1 + the logarithm of the length."""
_WRITE: Final = text(
    "UPDATE search SET vector ="
    " setweight(to_tsvector(CAST(:config AS regconfig), :title), 'A') ||"
    " setweight(to_tsvector(CAST(:config AS regconfig), :anchors), 'B') ||"
    " setweight(to_tsvector(CAST(:config AS regconfig), :description), 'C') ||"
    " to_tsvector(CAST(:config AS regconfig), :text)"
    " WHERE id = :number"
)
_PRESENT: Final = text(
    "SELECT config FROM unnest(CAST(:configs AS text[])) AS config"
    " WHERE EXISTS (SELECT 1 FROM search WHERE search.config = config.config)"
)


def write(session: Session, number: int, config: str, fields: Sequence[str]) -> None:
    """Replace the terms of a page: of its title, description, anchors and text."""
    title, description, anchors = (_cut(field, MAX_SHORT_BYTES) for field in fields[:3])
    session.execute(
        _WRITE,
        {
            **{"number": number, "config": config, "title": title, "description": description},
            **{"anchors": anchors, "text": _cut(fields[3], MAX_BYTES)},
        },
    )


def matching(session: Session, query: Query, wide: Width) -> Select[Any] | None:
    """Return a statement for the pages that match, best first; its column is the score.

    None when the query is empty in all languages, as one of stop words is.
    """
    expression = (" | " if wide in ANY else " & ").join(map(_phrase, widened(query, wide)))
    configs = [*sorted(set(CONFIGS.values())), PLAIN]
    queries: dict[str, str] = {}
    for config in session.scalars(_PRESENT, {"configs": configs}).all():
        made = session.scalar(
            text("SELECT CAST(to_tsquery(CAST(:config AS regconfig), :expression) AS text)"),
            {"config": config, "expression": expression},
        )
        if made:
            queries[config] = made
    if not queries:
        return None
    rank = func.ts_rank if wide in ANY else func.ts_rank_cd
    parsed = {config: cast(made, TSQUERY) for config, made in queries.items()}
    score = case(
        *(
            (SearchRow.config == config, rank(text(f"'{WEIGHTS}'"), SearchRow.vector, one, BY_LENGTH))
            for config, one in parsed.items()
        )
    ).label("score")
    matches = or_(
        *(and_(SearchRow.config == config, SearchRow.vector.bool_op("@@")(one)) for config, one in parsed.items())
    )
    return select(score).select_from(SearchRow).where(matches).order_by(score.desc(), SearchRow.id)


def _phrase(clause: Clause) -> str:
    """Return a clause as to_tsquery reads it; terms hold letters, digits and marks only."""
    parts = [f"'{term}'" for term in clause.terms]
    if clause.prefix:
        parts[-1] += ":*"
    return f"({' <-> '.join(parts)})"


def _cut(terms: str, size: int) -> str:
    raw = terms.encode()
    return terms if len(raw) <= size else raw[:size].decode("utf-8", "ignore").rpartition(" ")[0]
