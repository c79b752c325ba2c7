"""Tests of what a crawl learns of a site's templates, without a database."""

import datetime as dt

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.learning import Learning
from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.dom.page import Page
from sitecrawl.storage.second_fetches import SecondFetch
from sitecrawl.storage.templates import LayoutHead
from sitecrawl.templates.fetch_difference import FetchDifference
from sitecrawl.templates.volatile import VolatileBlocks
from tests.unit.crawl.crawling import PAGES, ROOT, html

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def page(number, body=None):
    return Page.from_html(body or html(number), f"{ROOT}{number}")


def other(number):
    """Return a page of another layout."""
    cells = "".join(f"<tr><td>Cell {i} of {number}</td><td>{number * i}</td></tr>" for i in range(12))
    return page(number, f"<html><body><header><h2>Table</h2></header><table>{cells}</table></body></html>")


@pytest.fixture
def learning():
    return Learning(Config(template_min_pages=PAGES))


def learned(learning, numbers, make=page):
    return [learning.learn(make(number), number) for number in numbers]


def restored(crawl_id=None):
    """Return what a later crawl knows of a site whose template was stored by crawl 7."""
    first = Learning(Config(template_min_pages=PAGES))
    learned(first, range(1, PAGES + 1))
    (publication,) = first.publish_all()
    again = Learning(Config(template_min_pages=PAGES))
    again.restore([head()], [publication.changes], first.counted, crawl_id)
    return again


def head():
    return LayoutHead(1, 1, LABEL_RULE, PAGES, None, 0.0, 7, NOW, None, None)


def test_nothing_is_published_before_there_are_enough_pages(learning):
    assert (learning.published, learning.undecided, learning.template, learning.version) == (False, True, None, 0)
    learned(learning, range(1, PAGES))
    assert learning.due() == []
    learned(learning, [PAGES])
    (layout,) = learning.due()
    assert not learning.published
    publication = learning.prepare(layout)
    assert (sorted(publication.keys), publication.changes.version) == ([1, 2, 3, 4], 1)
    assert learning.version == 0  # what is in use is what is stored
    learning.accept(publication)
    assert (learning.published, learning.undecided, learning.version) == (True, False, 1)
    assert learning.template.pages_seen == PAGES
    assert learning.due() == []


def test_a_page_is_counted_once(learning):
    (first,) = learned(learning, [1])
    assert (first.learned, first.counted, first.layout) == (True, False, 1)
    (again,) = learned(learning, [1])
    assert (again.learned, again.counted) == (False, False)
    assert (learning.unpublished, learning.is_unpublished(1), learning.has_learned(1)) == ({1: [1]}, True, True)
    learned(learning, range(2, PAGES + 1))
    learning.publish(learning.layouts.get(1))
    assert (learning.unpublished, learning.counted) == ({}, dict.fromkeys(range(1, PAGES + 1), 1))
    (known,) = learned(learning, [1])
    assert (known.layout, known.learned, known.counted) == (1, False, True)
    assert (learning.counted_in(1), learning.counted_in(99), learning.has_learned(99)) == (1, None, False)


def test_what_is_read_of_a_layout(learning):
    learned(learning, range(1, PAGES + 1))
    learning.publish_all()
    assert learning.template_of(1) is learning.template
    assert (learning.version_of(1), learning.version_of(2), learning.version_of(None)) == (1, 0, 0)
    assert (learning.template_of(None), learning.template_of(2), learning.blocks_of(2)) == (None, None, None)
    assert learning.find(page(50)) == 1


def test_pages_of_another_layout_are_strangers_until_there_are_enough():
    learning = restored()
    assert (learning.find(page(50)), learning.find(other(50)), learning.undecided) == (1, None, False)
    places = learned(learning, range(20, 25), other)
    assert [(one.layout, one.learned, one.counted) for one in places] == [(None, True, False)] * 5
    assert (learning.undecided, learning.drifts) == (True, 1)  # it is noticed once
    learning.publish_all()
    assert (learning.find(other(99)), learning.find(page(99))) == (2, 1)
    assert (learning.version, learning.undecided, learning.version_of(2)) == (2, False, 2)
    assert learning.learner is learning.layouts.get(2).learner


