"""simhashes: they are made of hashes of words now; those that are stored are forgotten, each page's next text brings one.

Revision: 0009.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

CONTENT = sa.table("content", *(sa.column(name) for name in ("simhash", "band1", "band2", "band3", "band4")))


def upgrade() -> None:
    op.execute(CONTENT.update().values(dict.fromkeys(column.name for column in CONTENT.columns)))


def downgrade() -> None:
    upgrade()
