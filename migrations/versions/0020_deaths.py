"""How many crawls of a site died one after the other.

Revision: 0020.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site", sa.Column("deaths", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("site", "deaths")