def test_strangers_that_are_no_layout_stay_strangers():
    learning = restored()
    learned(learning, [20], other)
    assert learning.unpublished == {2: [20]}
    assert learning.remaining() == []
    assert (learning.unpublished, learning.drifts) == ({}, 0)


def test_the_template_that_this_very_crawl_began_is_still_being_discovered():
    assert restored(7).find(other(50)) == 1
    assert restored(8).find(other(50)) is None


def test_few_pages_are_published_at_the_end(learning):
    learned(learning, [1, 2])
    (publication,) = learning.publish_all()
    assert (list(publication.keys), learning.version, learning.template.pages_seen) == ([1, 2], 1, 2)
    assert learning.publish_all() == []


def test_a_publication_of_templates_that_were_read_again_since_is_let_go(learning):
    learned(learning, range(1, PAGES + 1))
    publication = learning.prepare(learning.due()[0])
    learning.reset()
    learning.accept(publication)
    assert (learning.version, learning.counted, learning.published) == (0, {}, False)


def test_going_on_from_storage():
    again = restored()
    assert (again.version, again.template.pages_seen, again.counted_in(3)) == (1, PAGES, 1)
    (known,) = learned(again, [3])
    assert (known.learned, known.counted) == (False, True)


def test_numbers_of_layouts_and_versions_are_never_used_twice():
    learning = Learning(Config(template_min_pages=PAGES))
    learning.restore([head()], [], {}, None)
    learned(learning, range(30, 30 + PAGES))
    (new,) = learning.publish_all()
    assert (new.layout.number, new.changes.version) == (2, 2)


def test_a_page_without_a_layout_is_recalled_unless_it_has_one_or_is_counted():
    learning = restored()
    learning.recall(page(30), 30, learned=False)
    learning.recall(other(31), 31, learned=True)
    assert learning.unpublished == {}
    learning.recall(other(32), 32, learned=False)
    learning.recall(other(33), 33, learned=False)
    assert learning.unpublished == {2: [32, 33]}


def test_a_layout_is_learned_again_from_stored_pages(learning):
    learned(learning, range(1, PAGES + 1))
    learning.publish_all()
    (publication,) = learning.learn_again(1, [(number, page(number)) for number in (1, 2, 3)])
    learning.accept(publication)
    assert (publication.layout.number, sorted(publication.keys)) == (1, [1, 2, 3])
    assert (learning.template.pages_seen, learning.version) == (3, 2)
    assert learning.learn_again(1, []) == []
    assert not learning.published


def test_blocks_are_learned_where_a_method_needs_them():
    for wanted in (True, False):
        learning = Learning(Config(template_min_pages=PAGES), learn_blocks=wanted)
        learned(learning, range(1, PAGES + 1))
        learning.publish_all()
        assert (learning.blocks_of(1) is not None) is wanted


def test_the_volatile_places_of_a_page_are_those_of_its_layout_and_its_own_texts(learning):
    learned(learning, range(1, PAGES + 1))
    learning.publish_all()
    (layout,) = learning.layouts.published
    layout.volatile = VolatileBlocks(paths=frozenset((7,)))
    for key, difference in ((1, FetchDifference(texts=frozenset((5,)))), (2, None)):
        learning.fetched_twice(SecondFetch(1, key, 1, difference))
    learning.fetched_twice(SecondFetch(0, 3, 1, FetchDifference(texts=frozenset((6,)))))
    learning.fetched_twice(SecondFetch(1, 1, 1, None))  # the first one stays
    assert learning.volatile_of(1, 1) == VolatileBlocks(paths=frozenset((7,)), texts=frozenset((5,)))
    assert learning.volatile_of(1, 2) == learning.volatile_of(1, 3) == learning.volatile_of(1) == layout.volatile
    assert learning.volatile_of(None, 3) == VolatileBlocks(texts=frozenset((6,)))
    assert learning.volatile_of(2, 1) == learning.volatile_of(None, 1) == VolatileBlocks()
