"""Tests of the trie of a site."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.labels import TEXT
from sitecrawl.templates.trie import MAX_STYLES, SiteTemplate

from ..dom.trees import page, pages, row

PAGE = "<div class=menu><a>Home</a><a>News</a></div><div class=main><h1>Title {0}</h1><p>Story {0}, not told</p></div>"


def site(count, **limits):
    template = SiteTemplate(**limits)
    for number in range(count):
        template.learn(page(PAGE.format(number)).flat)
    return template


def counts(template):
    return {key: node.counts()._replace(last_page=0, label="") for key, node in template.nodes.items()}


def styles(template):
    return {key: node.styles for key, node in template.nodes.items() if node.label and not node.is_text}


def is_closed(template, rows):
    keys = {node.key for node in rows}
    return all(node.parent in keys or node.depth == 0 for node in rows)


def test_counts_of_a_site():
    template = site(3)
    flat = page(PAGE.format(0)).flat
    menu, main = (template.nodes[flat.path[row(flat, name)]] for name in ("div.menu", "div.main"))
    assert (menu.label, menu.depth, menu.pages, menu.nodes, menu.variants) == ("div.menu", 2, 3, 3, 1)
    assert (menu.chars, menu.link_chars, menu.last_page) == (24, 24, 3)
    assert menu.parent == main.parent == flat.path[1]
    link = template.nodes[flat.path[row(flat, "div.menu") + 1]]
    assert (link.label, link.pages, link.nodes, link.variants) == ("a", 3, 6, 2)
    text = template.nodes[flat.path[row(flat, "Home")]]
    assert (text.label, text.is_text, text.pages, text.styles) == ('"Home"', True, 3, {})
    heading = template.nodes[flat.path[row(flat, "Title 0")]]
    assert (heading.label, heading.pages) == ("", 1)


def test_learning_returns_the_share_of_new_keys():
    template = SiteTemplate()
    flat = page(PAGE.format(0)).flat
    assert template.learn(flat) == 1.0
    assert template.learn(flat) == 0.0
    # html, body, two divisions, a, two texts, h1, p; two texts are new
    assert template.learn(page(PAGE.format(1)).flat) == pytest.approx(2 / 11)


def test_a_style_counts_once_a_page():
    template = SiteTemplate()
    lists = ("<ul><li><b>x</b></li><li>y</li><li><b>z</b></li><li>y</li></ul>", "<ul><li>y</li></ul>")
    for html in lists:
        template.learn(page(html).flat)
    flat = page(lists[0]).flat
    item = template.nodes[flat.path[flat.tag.index("li")]]
    assert (item.pages, item.nodes) == (2, 5)
    with_bold, plain = flat.style[flat.tag.index("li")], 0
    assert item.styles == {with_bold: 1, plain: 2}


def test_styles_of_a_node_are_bounded():
    template = SiteTemplate()
    for number in range(3 * MAX_STYLES):
        inner = "".join(f"<i class=c{chr(97 + (number >> bit & 1))}></i>" for bit in range(8))
        template.learn(page(f"<div>{inner}</div>").flat)
        template.learn(page("<div><b></b></div>").flat)
    flat = page("<div><b></b></div>").flat
    node = template.nodes[flat.path[2]]
    assert len(node.styles) <= MAX_STYLES + 1
    assert node.styles[flat.style[2]] == 3 * MAX_STYLES


def test_occurrences_and_shares():
    template = site(4)
    flat = page(PAGE.format(0)).flat
    assert set(template.occurrences(flat, learned=True)) == {0, 3}
    occurrences, shares = template.occurrences(flat, learned=False), template.shares(flat, learned=False)
    for i in range(len(flat)):
        own = i in (row(flat, "Title 0"), row(flat, "Story 0, not told"))
        assert occurrences[i] == (1 if own else 4)
        assert shares[i] == (0.25 if own else 1.0)
    outlier = page("<section><p>other</p></section>").flat
    assert template.shares(outlier, learned=False) == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert site(1).shares(flat, learned=True) == [0.0] * len(flat)


def test_a_share_is_at_most_one_when_a_parent_lost_its_counts():
    template = site(4)
    flat = page(PAGE.format(0)).flat
    template.nodes[flat.path[row(flat, "div.menu")]].pages = 2
    del template.nodes[flat.path[row(flat, "div.main")]]
    assert all(0 <= share <= 1 for share in template.shares(flat, learned=False))


def test_long_labels_are_cut():
    template = SiteTemplate()
    html = f"<p class='{' '.join(f'class-{chr(97 + i)}' for i in range(26))}'>{'word ' * 40}</p>"
    for _ in range(2):
        template.learn(page(html).flat)
    labels = [node.label for node in template.nodes.values()]
    assert [len(label) for label in labels] == [4, 4, 120, 62]


@settings(max_examples=40)
@given(st.lists(pages(), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(found, random):
    one, other = SiteTemplate(), SiteTemplate()
    for each in found:
        one.learn(each.flat)
    for each in random.sample(found, len(found)):
        other.learn(each.flat)
    assert counts(one) == counts(other)
    assert styles(one) == styles(other)


@settings(max_examples=40)
@given(st.lists(pages(), min_size=2, max_size=8), st.integers(1, 3), st.integers(1, 12))
def test_rows_are_closed_towards_the_root(found, window, most):
    template = SiteTemplate(window=window, min_share=0.5, max_nodes=most)
    for each in found:
        template.learn(each.flat)
        assert is_closed(template, list(template.nodes.values()))
        assert is_closed(template, template.kept())
        assert len(template.kept()) <= most
        for node in template.nodes.values():
            above = template.nodes.get(node.parent)
            assert above is None or above.pages >= node.pages


@settings(max_examples=40)
@given(st.lists(pages(), min_size=1, max_size=6))
def test_sums_agree_with_the_pages(found):
    template = SiteTemplate()
    for each in found:
        template.learn(each.flat)
    root = next(iter(template.nodes.values()))
    assert root.chars == sum(each.flat.chars[0] for each in found)
    assert root.link_chars == sum(each.flat.link_chars[0] for each in found)
    assert sum(node.nodes for node in template.nodes.values()) == sum(len(each.flat) for each in found)
    distinct = {key for each in found for key in each.flat.path}
    assert sum(node.variants for node in template.nodes.values()) == len(distinct) - 1


def test_memory_and_kept_rows_level_off():
    """3,000 pages, each with 40 texts of its own, and a part of the template that changes now and then."""
    template = SiteTemplate(max_nodes=100)
    base = page("<div class=menu><a>Home</a></div><div class=main><p>x</p></div>").flat
    sizes = []
    for number in range(3000):
        own = "".join(f"<p>{number} own {i}</p>" for i in range(40))
        template.learn(page(f"<div class=menu><a>Home</a></div><i>{number // 10}</i><div>{own}</div>").flat)
        sizes.append(len(template.nodes))
    assert max(sizes[1000:]) <= max(sizes[:1000])
    assert max(sizes) < 100 + 41 * (template.window + 1)
    assert template.nodes[base.path[row(base, "Home")]].pages == 3000
    assert len(template.kept()) < 20


def test_rows_that_lose_their_share_are_forgotten():
    template = SiteTemplate(window=4, min_share=0.5)
    for _ in range(4):
        template.learn(page("<div class=old>old</div>").flat)
    for number in range(40):
        template.learn(page(f"<div class=new>{number}</div>").flat)
    labels = {node.label for node in template.nodes.values() if node.label}
    assert labels == {"html", "body", "div.new"}


def test_the_share_of_new_rows():
    template = site(8)
    assert template.new_share(8) == 1.0
    assert template.new_share(7) == 0.0
    assert SiteTemplate().new_share(8) == 1.0


def test_cleared_and_empty_templates_know_nothing():
    template = site(3, window=5, min_share=0.3, max_nodes=50)
    copy = template.empty()
    assert (copy.window, copy.min_share, copy.max_nodes) == (5, 0.3, 50)
    template.clear()
    for each in (copy, template):
        assert (each.pages_seen, each.nodes) == (0, {})


def test_texts_and_elements_are_told_apart():
    template = site(2)
    flat = page(PAGE.format(0)).flat
    for key, tag in zip(flat.path, flat.tag, strict=True):
        node = template.nodes[key]
        if node.pages == 2:
            assert node.is_text == (tag == TEXT)
