"""Tests of the extraction of pages of one site, and of the site data that it gets."""

from time import perf_counter

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.extraction import chosen_extractor, new_learning, site_overrides
from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.extractors.base import Need
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_key
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.templates.folded_numbers import folded
from sitecrawl.templates.tag_paths import tag_paths
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from tests.unit.crawl.crawling import PAGES, ROOT, during, html, pauses


@pytest.mark.parametrize(("extractor", "wanted", "learned"), [("combined", False, False), ("combined", True, True)])
def test_blocks_are_learned_where_the_settings_or_the_method_want_them(extractor, wanted, learned):
    config = Config(extractor=extractor, template_blocks=wanted)
    chosen = chosen_extractor(config)
    learning = new_learning(config, chosen)
    assert learning.learns_blocks is (learned or Need.BLOCKS in chosen.needs)


def test_a_method_that_does_not_exist():
    with pytest.raises((ConfigError, ExtractorError)):
        chosen_extractor(Config(extractor="nothing"))


def test_an_override_that_cannot_be_read(tmp_path):
    (tmp_path / "example.org.yaml").write_text("drop: [")
    with pytest.raises(ConfigError):
        site_overrides(Config(overrides=(str(tmp_path),)), SiteScope.of(ROOT, "host"))


async def learned(crawling):
    for number in range(1, PAGES + 1):
        await crawling.page(f"{ROOT}{number}", html(number))


def test_a_page_is_extracted_with_the_template_of_its_layout(sqlite_url):
    async def extracts(crawling):
        crawl = crawling.crawl
        records = []
        bare = crawling.item(f"{ROOT}90", html(90))
        records.append(await crawl.extraction.record(bare, crawl.statistics.values, 1, 7))
        await learned(crawling)
        item = crawling.item(f"{ROOT}91", html(91))
        await crawl.publishing.learn(item)
        records.append(await crawl.extraction.record(item, crawl.statistics.values, 1, 8))
        return records, crawl.extraction.seconds > 0, item.override

    (without, with_one), timed, override = during(sqlite_url, extracts)
    assert (without.template_version, without.emit_order, without.crawl_id) == (None, 7, 1)
    assert (with_one.template_version, with_one.emit_order) == (1, 8)
    assert "Story number 91" in with_one.text
    assert "Home" not in with_one.text
    assert (timed, override) == (True, "")


def test_an_override_of_the_site_is_told(sqlite_url, tmp_path):
    (tmp_path / "example.org.yaml").write_text("content: h1\n")

    async def extracts(crawling):
        item = crawling.item(f"{ROOT}1", html(1))
        record = await crawling.crawl.extraction.record(item, crawling.crawl.statistics.values, 1, 1)
        return record.text, item.override

    text, outcome = during(sqlite_url, extracts, overrides=(str(tmp_path),))
    assert text == "Title 1"
    assert outcome


def test_a_stored_page_is_given_the_layout_that_describes_it_now(sqlite_url):
    async def stored(crawling):
        crawl = crawling.crawl
        await learned(crawling)
        key = crawl.waiting.pages[0]
        page = await crawl.bodies.get(key)
        item = crawl.extraction.item(page)
        gone = crawling.item(f"{ROOT}1", html(1))
        return item.layout, item.stored, item.url_key == key, gone.layout

    assert during(sqlite_url, stored) == (1, True, True, None)


@pytest.mark.parametrize("extractor", ["rbm-td", "temex"])
def test_a_method_that_compares_pages_is_given_others(sqlite_url, extractor):
    async def compares(crawling):
        crawl = crawling.crawl
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number, links=tuple(f"/{n}" for n in range(1, PAGES + 1))))
        await crawl.publishing.exhaust()
        item = await crawl.page_store.next_waiting()
        context = await crawl.extraction._context(item)
        return crawl.extraction.needs_neighbours, len(context.neighbours)

    needs, neighbours = during(sqlite_url, compares, extractor=extractor)
    assert needs == (neighbours > 0)


def test_a_sample_of_the_site_is_taken_from_all_pages_by_their_keys(sqlite_url):
    async def sampled(crawling):
        crawl = crawling.crawl
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
        await crawl.publishing.exhaust()
        context = await crawl.extraction._context(await crawl.page_store.next_waiting())
        return [flat.text[flat.tag.index("h1") + 1] for flat in context.neighbours]

    numbers = sorted(range(1, PAGES + 1), key=lambda number: url_key(f"{ROOT}{number}"))
    found = during(sqlite_url, sampled, extractor="fastce", extractor_options={"size": 3})
    assert found == [f"Title {number}" for number in numbers[:3]]


