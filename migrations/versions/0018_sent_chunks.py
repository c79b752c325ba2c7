"""The chunks of pages that sinks and exports have.

Revision: 0018.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "sent_chunks",
        sa.Column("reader", sa.String(80), nullable=False),
        sa.Column("site_id", KEY, autoincrement=False, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("site", sa.String(300), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("made_of", sa.String(32), nullable=False),
        sa.Column("chunks", JSON, nullable=False),
        sa.Column("gone", JSON, nullable=True),
        sa.PrimaryKeyConstraint("reader", "site_id", "url_key", name=op.f("pk_sent_chunks")),
    )


def downgrade() -> None:
    op.drop_table("sent_chunks")
