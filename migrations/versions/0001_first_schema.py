"""first schema.

Revision: 0001.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "site",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("host", sa.String(length=253), nullable=False),
        sa.Column("start_url", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_crawl_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "options",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
            ),
            nullable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site")),
        sa.UniqueConstraint("host", name=op.f("uq_site_host")),
    )
    op.create_index(
        "ix_site_due",
        "site",
        ["next_crawl_at"],
        unique=False,
        postgresql_where=sa.text("next_crawl_at IS NOT NULL"),
        sqlite_where=sa.text("next_crawl_at IS NOT NULL"),
    )

    op.create_table(
        "crawl",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column(
            "stats",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
            ),
            nullable=True,
        ),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_crawl_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl")),
    )
    op.create_index(op.f("ix_crawl_site_id"), "crawl", ["site_id"], unique=False)

    op.create_table(
        "outbox",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "url_key",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("operation", sa.SmallInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_outbox_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_outbox")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_outbox_queued", "outbox", ["queued_at"], unique=False)

    op.create_table(
        "page",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "url_key",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("http_status", sa.SmallInteger(), nullable=True),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("hyperlink_distance", sa.SmallInteger(), nullable=True),
        sa.Column("dom_distance", sa.SmallInteger(), nullable=True),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("discovery", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("crawl_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("fetch_order", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column(
            "sample",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
            ),
            nullable=True,
        ),
        sa.Column("learned_version", sa.Integer(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("errors", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("discovered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("fetch_interval", sa.Integer(), nullable=True),
        sa.Column("next_fetch_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_page_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_page")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_page_due",
        "page",
        ["site_id", "next_fetch_at"],
        unique=False,
        postgresql_where=sa.text("next_fetch_at IS NOT NULL"),
        sqlite_where=sa.text("next_fetch_at IS NOT NULL"),
    )
    op.create_index("ix_page_frontier", "page", ["site_id", "crawl_id", "priority", "discovery"], unique=False)

    op.create_table(
        "template",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("label_rule", sa.SmallInteger(), nullable=False),
        sa.Column("pages_seen", sa.Integer(), nullable=False),
        sa.Column("stable_since", sa.Integer(), nullable=True),
        sa.Column("novelty", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_template_site_id_site"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("site_id", name=op.f("pk_template")),
    )
    op.create_table(
        "body",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "url_key",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("html", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "url_key"],
            ["page.site_id", "page.url_key"],
            name=op.f("fk_body_site_id_url_key_page"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_body")),
    )
    op.create_table(
        "content",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "url_key",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("modified", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=True),
        sa.Column("simhash", sa.BigInteger(), nullable=True),
        sa.Column("duplicate_of", sa.String(length=32), nullable=True),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("template_version", sa.Integer(), nullable=True),
        sa.Column("canonical_url", sa.Text(), nullable=True),
        sa.Column("crawl_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("emit_order", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("extracted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id", "url_key"],
            ["page.site_id", "page.url_key"],
            name=op.f("fk_content_site_id_url_key_page"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "url_key", name=op.f("pk_content")),
    )
    op.create_index("ix_content_digest", "content", ["site_id", "digest"], unique=False)
    op.create_index("ix_content_emitted", "content", ["site_id", "crawl_id", "emit_order"], unique=False)

    op.create_table(
        "template_block",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("path", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("block", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("features", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["template.site_id"],
            name=op.f("fk_template_block_site_id_template"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "path", "block", name=op.f("pk_template_block")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "template_node",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("parent", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("label", sa.String(length=120), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("variants", sa.Integer(), nullable=False),
        sa.Column("chars", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("link_chars", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("last_page", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["template.site_id"],
            name=op.f("fk_template_node_site_id_template"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "key", name=op.f("pk_template_node")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "template_path",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("content_pages", sa.Integer(), nullable=False),
        sa.Column("noise_pages", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["template.site_id"],
            name=op.f("fk_template_path_site_id_template"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "key", name=op.f("pk_template_path")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "template_style",
        sa.Column("site_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("node", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("style", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"],
            ["template.site_id"],
            name=op.f("fk_template_style_site_id_template"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("site_id", "node", "style", name=op.f("pk_template_style")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("template_style")
    op.drop_table("template_path")
    op.drop_table("template_node")
    op.drop_table("template_block")
    op.drop_index("ix_content_emitted"), "content"
    op.drop_index("ix_content_digest"), "content"

    op.drop_table("content")
    op.drop_table("body")
    op.drop_table("template")
    op.drop_index("ix_page_frontier"), "page"
    op.drop_index(
        "ix_page_due",
        "page",
        postgresql_where=sa.text("next_fetch_at IS NOT NULL"),
        sqlite_where=sa.text("next_fetch_at IS NOT NULL"),
    )

    op.drop_table("page")
    op.drop_index("ix_outbox_queued"), "outbox"

    op.drop_table("outbox")
    op.drop_index(op.f("ix_crawl_site_id"), "crawl")

    op.drop_table("crawl")
    op.drop_index(
        "ix_site_due",
        "site",
        postgresql_where=sa.text("next_crawl_at IS NOT NULL"),
        sqlite_where=sa.text("next_crawl_at IS NOT NULL"),
    )

    op.drop_table("site")
