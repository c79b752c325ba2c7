"""what is remembered of a page's visits, to plan the next one.

Revision: 0004.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

FIGURES = ("comparisons", "changes", "changed_seconds", "unchanged_seconds")
COUNTS = ("streak", "misses")


def upgrade() -> None:
    op.add_column("page", sa.Column("next_reason", sa.Text(), nullable=True))
    op.add_column("page", sa.Column("visited_at", sa.DateTime(timezone=True), nullable=True))
    for name in FIGURES:
        op.add_column("page", sa.Column(name, sa.Double(), server_default="0", nullable=False))
    for name in COUNTS:
        op.add_column("page", sa.Column(name, sa.SmallInteger(), server_default="0", nullable=False))
    # Pages of earlier versions have no plan: they are due at once, and their sites with them.
    op.execute("UPDATE page SET visited_at = fetched_at, next_fetch_at = fetched_at WHERE status = 1")
    op.execute(
        "UPDATE site SET next_crawl_at = (SELECT min(next_fetch_at) FROM page WHERE page.site_id = site.id)"
        " WHERE next_crawl_at IS NULL"
    )


def downgrade() -> None:
    for name in (*COUNTS, *FIGURES, "visited_at", "next_reason"):
        op.drop_column("page", name)
