"""Tests of publishing: changes, merged one after the other, are the published snapshot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.importance import StyleTree
from sitecrawl.templates.snapshot import KEPT_STYLES, Publisher, merge, merge_blocks, snapshot
from sitecrawl.templates.trie import IMPORTANCE, SiteTemplate

from ..dom.trees import page, pages
from .test_trie import counts, is_closed, styles


def contents(template, blocks=None):
    """Everything that storage would hold."""
    rows = {key: node.counts() for key, node in template.nodes.items()}
    named = {key: node.styles for key, node in template.nodes.items() if node.styles}
    stored = (template.pages_seen, template.version, rows, named)
    if blocks is None:
        return stored
    paths = {key: (row.path, row.content_pages, row.noise_pages) for key, row in blocks.paths.items()}
    return *stored, blocks.pages_seen, paths, {key: (row.pages, row.features) for key, row in blocks.blocks.items()}


@settings(max_examples=40)
@given(st.lists(st.lists(pages(), max_size=3), min_size=1, max_size=5), st.integers(1, 4), st.integers(3, 30))
def test_changes_add_up_to_the_snapshot(batches, window, most):
    limits = {"window": window, "min_share": 0.4}
    growing, blocks = SiteTemplate(max_nodes=most, **limits), BlockStore(max_blocks=most, **limits)
    publisher, merged, merged_blocks = Publisher(), growing.empty(), blocks.empty()
    for version, batch in enumerate(batches, 1):
        for each in batch:
            growing.learn(each.flat)
            blocks.learn(each.flat)
        changes = publisher.publish(growing, version, 0.0, None, blocks)
        merge(merged, changes)
        merge_blocks(merged_blocks, changes)
        published, published_blocks = growing.empty(), blocks.empty()
        merge(published, publisher.stored())
        merge_blocks(published_blocks, publisher.stored())
        assert contents(merged, merged_blocks) == contents(published, published_blocks)
        assert published.nodes.keys() == {node.key for node in growing.kept()}
        assert is_closed(published, list(published.nodes.values()))


@settings(max_examples=40)
@given(st.lists(pages(), min_size=2, max_size=8), st.data())
def test_two_writers_lose_nothing(found, data):
    """Each page twice, so that all rows are kept: parts learned apart are the whole."""
    cut = data.draw(st.integers(1, len(found) - 1))
    whole, merged = SiteTemplate(min_share=0.0), SiteTemplate()
    for part in (found[:cut], found[cut:]):
        growing = SiteTemplate(min_share=0.0)
        for each in part * 2:
            growing.learn(each.flat)
            whole.learn(each.flat)
        merge(merged, Publisher().publish(growing, 1, 0.0, None))
    published = snapshot(whole, 1)
    assert merged.pages_seen == published.pages_seen
    # A child that both parts created counts as a variant of its parent in both.
    without = {key: row._replace(variants=0) for key, row in counts(published).items()}
    assert {key: row._replace(variants=0) for key, row in counts(merged).items()} == without
    assert styles(merged) == styles(published)


def _site(numbers):
    template = SiteTemplate(window=4, min_share=0.5)
    for number in numbers:
        template.learn(page(f"<div class=menu>Home</div><p>{number}</p>").flat)
    return template


def test_a_snapshot_stays_as_it_is():
    template = _site(range(3))
    published = snapshot(template, 7)
    before = contents(published)
    template.learn(page("<div class=menu>Home</div>").flat)
    assert contents(published) == before
    assert published.version == 7
    assert [node.label for node in published.nodes.values()] == ["html", "body", "div.menu", '"Home"', "p"]


def test_nothing_new_makes_empty_changes():
    template, publisher = _site(range(3)), Publisher()
    publisher.publish(template, 1, 1.0, None)
    again = publisher.publish(template, 2, 0.5, 3)
    assert again == TemplateChanges(version=2, pages=0, novelty=0.5, stable_since=3)


def test_lost_rows_are_dropped_and_come_back_in_full():
    template, publisher = _site(range(4)), Publisher()
    first = publisher.publish(template, 1, 0.0, None)
    menu = next(node for node in first.nodes if node.label == "div.menu")
    for number in range(20):
        template.learn(page(f"<p>{number}</p>").flat)
    second = publisher.publish(template, 2, 0.0, None)
    assert menu.key in second.dropped
    assert menu.key not in {node.key for node in second.nodes}
    for _ in range(60):
        template.learn(page("<div class=menu>Home</div>").flat)
    third = publisher.publish(template, 3, 0.0, None)
    assert next(node.pages for node in third.nodes if node.key == menu.key) == 60


def test_a_template_learned_anew_replaces_the_published_one():
    template, publisher, merged = _site(range(4)), Publisher(), SiteTemplate()
    merge(merged, publisher.publish(template, 1, 0.0, None))
    template.clear()
    for _ in range(2):
        template.learn(page("<div class=menu>Other</div>").flat)
    merge(merged, publisher.publish(template, 2, 0.0, None))
    assert contents(merged) == contents(snapshot(template, 2))
    assert merged.pages_seen == 2


def test_going_on_from_storage_publishes_only_what_is_new():
    template, publisher = _site(range(4)), Publisher()
    stored = publisher.publish(template, 1, 0.0, None)
    restored, other = template.empty(), Publisher()
    merge(restored, stored)
    other.restore(stored)
    assert other.stored() == publisher.stored()
    restored.learn(page("<div class=menu>Home</div>").flat)
    changes = other.publish(restored, 2, 0.0, None)
    assert {node.label: node.pages for node in changes.nodes} == {"html": 1, "body": 1, "div.menu": 1, '"Home"': 1}
    assert changes.pages == 1


def test_stored_styles_are_bounded_and_stay():
    template, publisher = SiteTemplate(), Publisher()

    def learn(number, times):
        inner = "".join(f"<i class={'ab'[number >> bit & 1]}></i>" for bit in range(6))
        for _ in range(times):
            template.learn(page(f"<div>{inner}</div>").flat)

    for number in range(KEPT_STYLES + 4):
        learn(number, 2 + number)
    first = publisher.publish(template, 1, 0.0, None)
    node = next(row.key for row in first.nodes if row.label == "div")
    kept = {style.style: style.pages for style in first.styles if style.node == node and style.style != IMPORTANCE}
    assert sorted(kept.values()) == list(range(6, KEPT_STYLES + 6))
    learn(0, 50)
    second = publisher.publish(template, 2, 0.0, None)
    assert not [style for style in second.styles if style.node == node and style.style != IMPORTANCE]
    assert sum(style.node == node for style in publisher.stored().styles) == KEPT_STYLES + 1  # and its importance


@settings(max_examples=50)
@given(st.lists(pages(), min_size=2, max_size=6))
def test_the_importance_of_stored_rows_is_that_of_all_pages(found):
    """Rows on one page are not stored, nor are their styles; equal siblings have more styles than pages."""
    template = SiteTemplate()
    for one in found:
        template.learn(one.flat)
    every, stored = StyleTree(template), StyleTree(snapshot(template, 1))
    for key, node in stored.template.nodes.items():
        assert stored.importance[key] == pytest.approx(every.importance[key], abs=1e-7)
        assert (key in stored.noisy) == (key in every.noisy)
        assert node.composite is None or node.composite.importance == stored.importance[key]


def test_a_stored_importance_holds_for_the_published_gamma_only():
    template = SiteTemplate()
    for number in range(5):
        template.learn(page(f"<ul><li>{number}</li><li><i>{number}</i></li></ul>").flat)
    kept = snapshot(template, 1)
    item = next(node for node in kept.nodes.values() if node.label == "li")
    assert item.composite is not None
    assert StyleTree(kept).importance[item.key] == item.composite.importance
    assert StyleTree(kept, gamma=0.5).importance[item.key] != item.composite.importance
