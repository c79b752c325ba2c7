"""robots.txt as it was last read, for the time when it cannot be.

Revision: 0010.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "robots",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_robots_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "host", name=op.f("pk_robots")),
    )


def downgrade() -> None:
    op.drop_table("robots")
