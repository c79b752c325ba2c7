"""Learning, publishing and restoring: the snapshot is what storage gives back, whatever the order of pages."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.templates.learner import TemplateLearner
from sitecrawl.templates.snapshot import merge, snapshot
from sitecrawl.templates.trie import SiteTemplate
from sitecrawl.templates.views import node_importance, template_rows


def page(number, extra=""):
    html = f"<body><div class=menu><a href=/>Home</a></div><div class=text><p>story {number}</p>{extra}</div></body>"
    return Page.from_html(html, f"https://example.org/{number}")


def rows(template):
    return {key: node.counts() for key, node in template.nodes.items()}


def flats(shapes):
    return [page(i % 7, "<p>more</p>" * (shape % 3)).flat for i, shape in enumerate(shapes)]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(shapes, chance):
    one, two, pages = SiteTemplate(), SiteTemplate(), flats(shapes)
    for flat in pages:
        one.learn(flat)
    chance.shuffle(pages)
    for flat in pages:
        two.learn(flat)
    counts = [
        {key: counts._replace(last_page=0) for key, counts in rows(one_or_two).items()} for one_or_two in (one, two)
    ]
    assert counts[0] == counts[1]


def naive_mapped(key, other):
    """Pairs of the papers' Algorithm 1 with equality of labels: which nodes of the key page are mapped at all."""
    children = [{}, {}]
    for flat, table in zip((key, other), children, strict=True):
        for i in range(1, len(flat)):
            table.setdefault(flat.parent[i], []).append(i)
    mapped, pairs = set(), [(0, 0)] if key.label[0] == other.label[0] else []
    while pairs:
        a, b = pairs.pop()
        mapped.add(a)
        pairs += [
            (x, y) for x in children[0].get(a, ()) for y in children[1].get(b, ()) if key.label[x] == other.label[y]
        ]
    return mapped


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=8))
def test_occurrences_by_trie_are_those_of_the_recursive_mapping(shapes):
    pages = flats(shapes)
    template = SiteTemplate(window=100)
    for flat in pages:
        template.learn(flat)
    key = pages[0]
    counted = [sum(i in naive_mapped(key, other) for other in pages[1:]) for i in range(len(key))]
    assert template.occurrences(key, learned=True) == counted


def test_changes_merged_one_after_the_other_are_the_snapshot():
    learner, stored = TemplateLearner(min_pages=4, window=8), SiteTemplate()
    published = None
    for i in range(40):
        learner.see(page(i, "<p>again</p>" if i % 3 else ""))
        if learner.due():
            published, *_, changes = learner.publish()
            merge(stored, changes)
    assert published is not None
    assert published.version == stored.version >= 3
    assert rows(published) == rows(stored)
    assert {key: node.styles for key, node in published.nodes.items()} == {
        key: node.styles for key, node in stored.nodes.items()
    }


def test_a_snapshot_does_not_change_while_learning_goes_on():
    learner = TemplateLearner(min_pages=2)
    for i in range(4):
        learner.see(page(i))
    published, *_ = learner.publish()
    before = rows(published)
    for i in range(4, 20):
        learner.see(page(i))
    assert rows(published) == before


def test_memory_is_bounded_over_thousands_of_pages():
    template = SiteTemplate()
    sizes = []
    for i in range(3000):
        template.learn(page(i, f"<p>unique {i}</p>").flat)
        sizes.append(len(template.nodes))
    assert max(sizes[1000:]) <= max(sizes[200:1000]) * 1.05


def test_rows_are_shown_parents_first_and_importance_follows_the_paper():
    template = SiteTemplate()
    for i in range(5):
        template.learn(page(i).flat)
    shown = list(template_rows(snapshot(template, 1)))
    assert [row.label for row in shown[:3]] == ["html", "body", "div.text"] or shown[2].label == "div.menu"
    assert '"Home"' in [row.label for row in shown]
    assert round(node_importance(100, [35, 25, 25, 15]), 4) == 0.2921
    assert node_importance(10, [10]) == 0.0
    assert node_importance(1, [1]) == 1.0
