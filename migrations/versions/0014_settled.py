"""What a crawl decided: pages that are to be extracted again, values of the site at its decision, and decisions.

Revision: 0014.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.add_column("page", sa.Column("unsettled", sa.Boolean(), nullable=True))
    op.add_column("site_value", sa.Column("decided", sa.Integer(), nullable=True))
    op.add_column("template", sa.Column("decision", JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("template", "decision")
    op.drop_column("site_value", "decided")
    op.drop_column("page", "unsettled")