def test_a_stored_page_keeps_the_layout_that_still_has_a_template(sqlite_url, monkeypatch):
    async def items(crawling):
        await learned(crawling)
        crawl = crawling.crawl
        stored = await crawl.bodies.get(url_key(f"{ROOT}1"))
        monkeypatch.setattr(crawl.learning, "find", lambda page: 99)
        found = [crawl.extraction.item(stored._replace(layout=layout)).layout for layout in (1, None, 7)]
        (layout,) = crawl.learning.layouts.published
        return found, crawl.learning.decision_of(1) is layout.decision, crawl.learning.decision_of(None)

    assert during(sqlite_url, items) == ([1, 99, 99], True, None)


@pytest.mark.parametrize(("extractor", "reads"), [("temex", True), ("webconex", False)])
def test_a_page_is_stored_with_the_pages_that_it_was_compared_with(sqlite_url, monkeypatch, extractor, reads):
    asked = []
    links_of = RevisitRepository.links_of
    monkeypatch.setattr(RevisitRepository, "links_of", lambda *given: asked.append(1) or links_of(*given))

    async def compares(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number, links=("/1", "/2", "/3", "/4")))
        crawl, key = crawling.crawl, url_key(f"{ROOT}1")
        asked.clear()
        item = crawl.extraction.item(await crawl.bodies.get(key))
        flats = await crawl.extraction._neighbours(item)
        stored = await crawl.bodies.get(key)
        return len(flats), item.sample, stored.sample

    count, sample, stored = during(sqlite_url, compares, extractor=extractor)
    assert count == len(sample) > 0
    assert stored == sample
    assert set(sample) <= {url_key(f"{ROOT}{number}") for number in range(2, PAGES + 1)}
    assert asked == [1] * reads


def test_a_method_is_told_whether_the_template_counts_the_very_page(sqlite_url):
    """Of a page that it does not count, all is new to it."""

    async def told(crawling):
        await learned(crawling)
        crawl, found = crawling.crawl, []
        for layout, version in ((1, 1), (1, 0), (1, None), (1, 2), (None, None), (None, 1)):
            item = crawling.item(f"{ROOT}1", html(1))
            item.layout, item.learned_version = layout, version
            context = await crawl.extraction._context(item)
            found.append((context.template is not None, context.learned))
        return found

    assert during(sqlite_url, told) == [(True, True), *[(True, False)] * 3, (False, False), (False, False)]


def test_an_item_has_the_texts_whose_numbers_are_no_change(sqlite_url):
    async def counts(crawling):
        await learned(crawling)
        crawl, body = crawling.crawl, html(1).replace("</h1>", "</h1><p class=views>Read 7 times</p>")
        item = crawling.item(f"{ROOT}1", body)
        item.layout = 1
        values, found = crawl.statistics.values, []
        (layout,) = crawl.learning.layouts.published
        flat = item.page.flat
        (row,) = (number for number, name in enumerate(flat.names) if "views" in name)
        place = VolatilePlace(tag_paths(flat)[row], "", 1, 1)
        for volatile in (VolatileBlocks(), VolatileBlocks(numbers={place.key: place})):
            layout.volatile = volatile
            await crawl.extraction.record(item, values, 1, 1)
            found.append(item.counting)
        return found

    none, numbers = during(sqlite_url, counts)
    assert none == frozenset()
    assert {text.strip() for text in numbers} == {folded("Read 7 times")}


def test_other_requests_go_on_before_a_large_page_is_extracted_and_before_it_is_described(sqlite_url, monkeypatch):
    async def extracts(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
        item = crawling.item(f"{ROOT}9", html(9))
        await crawling.crawl.publishing.learn(item)
        noted = pauses(monkeypatch)
        await crawling.crawl.page_store.extract(item)
        return noted

    assert during(sqlite_url, extracts) == [0, 0]


def test_the_seconds_of_extraction_are_those_that_it_took(sqlite_url):
    async def extracts(crawling):
        began = perf_counter()
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
        await crawling.waiting()
        return crawling.crawl.extraction.seconds, perf_counter() - began

    taken, passed = during(sqlite_url, extracts)
    assert 0 < taken < passed
