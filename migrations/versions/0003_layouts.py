"""a template for each layout of a site.

Revision: 0003. The counts learned so far become layout 1.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
HEAD = (
    ("version", sa.Integer(), False),
    ("label_rule", sa.SmallInteger(), False),
    ("pages_seen", sa.Integer(), False),
    ("stable_since", sa.Integer(), True),
    ("novelty", sa.Double(), False),
)
COUNTS = {
    "template_node": (
        ("key",),
        (
            ("parent", KEY),
            ("depth", sa.SmallInteger()),
            ("label", sa.String(length=120)),
            ("pages", sa.Integer()),
            ("nodes", KEY),
            ("variants", sa.Integer()),
            ("chars", KEY),
            ("link_chars", KEY),
            ("last_page", sa.Integer()),
        ),
    ),
    "template_style": (("node", "style"), (("pages", sa.Integer()),)),
    "template_path": (
        ("key",),
        (("path", sa.Text()), ("content_pages", sa.Integer()), ("noise_pages", sa.Integer())),
    ),
    "template_block": (("path", "block"), (("pages", sa.Integer()), ("features", sa.LargeBinary()))),
}
TABLES = ("template", *COUNTS)


def upgrade() -> None:
    _set_aside()
    _create(layouts=True)
    _bring_back("layout", "1")
    op.add_column("page", sa.Column("layout", sa.SmallInteger(), nullable=True))
    op.add_column("body", sa.Column("previous", sa.LargeBinary(), nullable=True))
    op.execute(
        "UPDATE page SET layout = 1 WHERE status IN (1, 2)"
        " AND EXISTS (SELECT 1 FROM template WHERE template.site_id = page.site_id)"
    )


def downgrade() -> None:
    op.drop_column("body", "previous")
    op.drop_column("page", "layout")
    newest = "SELECT coalesce(max(layout), 0) FROM template AS head WHERE retired_at IS NULL AND head.site_id"
    for table in reversed(TABLES):  # one layout is left: the newest that is in use
        op.execute(f"DELETE FROM {table} WHERE layout <> ({newest} = {table}.site_id)")  # noqa: S608
    _set_aside()
    _create(layouts=False)
    _bring_back()


def _set_aside() -> None:
    """Keys and references change, which SQLite cannot do in place."""
    for table in TABLES:
        op.execute(f"CREATE TABLE before_{table} AS SELECT * FROM {table}")  # noqa: S608
    for table in reversed(TABLES):
        op.drop_table(table)


def _bring_back(more: str = "", value: str = "") -> None:
    for table in TABLES:
        names = [name for name, *_ in HEAD] + ["updated_at"]
        if table != "template":
            keys, columns = COUNTS[table]
            names = [*keys, *(name for name, _ in columns)]
        columns_named = ", ".join(["site_id", *names])
        into = f"{columns_named}, {more}" if more else columns_named
        chosen = f"{columns_named}, {value}" if more else columns_named
        op.execute(f"INSERT INTO {table} ({into}) SELECT {chosen} FROM before_{table}")  # noqa: S608
        op.drop_table(f"before_{table}")


def _create(layouts: bool) -> None:
    lead = ("site_id", "layout") if layouts else ("site_id",)
    more = [sa.Column("crawl_id", KEY, nullable=True)] if layouts else []
    end = [sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True)] if layouts else []
    op.create_table(
        "template",
        sa.Column("site_id", KEY, nullable=False),
        *_layout(layouts),
        *(sa.Column(name, kind, nullable=nullable) for name, kind, nullable in HEAD),
        *more,
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        *end,
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_template_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint(*lead, name=op.f("pk_template")),
    )
    for table, (keys, columns) in COUNTS.items():
        op.create_table(
            table,
            sa.Column("site_id", KEY, nullable=False),
            *_layout(layouts),
            *(sa.Column(name, KEY, autoincrement=False, nullable=False) for name in keys),
            *(sa.Column(name, kind, nullable=False) for name, kind in columns),
            sa.ForeignKeyConstraint(
                lead,
                [f"template.{name}" for name in lead],
                name=op.f(f"fk_{table}_{'_'.join(lead)}_template"),
                ondelete="CASCADE",
            ),
            sa.PrimaryKeyConstraint("site_id", *lead[1:], *keys, name=op.f(f"pk_{table}")),
            sqlite_with_rowid=False,
        )


def _layout(layouts: bool) -> list[sa.Column[int]]:
    return [sa.Column("layout", sa.SmallInteger(), autoincrement=False, nullable=False)] if layouts else []
