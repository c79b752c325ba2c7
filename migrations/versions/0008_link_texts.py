"""link texts: by what words links call a page; the language that a server declares; stems in the search of SQLite.

The search of SQLite is emptied; it is built anew by the next `search`.

Revision: 0008.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


FTS5 = """
CREATE VIRTUAL TABLE search_text USING fts5(
    title, description, anchors, text{config},
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
)
"""


RANK = "INSERT INTO search_text (search_text, rank) VALUES ('rank', 'bm25({weights})')"


def _renew_search(config: str, weights: str) -> None:
    if op.get_context().dialect.name == "sqlite":
        op.execute("DROP TABLE search_text")
        op.execute(FTS5.format(config=config))
        op.execute("DELETE FROM search")
        op.execute(RANK.format(weights=weights))


def upgrade() -> None:
    _renew_search(", config", "8.0, 2.0, 4.0, 1.0, 0.0")
    op.add_column("page", sa.Column("content_language", sa.Text(), nullable=True))
    op.add_column("content", sa.Column("anchors", JSON, nullable=True))
    op.create_table(
        "link_text",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("text_key", KEY, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("source", KEY, nullable=True),
        sa.Column("fresh", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_link_text_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", "text_key", name=op.f("pk_link_text")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_link_text_text", "link_text", ["site_id", "text_key", "source"])
    said = sa.text("source IS NOT NULL")
    columns = ["site_id", "source"]
    op.create_index("ix_link_text_source", "link_text", columns, postgresql_where=said, sqlite_where=said)
    fresh = sa.text("fresh")
    op.create_index("ix_link_text_fresh", "link_text", ["site_id"], postgresql_where=fresh, sqlite_where=fresh)


def downgrade() -> None:
    _renew_search("", "8.0, 2.0, 4.0, 1.0")
    op.drop_table("link_text")
    op.drop_column("content", "anchors")
    op.drop_column("page", "content_language")
