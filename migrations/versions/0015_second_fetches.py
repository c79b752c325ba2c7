"""Pages that were fetched twice in one crawl, and what is volatile in a layout by them.

Revision: 0015.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.add_column("template", sa.Column("volatile", JSON, nullable=True))
    op.create_table(
        "second_fetch",
        sa.Column("site_id", KEY, autoincrement=False, nullable=False),
        sa.Column("layout", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("crawl_id", KEY, nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("difference", JSON, nullable=True),
        sa.ForeignKeyConstraint(
            ["site_id"], ["site.id"], name=op.f("fk_second_fetch_site_id_site"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("site_id", "layout", "url_key", name=op.f("pk_second_fetch")),
    )


def downgrade() -> None:
    op.drop_table("second_fetch")
    op.drop_column("template", "volatile")
