"""metadata: image and section of a page; how many pages of a site declare each value.

Revision: 0007.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("content", sa.Column("image", sa.Text(), nullable=True))
    op.add_column("content", sa.Column("section", sa.Text(), nullable=True))
    op.add_column("page", sa.Column("surveyed", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "site_value",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("field", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("value", KEY, autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_value_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "field", "value", name=op.f("pk_site_value")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("site_value")
    op.drop_column("page", "surveyed")
    op.drop_column("content", "section")
    op.drop_column("content", "image")
