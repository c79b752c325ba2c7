"""Templates of sites: rows of counts per layout, to which deltas are added."""

import datetime as dt
from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, delete, func, select, update

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.dom.text import printable
from sitecrawl.errors import LabelRuleError
from sitecrawl.slices import slices
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, Update, upsert
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.tables.base import AnyTable
from sitecrawl.storage.tables.models import (
    LABEL_LENGTH,
    SECOND_FETCH,
    SITE,
    TEMPLATE,
    TEMPLATE_BLOCK,
    TEMPLATE_NODE,
    TEMPLATE_PATH,
    TEMPLATE_STYLE,
)
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges
from sitecrawl.templates.decision_records import from_record, to_record
from sitecrawl.templates.volatile_records import volatile_of, volatile_record

_Change = TypeVar("_Change", NodeChange, StyleChange, PathChange, BlockChange)
_ADDED: Final = ("pages", "nodes", "variants", "chars", "link_chars")
CHUNK: Final = 500
"""Maximum keys of dropped rows in one statement [OWN]."""


class LayoutHead(NamedTuple):
    """One layout of a site, which some of its pages have or had."""

    layout: int
    version: int
    """Last published version; versions are numbered over all layouts of a site."""
    label_rule: int
    pages_seen: int
    stable_since: int | None
    novelty: float
    crawl_id: int | None
    """Crawl that published it first."""
    updated_at: dt.datetime
    retired_at: dt.datetime | None
    """Time at which its counts were dropped, because no page had this layout any more; None if it is in use."""
    decision: dict[str, object] | None
    """The decision of the layout (`templates.decision_records`)."""
    volatile: dict[str, object] | None = None
    """The volatile places of the layout (`templates.volatile_records`)."""


