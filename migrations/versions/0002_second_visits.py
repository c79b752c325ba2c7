"""what a second visit needs: strikes, validators in use, pending deletions, the links of a page.

Revision: 0002.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("page", sa.Column("strikes", sa.SmallInteger(), server_default="0", nullable=False))
    op.add_column("page", sa.Column("fetches", sa.Integer(), server_default="0", nullable=False))
    op.add_column("page", sa.Column("not_modified", sa.SmallInteger(), server_default="0", nullable=False))
    op.add_column("page", sa.Column("deletion", KEY, nullable=True))
    op.create_index(
        "ix_page_deletion",
        "page",
        ["site_id", "deletion"],
        unique=False,
        postgresql_where=sa.text("deletion IS NOT NULL"),
        sqlite_where=sa.text("deletion IS NOT NULL"),
    )
    op.create_table(
        "links",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("keys", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "url_key"],
            ["page.site_id", "page.url_key"],
            name=op.f("fk_links_site_id_url_key_page"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_links")),
    )
    op.add_column("content", sa.Column("indexed", sa.Boolean(), server_default=sa.true(), nullable=False))
    # Until now everything but what forbade it was queued for the index.
    op.execute(
        "UPDATE content SET indexed = false WHERE EXISTS (SELECT 1 FROM page WHERE page.site_id = content.site_id"
        " AND page.url_key = content.url_key AND page.reason = 'noindex')"
    )
    op.execute("UPDATE page SET fetches = 1 WHERE fetched_at IS NOT NULL")


def downgrade() -> None:
    op.drop_column("content", "indexed")
    op.drop_table("links")
    op.drop_index(
        "ix_page_deletion",
        "page",
        postgresql_where=sa.text("deletion IS NOT NULL"),
        sqlite_where=sa.text("deletion IS NOT NULL"),
    )
    for name in ("deletion", "not_modified", "fetches", "strikes"):
        op.drop_column("page", name)
