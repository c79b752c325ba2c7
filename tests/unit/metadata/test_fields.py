"""A new field of main content is two edits: a line in `Metadata` and a migration."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitecrawl.items import ContentItem, feed_fields
from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.storage.deletions import TOMBSTONE
from sitecrawl.storage.records import NAMES
from sitecrawl.storage.tables.models import CONTENT

ROOT = Path(__file__).parents[3]
MIGRATION = '''
"""A field for this test."""
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = {before!r}
branch_labels = None
depends_on = None

def upgrade():
    op.add_column("content", sa.Column("licence", sa.Text()))

def downgrade():
    op.drop_column("content", "licence")
'''
FOLLOWED = """
import dataclasses, sys
from sqlalchemy import select
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.export import stored_rows
from sitecrawl.index.documents import change_of
from sitecrawl.index.markdown import page_file
from sitecrawl.index.opensearch import mapping
from sitecrawl.items import feed_fields
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.outbox import OutboxChange, PageKey
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT
from tests.fetched import fetched
from tests.migrations.scripts import migrate
from tests.unit.storage.test_contents import NOW, record

migrate(sys.argv[1])
engine = open_database(sys.argv[1])
with session_scope(engine) as session:
    site = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW)
    PageRepository(session).record(site.id, [fetched(1, depth=0)])
    ContentRepository(session).put(site.id, record(licence="CC0"))
    assert ContentRepository(session).put(site.id, record(licence="MIT", crawl_id=2)) == "unchanged"
    stored = ContentRepository(session).get(site.id, 1)
assert stored.record.licence == "MIT"
row = feed_item(stored, "example.org", with_markdown=False)
assert row.licence == "MIT"
names = feed_fields(html=False, markdown=False)
assert names[names.index("section") + 1] == "licence"
assert [one.licence for one in stored_rows(engine, [site])] == ["MIT"]
queued = OutboxChange(PageKey(site.id, 1), 9, Operation.UPSERT, stored.url, "example.org", NOW, NOW, 200, 0, stored.record)
document = change_of(queued, ("content",)).document
assert document.as_dict()["licence"] == "MIT"
assert 'licence: "MIT"' in page_file(document)
assert mapping()["mappings"]["properties"]["licence"]["type"] == "keyword"
with session_scope(engine) as session:
    DeletionRepository(session).carry_out(site.id, [1], 3, 5, NOW)
    assert session.execute(select(CONTENT.c.licence, CONTENT.c.status)).one() == (None, "gone")
print("followed")
"""


@pytest.fixture
def copied(tmp_path):
    """Return a copy of the project with a new field and its migration."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("sitecrawl", "migrations", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    fields = tmp_path / "sitecrawl/metadata/fields.py"
    text = fields.read_text()
    head, section, rest = text.partition("    section: str | None\n")
    described, end, rest = rest.partition("\n\n")
    assert section and end
    fields.write_text(head + section + described + "\n    licence: str | None = None" + end + rest)
    schema = tmp_path / "sitecrawl/storage/db/schema.py"
    text = schema.read_text()
    before = re.search(r'REVISION: Final = "(\w+)"', text)[1]
    schema.write_text(text.replace(f'REVISION: Final = "{before}"', 'REVISION: Final = "9999"'))
    (tmp_path / "migrations/versions/9999_licence.py").write_text(MIGRATION.format(before=before))
    return tmp_path


def test_a_new_field_is_a_line_and_a_migration(copied, sqlite_url):
    run = [sys.executable, "-c", FOLLOWED, sqlite_url]
    done = subprocess.run(
        run, cwd=copied, env={**os.environ, "PYTHONPATH": str(copied)}, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "followed\n", done.stderr


def test_all_shapes_have_the_fields():
    assert set(METADATA_NAMES) < set(NAMES)
    assert set(METADATA_NAMES) <= set(CONTENT.c.keys())
    assert all(TOMBSTONE[name] is None for name in METADATA_NAMES)
    assert TOMBSTONE["status"] is RowStatus.GONE


def test_a_row_has_each_field_once_and_in_its_place():
    names = feed_fields(html=True, markdown=True, differences=True)
    assert sorted(names) == sorted(ContentItem.__dataclass_fields__)
    assert names[:8] == ["id", "url", "canonical_url", "site", "status", "kind", "title", "text"]
    assert names[-6:] == ["http_status", "depth", "fetched_at", "added", "removed", "noindex"]
    assert feed_fields(html=True, markdown=True) == [*names[:-3], "noindex"]
