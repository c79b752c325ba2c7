"""Templates of sites: rows of counts, to which deltas are added."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.dom.text import printable
from sitecrawl.errors import LabelRuleError
from sitecrawl.storage.models import (
    LABEL_LENGTH,
    SiteRow,
    TemplateBlockRow,
    TemplateNodeRow,
    TemplatePathRow,
    TemplateRow,
    TemplateStyleRow,
)
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.upsert import upsert
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges

_ADDED: Final = ("pages", "nodes", "variants", "chars", "link_chars")
CHUNK: Final = 500


class TemplateRepository:
    """Reads and writes the template tables."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def load(self, site_id: int) -> TemplateChanges | None:
        """Return the stored template as one change, None when the site has none.

        Raises LabelRuleError when it was counted under another label rule.
        """
        head = self.session.get(TemplateRow, site_id)
        if head is None:
            return None
        if head.label_rule != LABEL_RULE:
            host = self.session.scalar(select(SiteRow.host).where(SiteRow.id == site_id))
            raise LabelRuleError(
                f"{host}: the template was learned by label rule {head.label_rule}, this version has {LABEL_RULE};"
                f" run: sitecrawl template forget {host}"
            )
        order = (TemplateNodeRow.depth, TemplateNodeRow.pages.desc(), TemplateNodeRow.key)
        return TemplateChanges(
            version=head.version,
            pages=head.pages_seen,
            novelty=head.novelty,
            stable_since=head.stable_since,
            nodes=tuple(
                NodeChange(*(getattr(row, name) for name in NodeChange._fields))
                for row in self._rows(TemplateNodeRow, site_id, *order)
            ),
            styles=tuple(StyleChange(row.node, row.style, row.pages) for row in self._rows(TemplateStyleRow, site_id)),
            paths=tuple(
                PathChange(row.key, row.path, row.content_pages, row.noise_pages)
                for row in self._rows(TemplatePathRow, site_id)
            ),
            blocks=tuple(
                BlockChange(row.path, row.block, row.pages, row.features)
                for row in self._rows(TemplateBlockRow, site_id)
            ),
        )

    def _rows(self, table: Any, site_id: int, *order: Any) -> Any:
        return self.session.scalars(select(table).where(table.site_id == site_id).order_by(*order))

    def add(self, site_id: int, changes: TemplateChanges, now: dt.datetime) -> None:
        """Add deltas; rows that are no longer kept are deleted."""
        head = {
            "site_id": site_id,
            "version": changes.version,
            "label_rule": LABEL_RULE,
            "pages_seen": changes.pages,
            "stable_since": changes.stable_since,
            "novelty": changes.novelty,
            "updated_at": now,
        }
        upsert(
            self.session,
            TemplateRow,
            [head],
            ["site_id"],
            lambda new: {
                "version": new.version,
                "pages_seen": TemplateRow.pages_seen + new.pages_seen,
                "stable_since": new.stable_since,
                "novelty": new.novelty,
                "updated_at": new.updated_at,
            },
        )
        for i in range(0, len(changes.dropped), CHUNK):
            keys = changes.dropped[i : i + CHUNK]
            for table, column in (
                (TemplateNodeRow, TemplateNodeRow.key),
                (TemplateStyleRow, TemplateStyleRow.node),
            ):
                self.session.execute(delete(table).where(table.site_id == site_id, column.in_(keys)))
        self._add_nodes(site_id, changes)
        styles = [{"site_id": site_id, **style._asdict()} for style in changes.styles]
        upsert(
            self.session,
            TemplateStyleRow,
            styles,
            ["site_id", "node", "style"],
            lambda new: {"pages": TemplateStyleRow.pages + new.pages},
        )
        paths = [{"site_id": site_id, **path._asdict(), "path": printable(path.path)} for path in changes.paths]
        upsert(
            self.session,
            TemplatePathRow,
            paths,
            ["site_id", "key"],
            lambda new: {
                "content_pages": TemplatePathRow.content_pages + new.content_pages,
                "noise_pages": TemplatePathRow.noise_pages + new.noise_pages,
            },
        )
        blocks = [{"site_id": site_id, **block._asdict()} for block in changes.blocks]
        upsert(
            self.session,
            TemplateBlockRow,
            blocks,
            ["site_id", "path", "block"],
            lambda new: {"pages": TemplateBlockRow.pages + new.pages},
        )

    def _add_nodes(self, site_id: int, changes: TemplateChanges) -> None:
        nodes = [
            {"site_id": site_id, **node._asdict(), "label": printable(node.label)[:LABEL_LENGTH]}
            for node in changes.nodes
        ]
        greatest = func.greatest if self.session.get_bind().dialect.name == "postgresql" else func.max
        upsert(
            self.session,
            TemplateNodeRow,
            nodes,
            ["site_id", "key"],
            lambda new: {
                **{name: getattr(TemplateNodeRow, name) + new[name] for name in _ADDED},
                "last_page": greatest(TemplateNodeRow.last_page, new.last_page),
            },
        )

    def forget(self, site_id: int) -> None:
        """Delete the template of a site; its pages are to be learned again."""
        for table in (TemplateBlockRow, TemplatePathRow, TemplateStyleRow, TemplateNodeRow, TemplateRow):
            self.session.execute(delete(table).where(table.site_id == site_id))
        PageRepository(self.session).forget_learned(site_id)
