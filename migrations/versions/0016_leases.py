"""The epoch of a lease, the pause of a site, and indexes of the sites that are due and of those that are leased.

Revision: 0016.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("site", sa.Column("lease_epoch", KEY, server_default="0", nullable=False))
    op.add_column("site", sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_index("ix_site_due", table_name="site")
    due = sa.text("next_crawl_at IS NOT NULL AND lease_owner IS NULL AND paused_at IS NULL")
    leased = sa.text("lease_owner IS NOT NULL")
    op.create_index("ix_site_due", "site", ["next_crawl_at"], postgresql_where=due, sqlite_where=due)
    op.create_index("ix_site_leased", "site", ["leased_until"], postgresql_where=leased, sqlite_where=leased)


def downgrade() -> None:
    op.drop_index("ix_site_leased", table_name="site")
    op.drop_index("ix_site_due", table_name="site")
    op.drop_column("site", "paused_at")
    op.drop_column("site", "lease_epoch")
    due = sa.text("next_crawl_at IS NOT NULL")
    op.create_index("ix_site_due", "site", ["next_crawl_at"], postgresql_where=due, sqlite_where=due)
