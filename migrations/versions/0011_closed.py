"""Places that are closed as traps, dead links told from deletions, and dates that are no validators forgotten.

Revision: 0011.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DEAD_LINKS = (
    "UPDATE page SET status = 7, reason = 'a dead link: no page was ever found there' WHERE status = 5 AND"
    " NOT EXISTS (SELECT 1 FROM content c WHERE c.site_id = page.site_id AND c.url_key = page.url_key)"
)
"""5 is gone, 7 a dead link."""


def upgrade() -> None:
    op.create_table(
        "closed",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("key", KEY, autoincrement=False, nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_closed_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "key", name=op.f("pk_closed")),
        sqlite_with_rowid=False,
    )
    op.execute(DEAD_LINKS)
    # They were kept unchecked: the next fetch of each page without an ETag is a whole one, and keeps them if they hold.
    op.execute("UPDATE page SET last_modified = NULL WHERE last_modified IS NOT NULL")
    op.execute("UPDATE source SET last_modified = NULL WHERE last_modified IS NOT NULL")


def downgrade() -> None:
    op.execute("UPDATE page SET status = 5 WHERE status = 7")
    op.drop_table("closed")
