"""Tests of layouts: outliers, another look beside the old one, and what is no layout."""

import pytest

from sitecrawl.templates.layouts import FEW, SiteLayouts, element_keys, unknown_share
from sitecrawl.templates.learner import TemplateLearner

from ..dom.trees import page

OLD = "<div class=menu><a>Home</a></div><div class=main><h1>Title {0}</h1><p>Story {0}</p></div>"
NEW = "<header><nav><b>Home</b></nav></header><main><h2>Title {0}</h2><section>Story {0}</section></main>"
PART = (
    "<div class=menu><a>Home</a></div><div class=main><h1>Title {0}</h1><p>Story {0}</p></div>"
    "<div class=box><h4><i>More {0}</i></h4></div>"
)


def layouts(min_pages=8, **options):
    return SiteLayouts(lambda: TemplateLearner(min_pages=min_pages, **options))


def settled(count=10, html=OLD, **options):
    """A site whose first layout was learned in an earlier crawl."""
    first = layouts(**options)
    for number in range(count):
        one = page(html.format(number))
        first.learn(one, first.place(one.flat))
    changes = first.publish(first[1])
    site = layouts(**options)
    site.restore(changes, opened_here=False)
    return site


def show(site, numbers, html, before=None):
    """Place and learn pages, publishing what is due; return the numbers of their layouts."""
    placed = []
    for number in numbers:
        one = page(html.format(number))
        known = page(before.format(number)).flat if before else None
        layout = site.place(one.flat, known, 1 if before else None)
        site.learn(one, layout)
        placed.append(layout.number)
        for due in site.due():
            site.publish(due)
    return placed


def test_the_first_pages_are_the_first_layout_however_unlike_they_are():
    site = layouts(min_pages=4)
    assert show(site, range(2), OLD) + show(site, range(2), NEW) == [1, 1, 1, 1]
    assert site[1].template.pages_seen == 4
    assert show(site, range(5, 9), "<table><tr><td>Row {0}</table>") == [1] * 4


def test_another_look_is_learned_beside_the_old_one():
    site = settled()
    old = site[1].learner.template.pages_seen
    assert show(site, range(20, 27), NEW, before=OLD) == [2] * 7
    assert site.find(page(NEW.format(99)).flat) is None
    assert site[2].undecided
    assert show(site, [27], NEW, before=OLD) == [2]
    assert not site[2].undecided
    assert (site[2].template.pages_seen, site[2].template.version, site.version) == (8, 2, 2)
    assert {node.label for node in site[2].template.nodes.values()}.isdisjoint(("div.menu", "div.main"))
    assert site[1].learner.template.pages_seen == old
    assert site.find(page(NEW.format(99)).flat).number == 2
    assert site.find(page(OLD.format(99)).flat).number == 1
    assert show(site, range(30, 34), OLD) == [1] * 4
    assert site.newest is site[2]


def test_it_is_noticed_once_after_a_few_pages():
    site = settled()
    noticed = []
    for number in range(FEW + 2):
        show(site, [number], NEW, before=OLD)
        noticed.append(site.noticed(site[2]))
    assert noticed == [number == FEW - 1 for number in range(FEW + 2)]


def test_two_looks_at_once_do_not_take_turns():
    site = settled()
    show(site, range(20, 28), NEW)
    for _ in range(3):
        assert show(site, range(40, 44), OLD) == [1] * 4
        assert show(site, range(50, 54), NEW) == [2] * 4
    assert len(list(site)) == 2


def test_pages_that_are_all_different_are_no_layout():
    site = settled()
    for number in range(8):
        one = page(f"<table class={'x' * (number + 1)}><tr><td class=c><b>{number}</b></table>")
        layout = site.place(one.flat)
        assert layout.number == 2
        site.learn(one, layout)
        assert site.due() == []
    assert not site[2].undecided  # judged: nobody needs to wait any longer
    assert site.conclude().number == 2
    assert [layout.number for layout in site] == [1]


@pytest.mark.parametrize(("count", "number"), [(FEW - 1, None), (FEW, 2)])
def test_at_the_end_a_few_are_enough(count, number):
    site = settled()
    show(site, range(count), NEW, before=OLD)
    dropped = site.conclude()
    assert (dropped is None) == (number is not None)
    found = site.outliers
    assert (found.number if found else None) == number


def test_a_page_that_looks_as_it_did_stays_where_it_was():
    site = settled()
    odd = "<table><tr><td><p>Row {0}</table>"
    assert site.doubtful(page(odd.format(1)).flat)
    assert show(site, range(3), odd, before=odd) == [1] * 3
    assert show(site, [3], odd) == [2]


def test_a_known_page_that_changed_in_part_may_not_be_as_far_as_a_new_one():
    site = settled()
    flat = page(PART.format(1)).flat
    share = unknown_share(flat, site[1].known)
    assert 0.25 < share < 0.5
    assert site.place(flat).number == 1
    assert site.place(flat, page(OLD.format(1)).flat, 1).number == 2


def test_a_site_of_which_little_was_seen_is_still_discovered():
    site = settled(count=3)
    assert show(site, range(30, 35), NEW) == [1] * 5
    known = settled(count=3)
    assert show(known, [40], NEW, before=OLD) == [2]


def test_layouts_are_numbered_on():
    site = layouts()
    site.number_from(4, 9)
    show(site, range(8), OLD)
    assert [(layout.number, layout.template.version) for layout in site] == [(5, 10)]
    renewed = site.renew(5)
    assert site[5] is renewed
    assert renewed.template is None
    site.drop(5)
    assert site.get(5) is None
    assert site.newest is None


def test_changes_name_their_layout():
    site = settled()
    show(site, range(20, 27), NEW)
    assert site.publish(site[2]).layout == 2


def test_texts_do_not_make_a_stranger():
    flat = page("<div><p>one</p><p>two</p></div>").flat
    assert len(element_keys(flat)) == 4
    assert unknown_share(flat, frozenset()) == 1.0
    assert unknown_share(flat, element_keys(page("<div><p>other</p></div>").flat)) == 0.0
