"""What a crawl learned of hosts that fail: breaker, not-before, and the failures that are not yet understood.

Revision: 0012.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "host",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("netloc", sa.String(length=300), nullable=False),
        sa.Column("breaker", sa.SmallInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("given_up", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_host_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "netloc", name=op.f("pk_host")),
    )
    op.create_table(
        "suspended",
        sa.Column("site_id", KEY, nullable=False),
        sa.Column("url_key", KEY, autoincrement=False, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("netloc", sa.String(length=300), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("http_status", sa.SmallInteger(), nullable=True),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_suspended_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_suspended")),
    )
    op.add_column("page", sa.Column("not_before", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("page", "not_before")
    op.drop_table("suspended")
    op.drop_table("host")
