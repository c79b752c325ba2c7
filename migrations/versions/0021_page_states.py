"""A narrow index of all pages of a site, from which they are counted by status and layout.

Revision: 0021.
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_page_states", "page", ["site_id", "url_key", "status", "layout", "deletion"])


def downgrade() -> None:
    op.drop_index("ix_page_states", "page")
