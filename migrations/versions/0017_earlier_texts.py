"""The text of a page before its last change.

Revision: 0017.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("content", sa.Column("earlier_text", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("content", "earlier_text")
