"""Tests of what a crawl learns of a site's templates, without a database."""

import datetime as dt
from dataclasses import replace

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.learning import Learning
from sitecrawl.dom.labels import LABEL_RULE
from sitecrawl.dom.page import Page
from sitecrawl.storage.second_fetches import SecondFetch
from sitecrawl.storage.templates import LayoutHead
from sitecrawl.templates.decision import LayoutDecision, LayoutKind
from sitecrawl.templates.fetch_difference import FetchDifference
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
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
    layout.volatile = VolatileBlocks(paths={7: VolatilePlace(7, "div", 1, 1)})
    for key, difference in ((1, FetchDifference(texts=frozenset((5,)))), (2, None)):
        learning.fetched_twice(SecondFetch(1, key, 1, difference))
    learning.fetched_twice(SecondFetch(0, 3, 1, FetchDifference(texts=frozenset((6,)))))
    learning.fetched_twice(SecondFetch(1, 1, 1, None))  # the first one stays
    assert learning.volatile_of(1, 1) == replace(layout.volatile, texts=frozenset((5,)))
    assert learning.volatile_of(1, 2) == learning.volatile_of(1, 3) == learning.volatile_of(1) == layout.volatile
    assert learning.volatile_of(None, 3) == VolatileBlocks(texts=frozenset((6,)))
    assert learning.volatile_of(2, 1) == learning.volatile_of(None, 1) == VolatileBlocks()


def test_pages_of_a_layout_are_those_that_were_learned_for_it(learning):
    learned(learning, range(1, PAGES + 1))
    assert (learning.pages_of(1), learning.pages_of(2)) == ([1, 2, 3, 4], [])
    learning.publish_all()
    learned(learning, [9, 8])
    assert (learning.pages_of(1), learning.pages_of(2)) == ([1, 2, 3, 4, 8, 9], [])
    assert [learning.is_unpublished(key) for key in (1, 8, 99)] == [False, True, False]
    assert [learning.has_learned(key) for key in (1, 8, 99)] == [True, True, False]
    assert [learning.counted_in(key) for key in (1, 8, 99)] == [1, None, None]


def test_a_layout_that_decided_by_few_pages_is_doubted_as_soon_as_it_has_new_ones(learning):
    learned(learning, [1, 2])
    learning.publish_all()
    (layout,) = learning.layouts.published
    assert layout.learner.provisional
    assert (learning.doubted(1), learning.undecided) == (False, False)
    learned(learning, [3])
    assert (learning.doubted(1), learning.doubted(None), learning.doubted(2), learning.undecided) == (
        *(True, False, False),
        True,
    )
    learning.pass_over(layout)
    assert (learning.doubted(1), learning.undecided, learning.unpublished) == (False, False, {})


def test_pages_that_no_template_counts_are_learned_for_their_layout_at_once():
    learning = restored()
    (layout,) = learning.layouts.published
    assert learning.grown({}) == learning.grown({1: PAGES - 1, 2: 99}) == []
    learning.learn_more(layout, [(number, page(number)) for number in (20, 21)])
    assert learning.unpublished == {1: [20, 21]}
    assert learning.grown({1: 99}) == [layout]
    publication = learning.prepare(layout)
    assert (sorted(publication.keys), publication.changes.version) == ([20, 21], 2)
    learning.accept(publication)
    assert (learning.counted_in(20), learning.version, learning.unpublished) == (1, 2, {})


def test_a_publication_carries_the_decision_of_its_layout(learning):
    learned(learning, range(1, PAGES + 1))
    publication = learning.prepare(learning.due()[0])
    decision = LayoutDecision(LayoutKind.ARTICLE, sure=0.5, pages=PAGES, mean=40.0)
    volatile = VolatileBlocks(paths={7: VolatilePlace(7, "div", 1, 1)})
    decided = publication.deciding(decision, volatile)
    assert (decided.changes.decision, decided.changes.volatile) == (decision, volatile)
    assert (decided.keys, decided.changes.nodes) == (publication.keys, publication.changes.nodes)
    learning.accept(decided)
    assert (learning.decision_of(1), learning.volatile_of(1)) == (decision, volatile)
    assert (learning.decision_of(2), learning.decision_of(None)) == (None, None)


@pytest.mark.parametrize(("second_fetches", "most", "shapes"), [(0, 9, []), (2, 9, [1, 2, 3]), (2, 2, [1, 2])])
def test_shapes_of_pages_are_kept_up_to_a_number_for_second_fetches(monkeypatch, second_fetches, most, shapes):
    monkeypatch.setattr("sitecrawl.crawl.learning.SHAPES", most)
    learning = Learning(Config(template_min_pages=PAGES, second_fetches=second_fetches))
    learned(learning, (1, 2, 3))
    assert list(learning.shapes) == shapes
    learning.reset()
    assert (learning.shapes, learning.second_fetches, learning.version, learning.counted) == ({}, {}, 0, {})


def test_the_settings_are_those_of_each_learner():
    config = Config(
        template_min_pages=3,
        template_window=50,
        template_min_share=0.25,
        template_max_nodes=4000,
        template_stable_novelty=0.125,
        template_sample_every=7,
    )
    learner = Learning(config, learn_blocks=True).learner
    assert (learner.min_pages, learner.window, learner.template.min_share) == (3, 50, 0.25)
    assert (learner.template.max_nodes, learner.stable_novelty, learner.sample_every) == (4000, 0.125, 7)


def test_second_fetches_of_earlier_crawls_are_restored():
    learning = Learning(Config(template_min_pages=PAGES))
    rows = [SecondFetch(1, 5, 3, None), SecondFetch(2, 5, 3, None)]
    learning.restore([], [], {7: 1}, None, rows)
    assert learning.second_fetches == {1: {5: rows[0]}, 2: {5: rows[1]}}
    assert learning.counted == {7: 1}
