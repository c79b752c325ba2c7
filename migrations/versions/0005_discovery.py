"""near-duplicates: bands of the simhash; sitemaps and feeds with their validators, and the dates they give pages.

Revision: 0005.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BANDS = ("band1", "band2", "band3", "band4")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

CONTENT = sa.table("content", *map(sa.column, ("simhash", "duplicate_of", "text", *BANDS)))


def upgrade() -> None:
    op.add_column("page", sa.Column("lastmod", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "source",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("parent", KEY, nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("pages", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_source_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_source")),
        sqlite_with_rowid=False,
    )
    for i, name in enumerate(BANDS):
        op.add_column("content", sa.Column(name, sa.Integer(), nullable=True))
        # Shifts of what is stored signed fill up with ones; the mask takes them off.
        band = sa.literal_column(f"(simhash >> {16 * i}) & 65535")
        op.execute(
            sa.update(CONTENT)
            .where(
                CONTENT.c.simhash.is_not(None), CONTENT.c.duplicate_of.is_(None), sa.func.length(CONTENT.c.text) > 99
            )
            .values({name: band})
        )
    for name, column, *after in (("duplicate", "duplicate_of"), *((band, band, "url_key") for band in BANDS)):
        op.create_index(
            f"ix_content_{name}",
            "content",
            ["site_id", column, *after],
            unique=False,
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
            sqlite_where=sa.text(f"{column} IS NOT NULL"),
        )


def downgrade() -> None:
    for name in ("duplicate", *BANDS):
        op.drop_index(f"ix_content_{name}", "content")
    for name in BANDS:
        op.drop_column("content", name)
    op.drop_table("source")
    op.drop_column("page", "lastmod")
