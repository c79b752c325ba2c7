"""Parameters whose pages all have noindex and nofollow are closed; one other page with them keeps them open."""

import pytest

from sitecrawl.links import withheld_answers
from sitecrawl.links.closed_trap import ClosedKind
from sitecrawl.links.withheld_answers import PAGES, WithheldAnswers

SITE = "https://example.org"


def read(judge, template, *, count=PAGES, others=PAGES):
    """Read `others` pages that may be indexed, then `count` that ask to be left alone; return what was closed."""
    for number in range(others):
        judge.read(f"{SITE}/mole-{number}", withheld=False)
    urls = [SITE + template.format(number) for number in range(count)]
    return [one for url in urls for one in judge.read(url, withheld=True)]


@pytest.mark.parametrize(
    ("template", "place"),
    [
        ("/wiki/mole-{}?action=edit", "example.org?action=edit"),
        ("/index.php?title=Mole-{}&action=edit", "example.org?action=edit"),
        ("/index.php?oldid={}", "example.org/index.php?oldid="),
    ],
)
def test_a_parameter_is_closed_after_enough_pages(template, place):
    judge = WithheldAnswers()
    assert read(judge, template, count=PAGES - 1) == []
    assert judge.refusal(SITE + template.format(99)) is None
    (closed,) = read(judge, template)
    assert (closed.kind, closed.place) == (ClosedKind.WITHHELD, place)
    assert judge.refusal(SITE + template.format(99)) == closed.reason
    assert judge.refusal(f"{SITE}/mole-1") is judge.refusal(f"{SITE}/mole?action=view") is None
    assert read(judge, template, count=50) == []
    later = WithheldAnswers()
    later.restore([closed])
    assert later.refusal(SITE + template.format(99)) == closed.reason


def test_one_page_that_may_be_indexed_or_followed_keeps_a_parameter_open():
    judge = WithheldAnswers()
    judge.read(f"{SITE}/mole?action=edit", withheld=False)
    assert read(judge, "/mole-{}?action=edit", count=50) == []


def test_such_a_page_opens_a_closed_parameter():
    judge = WithheldAnswers()
    assert len(read(judge, "/mole-{}?action=edit")) == 1
    judge.read(f"{SITE}/mole?action=edit", withheld=False)
    assert judge.refusal(f"{SITE}/pier?action=edit") is None


def test_a_site_that_says_so_everywhere_closes_none():
    assert read(WithheldAnswers(), "/mole-{}?action=edit", count=50, others=PAGES - 1) == []


def test_the_same_page_counts_once_and_numbers_count_by_path():
    judge = WithheldAnswers()
    assert read(judge, "/mole?action=edit", count=50) == []
    assert read(judge, "/mole-{}?page=2", count=50) == []
    assert read(judge, "/mole?action={}x", count=50) == []
    assert read(judge, "/mole-{}?edit=", count=50) == []


def test_the_start_url_is_always_requested():
    judge = WithheldAnswers(f"{SITE}/start?action=edit")
    read(judge, "/mole-{}?action=edit")
    assert judge.refusal(f"{SITE}/start?action=edit") is None


def test_the_parameters_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(withheld_answers, "MAX_GROUPS", 2)
    judge = WithheldAnswers()
    for number in range(9):
        judge.read(f"{SITE}/mole?action=a{number}", withheld=True)
    assert len(judge._groups) == 2


def test_the_pages_remembered_of_a_parameter_are_bounded():
    judge = WithheldAnswers()
    read(judge, "/mole-{}?action=edit", count=50, others=0)
    assert [len(group) for group in judge._groups.values()] == [PAGES]
    (closed,) = read(judge, "/mole-{}?action=edit", count=1)
    assert closed.place == "example.org?action=edit"
