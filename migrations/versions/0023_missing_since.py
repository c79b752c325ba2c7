"""Since when the visits of a page have not found it.

Revision: 0023.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("page", sa.Column("missing_since", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("page", "missing_since")
