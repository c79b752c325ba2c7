"""search: the outbox for several sinks, and the built-in search.

Revision: 0006.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

FTS5 = """
CREATE VIRTUAL TABLE search_text USING fts5(
    title, description, anchors, text,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
)
"""
"""Marks count as letters: without them every vowel sign of Hindi or Thai would end a word."""


def _key() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"


def upgrade() -> None:
    op.execute("CREATE TABLE outbox_kept AS SELECT site_id, url_key, operation, revision, queued_at FROM outbox")
    op.drop_table("outbox")
    op.create_table(
        "outbox",
        sa.Column("site_id", _key(), autoincrement=False, nullable=False),
        sa.Column("url_key", _key(), autoincrement=False, nullable=False),
        sa.Column("operation", sa.SmallInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("numbered", sa.Integer(), server_default="0", nullable=False),
        sa.Column("sequence", _key(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_outbox")),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO outbox (site_id, url_key, operation, revision, queued_at)"
        " SELECT site_id, url_key, operation, revision, queued_at FROM outbox_kept"
    )
    op.drop_table("outbox_kept")
    op.create_index("ix_outbox_sequence", "outbox", ["sequence"])
    changed = sa.text("numbered <> revision")
    op.create_index("ix_outbox_unnumbered", "outbox", ["queued_at"], postgresql_where=changed, sqlite_where=changed)
    op.create_table(
        "outbox_clock",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("last", _key(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox_clock")),
    )
    op.execute("INSERT INTO outbox_clock (id, last) VALUES (1, 0)")
    op.create_table(
        "sink",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("sequence", _key(), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sink")),
    )
    op.create_table(
        "rejection",
        sa.Column("sink", sa.String(length=64), nullable=False),
        sa.Column("site_id", _key(), autoincrement=False, nullable=False),
        sa.Column("url_key", _key(), autoincrement=False, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("rejected_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["sink"], ["sink.name"], name=op.f("fk_rejection_sink_sink"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sink", "site_id", "url_key", name=op.f("pk_rejection")),
        sqlite_with_rowid=False,
    )
    due = sa.text("retry_at IS NOT NULL")
    op.create_index("ix_rejection_retry", "rejection", ["sink", "retry_at"], postgresql_where=due, sqlite_where=due)
    _create_search()


def _create_search() -> None:
    op.create_table(
        "search",
        sa.Column("id", _key(), sa.Identity(always=False), nullable=False),
        sa.Column("site_id", _key(), nullable=False),
        sa.Column("url_key", _key(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=True),
        sa.Column("dated", sa.Date(), nullable=False),
        sa.Column("config", sa.String(length=32), nullable=False),
        sa.Column("vector", postgresql.TSVECTOR().with_variant(sa.Text(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(
            ["site_id", "url_key"],
            ["content.site_id", "content.url_key"],
            name=op.f("fk_search_site_id_url_key_content"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_index("ix_search_page", "search", ["site_id", "url_key"], unique=True)
    op.create_index("ix_search_config", "search", ["config"])
    op.create_index(
        "ix_search_vector", "search", ["vector"], postgresql_using="gin", sqlite_where=sa.text("vector IS NOT NULL")
    )
    if _is_sqlite():
        op.execute(FTS5)
        op.execute("INSERT INTO search_text (search_text, rank) VALUES ('rank', 'bm25(8.0, 2.0, 4.0, 1.0)')")
        op.execute(
            "CREATE TRIGGER search_removed AFTER DELETE ON search BEGIN"
            " DELETE FROM search_text WHERE rowid = old.id; END"
        )


def downgrade() -> None:
    if _is_sqlite():
        op.execute("DROP TABLE search_text")
    op.drop_table("search")
    op.drop_table("rejection")
    op.drop_table("sink")
    op.drop_table("outbox_clock")
    op.execute(
        "CREATE TABLE outbox_kept AS SELECT site_id, url_key, operation, revision, queued_at FROM outbox"
        " WHERE site_id IN (SELECT id FROM site)"
    )
    op.drop_table("outbox")
    op.create_table(
        "outbox",
        sa.Column("site_id", _key(), nullable=False),
        sa.Column("url_key", _key(), autoincrement=False, nullable=False),
        sa.Column("operation", sa.SmallInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_outbox_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_outbox")),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO outbox SELECT site_id, url_key, operation, revision, queued_at FROM outbox_kept")
    op.drop_table("outbox_kept")
    op.create_index("ix_outbox_queued", "outbox", ["queued_at"])
