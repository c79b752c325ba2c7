"""Templates of sites: rows of counts, to which deltas are added, apart for each layout of a site."""

import datetime as dt
from collections.abc import Collection
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, func, select, update

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.dom.text import printable
from sitecrawl.errors import LabelRuleError
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Update, upsert
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.tables.models import (
    LABEL_LENGTH,
    SiteRow,
    TemplateBlockRow,
    TemplateNodeRow,
    TemplatePathRow,
    TemplateRow,
    TemplateStyleRow,
)
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges
from sitecrawl.templates.decision_records import from_record, to_record

_ADDED: Final = ("pages", "nodes", "variants", "chars", "link_chars")
CHUNK: Final = 500


class LayoutHead(NamedTuple):
    """One layout of a site: a look that some of its pages have or had."""

    layout: int
    version: int
    """Version last published; versions of all layouts of a site are numbered together."""
    label_rule: int
    pages_seen: int
    stable_since: int | None
    novelty: float
    crawl_id: int | None
    """Crawl that published it first."""
    updated_at: dt.datetime
    retired_at: dt.datetime | None
    """When its counts were dropped because no page had this look any more."""
    decision: dict[str, Any] | None
    """What it has decided (`templates.decision_records`)."""


class TemplateRepository:
    """Reads and writes the template tables."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def layouts(self, site_id: int) -> list[LayoutHead]:
        """Return all layouts of a site by number, retired ones included."""
        columns = [getattr(TemplateRow, name) for name in LayoutHead._fields]
        rows = self.session.execute(select(*columns).where(TemplateRow.site_id == site_id).order_by(TemplateRow.layout))
        return [LayoutHead(*row) for row in rows]

    def load(self, site_id: int, layout: int = 1) -> TemplateChanges | None:
        """Return a stored template as one change, None when the site has none for this layout.

        Raises LabelRuleError when it was counted under another label rule.
        """
        head = next((head for head in self.layouts(site_id) if head.layout == layout), None)
        if head is None or head.retired_at is not None:
            return None
        if head.label_rule != LABEL_RULE:
            host = self.session.scalar(select(SiteRow.host).where(SiteRow.id == site_id))
            raise LabelRuleError(
                f"{host}: the template was learned by label rule {head.label_rule}, this version has {LABEL_RULE};"
                f" run: sitecrawl reextract {host}"
            )
        order = (TemplateNodeRow.depth, TemplateNodeRow.pages.desc(), TemplateNodeRow.key)
        where = (site_id, layout)
        return TemplateChanges(
            layout=layout,
            version=head.version,
            pages=head.pages_seen,
            novelty=head.novelty,
            stable_since=head.stable_since,
            nodes=tuple(NodeChange(*row) for row in self._rows(TemplateNodeRow, NodeChange, where, *order)),
            styles=tuple(StyleChange(*row) for row in self._rows(TemplateStyleRow, StyleChange, where)),
            paths=tuple(PathChange(*row) for row in self._rows(TemplatePathRow, PathChange, where)),
            blocks=tuple(BlockChange(*row) for row in self._rows(TemplateBlockRow, BlockChange, where)),
            decision=from_record(head.decision),
        )

    def _rows(self, table: Any, change: Any, where: tuple[int, int], *order: Any) -> Any:
        """Return the columns that are fields of `change`."""
        site_id, layout = where
        columns = (getattr(table, name) for name in change._fields)
        return self.session.execute(
            select(*columns).where(table.site_id == site_id, table.layout == layout).order_by(*order)
        )

    def add(self, site_id: int, changes: TemplateChanges, now: dt.datetime, *, crawl_id: int | None = None) -> None:
        """Add deltas to the layout they name, which is made if it is new; rows that are no longer kept are deleted."""
        layout = changes.layout
        key = {"site_id": site_id, "layout": layout}
        head = {
            **key,
            "crawl_id": crawl_id,
            "version": changes.version,
            "label_rule": LABEL_RULE,
            "pages_seen": changes.pages,
            "stable_since": changes.stable_since,
            "novelty": changes.novelty,
            "updated_at": now,
            "decision": to_record(changes.decision) if changes.decision is not None else None,
        }
        upsert(
            self.session,
            TemplateRow,
            [head],
            ["site_id", "layout"],
            _published,
        )
        for i in range(0, len(changes.dropped), CHUNK):
            keys = changes.dropped[i : i + CHUNK]
            for table, column in (
                (TemplateNodeRow, TemplateNodeRow.key),
                (TemplateStyleRow, TemplateStyleRow.node),
            ):
                self.session.execute(
                    delete(table).where(table.site_id == site_id, table.layout == layout, column.in_(keys))
                )
        self._add_nodes(site_id, changes)
        styles = [{**key, **style._asdict()} for style in changes.styles]
        upsert(
            self.session,
            TemplateStyleRow,
            styles,
            ["site_id", "layout", "node", "style"],
            _style_counted,
        )
        paths = [{**key, **path._asdict(), "path": printable(path.path)} for path in changes.paths]
        upsert(
            self.session,
            TemplatePathRow,
            paths,
            ["site_id", "layout", "key"],
            _path_counted,
        )
        blocks = [{**key, **block._asdict()} for block in changes.blocks]
        upsert(
            self.session,
            TemplateBlockRow,
            blocks,
            ["site_id", "layout", "path", "block"],
            _block_counted,
        )

    def _add_nodes(self, site_id: int, changes: TemplateChanges) -> None:
        key = {"site_id": site_id, "layout": changes.layout}
        nodes = [{**key, **node._asdict(), "label": printable(node.label)[:LABEL_LENGTH]} for node in changes.nodes]
        upsert(
            self.session,
            TemplateNodeRow,
            nodes,
            ["site_id", "layout", "key"],
            _node_counted(self.session.get_bind().dialect.name),
        )

    def replace(self, site_id: int, templates: Collection[TemplateChanges], now: dt.datetime) -> None:
        """Put templates that were learned anew in the place of all there are; no page counts as learned any more."""
        heads = {head.layout: head.crawl_id for head in self.layouts(site_id) if head.retired_at is None}
        self.retire(site_id, heads, now)
        self.session.execute(
            delete(TemplateRow).where(
                TemplateRow.site_id == site_id, TemplateRow.layout.in_([one.layout for one in templates])
            )
        )
        for one in templates:
            self.add(site_id, one, now, crawl_id=heads.get(one.layout))
        PageRepository(self.session).forget_learned(site_id)

    def retire(self, site_id: int, layouts: Collection[int], now: dt.datetime) -> None:
        """Drop the counts of layouts; what is left says that there was one, and keeps its numbers from being reused."""
        chosen = sorted(layouts)
        for table in (TemplateBlockRow, TemplatePathRow, TemplateStyleRow, TemplateNodeRow):
            self.session.execute(delete(table).where(table.site_id == site_id, table.layout.in_(chosen)))
        self.session.execute(
            update(TemplateRow)
            .where(TemplateRow.site_id == site_id, TemplateRow.layout.in_(chosen), TemplateRow.retired_at.is_(None))
            .values(retired_at=now)
        )

    def forget(self, site_id: int) -> None:
        """Delete the templates of a site; its pages are to be learned again."""
        for table in (TemplateBlockRow, TemplatePathRow, TemplateStyleRow, TemplateNodeRow, TemplateRow):
            self.session.execute(delete(table).where(table.site_id == site_id))
        LayoutRepository(self.session).clear(site_id)


# What an upsert sets where a row is there: functions that are kept, for a statement is made once for each.


def _published(new: Any) -> dict[str, Any]:
    values = {name: new[name] for name in ("version", "stable_since", "novelty", "updated_at", "decision")}
    return {**values, "pages_seen": TemplateRow.pages_seen + new.pages_seen}


@cache
def _node_counted(dialect: str) -> Update:
    greatest = func.greatest if dialect == "postgresql" else func.max

    def counted(new: Any) -> dict[str, Any]:
        added = {name: getattr(TemplateNodeRow, name) + new[name] for name in _ADDED}
        return {**added, "last_page": greatest(TemplateNodeRow.last_page, new.last_page)}

    return counted


def _style_counted(new: Any) -> dict[str, Any]:
    return {"pages": TemplateStyleRow.pages + new.pages}


def _path_counted(new: Any) -> dict[str, Any]:
    return {name: getattr(TemplatePathRow, name) + new[name] for name in ("content_pages", "noise_pages")}


def _block_counted(new: Any) -> dict[str, Any]:
    return {"pages": TemplateBlockRow.pages + new.pages}
