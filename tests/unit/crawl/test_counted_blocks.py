"""Tests of atomic blocks that are counted when something reads them."""

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.counted_blocks import with_blocks
from sitecrawl.crawl.learning import Learning
from sitecrawl.crawl.warm_start import restore
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.templates import TemplateRepository
from tests.unit.crawl.crawling import PAGES, crawled, during


def stored(url, *, learned, config=None):
    """Return the stored template of a crawled site, and the result of `with_blocks` for it."""
    during(url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished", template_blocks=learned)
    with session_scope(open_database(url), write=False) as session:
        site = SiteRepository(session).get("example.org")
        template = TemplateRepository(session).load(site.id, 1)
        return template, with_blocks(session, site.id, template, config or Config())


def test_blocks_that_a_crawl_did_not_count_are_those_that_it_would_have_counted(tmp_path):
    wanted, same = stored(f"sqlite:///{tmp_path}/a.db", learned=True)
    before, made = stored(f"sqlite:///{tmp_path}/b.db", learned=False)
    assert same == wanted
    assert (before.paths, before.blocks) == ((), ())
    assert wanted.paths and wanted.blocks
    assert sorted(made.paths) == sorted(wanted.paths)
    assert sorted(made.blocks) == sorted(wanted.blocks)


def test_a_template_without_stored_pages_has_no_blocks(sqlite_url):
    during(
        sqlite_url,
        lambda one: crawled(one, range(1, PAGES + 1)),
        reason="finished",
        store_bodies=False,
        template_blocks=False,
    )
    with session_scope(open_database(sqlite_url), write=False) as session:
        template = TemplateRepository(session).load(1, 1)
        assert with_blocks(session, 1, template, Config()).paths == ()


@pytest.mark.parametrize("reads", [True, False])
def test_a_restored_template_gets_its_blocks_for_a_method_that_reads_them(sqlite_url, reads):
    wanted = stored(sqlite_url, learned=False)[1]
    learning = Learning(Config(), learn_blocks=reads)
    with session_scope(open_database(sqlite_url), write=False) as session:
        restore(lambda operation: operation(session), 1, learning)
    blocks = learning.blocks_of(1)
    assert (blocks is not None) is reads
    if blocks is not None:
        assert blocks.pages_seen == PAGES
        assert set(blocks.paths) == {one.key for one in wanted.paths}
