"""What the start host of a site may resolve to; decided at the next crawl of the sites that are known already.

Revision: 0013.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("site", sa.Column("reach", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("site", "reach")
