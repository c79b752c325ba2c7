"""Tests of when a template is learned, published and stable."""

from sitecrawl.templates.learner import RECENT, TemplateLearner

from ..dom.trees import page
from .test_snapshot import contents

OLD = "<div class=menu><a>Home</a></div><div class=main><h1>Title {0}</h1><p>Story {0}</p></div>"


def learner(**options):
    return TemplateLearner(**{"min_pages": 4, "sample_every": 3, **options})


def feed(one, numbers, html=OLD):
    return [one.see(page(html.format(number))) for number in numbers]


def test_ready_and_due():
    one = learner()
    feed(one, range(3))
    assert not one.ready
    assert not one.due()
    feed(one, [3])
    assert one.ready
    assert one.due()
    assert not one.grown()
    assert one.publish()[0].pages_seen == 4
    feed(one, range(4, 7))
    assert not one.due()
    assert not one.grown()
    assert one.grown(1)
    feed(one, [7])
    assert (one.due(), one.grown()) == (False, True)
    assert one.publish()[0].pages_seen == 8
    assert not one.grown()


def test_the_order_of_pages_does_not_count_until_a_layout_decides():
    """A row that two pages have is counted, however far apart they come; later only within the window."""
    pages = [OLD.format(number) for number in range(60)]
    for number in (0, 55):
        pages[number] += "<div class=rare><b>Once in a while</b></div>"
    found = []
    for order in (pages, pages[::-1], pages[30:] + pages[:30]):
        one = learner(min_pages=100, window=8)
        for html in order:
            one.see(page(html))
        found.append({node.key: node.counts()._replace(last_page=0) for node in one.publish()[0].nodes.values()})
    assert found[0] == found[1] == found[2]
    assert one.template.window == 8


def test_publishing_raises_the_version_and_is_not_touched_by_learning():
    one = learner()
    feed(one, range(4))
    template, changes = one.publish()
    assert template.version == changes.version == 1
    assert changes.pages == template.pages_seen == 4
    before = contents(template)
    feed(one, range(4, 9))
    assert contents(template) == before
    assert one.publish()[0].version == 2


def test_exact_copies_are_not_learned():
    one = learner()
    assert feed(one, [1, 1, 2, 1]) == [True, False, True, False]
    assert one.template.pages_seen == 2


def test_novelty_is_the_mean_of_the_last_pages():
    one = learner(stable_novelty=0.0)
    assert one.novelty == 1.0
    feed(one, [0])
    assert one.novelty == 1.0
    feed(one, [1])
    assert one.novelty == (1.0 + 2 / 10) / 2
    feed(one, range(2, 2 + RECENT))
    assert abs(one.novelty - 2 / 10) < 1e-9


def test_a_stable_template_is_sampled():
    one = learner()
    assert all(feed(one, range(2 * RECENT)))
    assert one.stable_since == 2 * RECENT
    assert one.stable
    assert feed(one, range(100, 109)) == [False, False, True] * 3
    assert one.publish()[1].stable_since == 2 * RECENT


def test_a_site_that_keeps_growing_is_not_stable():
    one = learner()
    for number in range(4 * RECENT):
        section = "abcdefghijklmnopqrstuvwxyz"[number // 8]
        feed(one, [number], OLD + f"<div class={section}><p>more</p></div>")
    assert not one.stable


def test_going_on_from_storage():
    one = learner(learn_blocks=True)
    feed(one, range(2 * RECENT))
    published, stored = one.publish()
    other = learner(learn_blocks=True)
    restored = other.restore(stored)
    assert contents(restored, other.published_blocks) == contents(published, one.published_blocks)
    assert (other.stable, other.ready, other.due()) == (True, True, False)
    feed(other, range(100, 106))
    again, changes = other.publish()
    assert changes.pages == 2
    assert (again.version, again.pages_seen) == (2, 2 * RECENT + 2)


def test_blocks_are_learned_when_asked_for():
    without, one = learner(), learner(learn_blocks=True)
    for each in (without, one):
        feed(each, range(4))
    assert without.publish()[1].paths == ()
    assert without.published_blocks is None
    changes = one.publish()[1]
    assert {row.path for row in changes.paths} == {"HTML.BODY.DIV", "HTML.BODY.DIV.P"}
    assert one.published_blocks.pages_seen == 4
    assert one.published_blocks.template.content_paths == {"HTML.BODY.DIV", "HTML.BODY.DIV.P"}


def test_only_so_many_pages_are_remembered(monkeypatch):
    monkeypatch.setattr("sitecrawl.templates.learner.REMEMBERED", 2)
    one = learner()
    assert feed(one, [1, 2, 3, 1, 3]) == [True, True, True, True, False]