class TemplateRepository:
    """Reads and writes the template tables."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def layouts(self, site_id: int) -> list[LayoutHead]:
        """Return all layouts of a site by number, retired ones included."""
        columns = [TEMPLATE.c[name] for name in LayoutHead._fields]
        rows = self.session.execute(select(*columns).where(TEMPLATE.c.site_id == site_id).order_by(TEMPLATE.c.layout))
        return [LayoutHead(*row) for row in rows]

    def load(self, site_id: int, layout: int) -> TemplateChanges | None:
        """Return a stored template as one change; None if the site has none for this layout.

        Raises LabelRuleError if it was counted under another label rule.
        """
        head = next((head for head in self.layouts(site_id) if head.layout == layout), None)
        return self.template(site_id, head) if head is not None else None

    def template(self, site_id: int, head: LayoutHead) -> TemplateChanges | None:
        """Return the stored template of a layout that `layouts` returned, as `load` does; None if it is retired."""
        if head.retired_at is not None:
            return None
        if head.label_rule != LABEL_RULE:
            host = self.session.scalar(select(SITE.c.host).where(SITE.c.id == site_id))
            raise LabelRuleError(
                f"{host}: the template was learned by label rule {head.label_rule}, this version has {LABEL_RULE};"
                f" run: sitecrawl reextract {host}"
            )
        order = (TEMPLATE_NODE.c.depth, TEMPLATE_NODE.c.pages.desc(), TEMPLATE_NODE.c.key)
        where = (site_id, head.layout)
        return TemplateChanges(
            layout=head.layout,
            version=head.version,
            pages=head.pages_seen,
            novelty=head.novelty,
            stable_since=head.stable_since,
            nodes=self._rows(TEMPLATE_NODE, NodeChange, where, *order),
            styles=self._rows(TEMPLATE_STYLE, StyleChange, where),
            paths=self._rows(TEMPLATE_PATH, PathChange, where),
            blocks=self._rows(TEMPLATE_BLOCK, BlockChange, where),
            decision=from_record(head.decision),
            volatile=volatile_of(head.volatile),
        )

    def _rows(
        self, table: AnyTable, change: type[_Change], layout_of_site: tuple[int, int], *order: ColumnElement[int]
    ) -> tuple[_Change, ...]:
        """Return the rows of a layout as changes, whose fields are columns."""
        site_id, layout = layout_of_site
        columns = (table.c[name] for name in change._fields)
        rows = self.session.execute(
            select(*columns).where(table.c.site_id == site_id, table.c.layout == layout).order_by(*order)
        )
        return tuple(change._make(row) for row in rows)

    def add(self, site_id: int, changes: TemplateChanges, now: dt.datetime, *, crawl_id: int | None = None) -> None:
        """Add the deltas of a change to its layout; create a new layout, and delete rows that were dropped."""
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
            "volatile": volatile_record(changes.volatile) if changes.volatile else None,
        }
        upsert(
            self.session,
            TEMPLATE,
            [head],
            ["site_id", "layout"],
            _published,
        )
        for keys in slices(changes.dropped, CHUNK):
            for table, column in (
                (TEMPLATE_NODE, TEMPLATE_NODE.c.key),
                (TEMPLATE_STYLE, TEMPLATE_STYLE.c.node),
            ):
                self.session.execute(
                    delete(table).where(table.c.site_id == site_id, table.c.layout == layout, column.in_(keys))
                )
        self._add_nodes(site_id, changes)
        styles = [{**key, **style._asdict()} for style in changes.styles]
        upsert(
            self.session,
            TEMPLATE_STYLE,
            styles,
            ["site_id", "layout", "node", "style"],
            _style_counted,
        )
        paths = [{**key, **path._asdict(), "path": printable(path.path)} for path in changes.paths]
        upsert(
            self.session,
            TEMPLATE_PATH,
            paths,
            ["site_id", "layout", "key"],
            _path_counted,
        )
        blocks = [{**key, **block._asdict()} for block in changes.blocks]
        upsert(
            self.session,
            TEMPLATE_BLOCK,
            blocks,
            ["site_id", "layout", "path", "block"],
            _block_counted,
        )

    def _add_nodes(self, site_id: int, changes: TemplateChanges) -> None:
        key = {"site_id": site_id, "layout": changes.layout}
        nodes = [{**key, **node._asdict(), "label": printable(node.label)[:LABEL_LENGTH]} for node in changes.nodes]
        upsert(
            self.session,
            TEMPLATE_NODE,
            nodes,
            ["site_id", "layout", "key"],
            _node_counted(self.session.get_bind().dialect.name),
        )

    def replace(self, site_id: int, templates: Collection[TemplateChanges], now: dt.datetime) -> None:
        """Replace all templates of a site with newly learned ones; no page counts as learned any more."""
        heads = {head.layout: head.crawl_id for head in self.layouts(site_id) if head.retired_at is None}
        self.retire(site_id, heads, now)
        self.session.execute(
            delete(TEMPLATE).where(
                TEMPLATE.c.site_id == site_id, TEMPLATE.c.layout.in_([one.layout for one in templates])
            )
        )
        for one in templates:
            self.add(site_id, one, now, crawl_id=heads.get(one.layout))
        PageRepository(self.session).forget_learned(site_id)

    def retire(self, site_id: int, layouts: Collection[int], now: dt.datetime) -> None:
        """Drop the counts of layouts; the rest of the row keeps their numbers from being reused."""
        chosen = sorted(layouts)
        for table in (TEMPLATE_BLOCK, TEMPLATE_PATH, TEMPLATE_STYLE, TEMPLATE_NODE, SECOND_FETCH):
            self.session.execute(delete(table).where(table.c.site_id == site_id, table.c.layout.in_(chosen)))
        self.session.execute(
            update(TEMPLATE)
            .where(TEMPLATE.c.site_id == site_id, TEMPLATE.c.layout.in_(chosen), TEMPLATE.c.retired_at.is_(None))
            .values(retired_at=now)
        )

    def forget(self, site_id: int) -> None:
        """Delete the templates of a site; its pages will be learned again."""
        for table in (TEMPLATE_BLOCK, TEMPLATE_PATH, TEMPLATE_STYLE, TEMPLATE_NODE, SECOND_FETCH, TEMPLATE):
            self.session.execute(delete(table).where(table.c.site_id == site_id))
        LayoutRepository(self.session).clear(site_id)


# The updates of the upserts are module-level functions, because one statement is built per function.


def _published(new: Excluded) -> dict[str, object]:
    values = {name: new[name] for name in ("version", "stable_since", "novelty", "updated_at", "decision", "volatile")}
    return {**values, "pages_seen": TEMPLATE.c.pages_seen + new.pages_seen}


@cache
def _node_counted(dialect: str) -> Update:
    greatest = func.greatest if dialect == "postgresql" else func.max

    def counted(new: Excluded) -> dict[str, object]:
        added = {name: TEMPLATE_NODE.c[name] + new[name] for name in _ADDED}
        return {**added, "last_page": greatest(TEMPLATE_NODE.c.last_page, new.last_page)}

    return counted


def _style_counted(new: Excluded) -> dict[str, object]:
    return {"pages": TEMPLATE_STYLE.c.pages + new.pages}


def _path_counted(new: Excluded) -> dict[str, object]:
    return {name: TEMPLATE_PATH.c[name] + new[name] for name in ("content_pages", "noise_pages")}


def _block_counted(new: Excluded) -> dict[str, object]:
    return {"pages": TEMPLATE_BLOCK.c.pages + new.pages}
