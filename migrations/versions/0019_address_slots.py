"""The address of a site, and which process crawls the sites of an address.

Revision: 0019.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site", sa.Column("address", sa.Text(), nullable=True))
    op.create_table(
        "address_slot",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_address_slot")),
    )


def downgrade() -> None:
    op.drop_table("address_slot")
    op.drop_column("site", "address")
