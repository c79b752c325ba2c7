"""Which sitemap or feed gave the date of a page.

Revision: 0022.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("page", sa.Column("lastmod_source", KEY, nullable=True))
    condition = sa.text("lastmod_source IS NOT NULL")
    op.create_index(
        *("ix_page_lastmod", "page", ["site_id", "lastmod_source"]), postgresql_where=condition, sqlite_where=condition
    )


def downgrade() -> None:
    op.drop_index("ix_page_lastmod", "page")
    op.drop_column("page", "lastmod_source")
