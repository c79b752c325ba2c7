"""Parameters whose values all lead to the same page are closed; those that change the content of a page never are."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.links import same_answers
from sitecrawl.links.closed_trap import ClosedKind
from sitecrawl.links.same_answers import VALUES, WAYS_BACK, SameAnswers, is_way_back, parameters
from sitecrawl.links.urls import url_key

SITE = "https://example.org/"
TALKS = [f"{SITE}talk/{number}" for number in range(60)]
KNOWN = {url_key(url) for url in TALKS}
FORM = "<h1>Log in</h1><form><input name=user><input type=password></form><a href='/help'>Help</a>"


def page(url, html):
    return Page.from_html(f"<title>Site</title>{html}", url)


def read(same, urls, html=lambda url: FORM, between=True):
    """Read the admitted ones of some URLs, with another page before each; return the URLs read and the closed parameters."""
    asked, closed = [], []
    for number, url in enumerate(urls):
        if same.refusal(url) is None:
            asked.append(url)
            if between:
                same.read(page(TALKS[number], f"<p>Talk {number}"), KNOWN.__contains__)
            closed += same.read(page(url, html(url)), KNOWN.__contains__)
    return asked, closed


def back(template):
    return [SITE + template.format(number) for number in range(50)]


@pytest.mark.parametrize(
    "template",
    [
        "login/?next=%2Ftalk%2F{}",
        "login/?next=/talk/{}",
        "login/?next=https%3A%2F%2Fexample.org%2Ftalk%2F{}",
        "login/?next=%252Ftalk%252F{}",
        "feedback.php?r=/talk/{}",
        "user/login?destination=talk/{}",
        "index.php?lang=de&do=report&about=/talk/{}",
    ],
)
def test_a_page_with_a_way_back_is_read_a_few_times(template):
    same = SameAnswers()
    asked, [closed] = read(same, back(template))
    assert len(asked) == WAYS_BACK
    assert closed.kind is ClosedKind.SAME
    assert f"{WAYS_BACK} values of " in closed.reason
    assert closed.place.startswith("example.org/") and closed.place.endswith("=")
    assert same.refusal(TALKS[0]) is same.refusal(f"{SITE}login/") is same.refusal(f"{SITE}login/?lang=de") is None
    assert (same.refusal(f"{SITE}login/?next=/about") is not None) == template.startswith("login/")


@pytest.mark.parametrize("template", ["login/?next=/about/{}", "feedback/?next=eyJhbGciOi{}", "reply.php?t={}"])
def test_other_values_take_more_answers(template):
    assert len(read(SameAnswers(), back(template))[0]) == VALUES


def test_a_page_that_says_what_its_value_says_is_read_in_full():
    wiki = lambda url: f"<h1>Page</h1><p>All about {url[-2:]}"  # noqa: E731
    for template in ("wiki?page=/talk/{}", "view?file=/talk/{}", "viewtopic.php?t={}"):
        assert len(read(SameAnswers(), back(template), wiki)[0]) == 50


@pytest.mark.parametrize("at", [0, WAYS_BACK - 2])
def test_one_other_answer_is_enough(at):
    urls = back("wiki?page=/talk/{}")
    asked, closed = read(SameAnswers(), urls, lambda url: "<p>Found" if url == urls[at] else "<p>There is no such page")
    assert (len(asked), closed) == (50, [])


@pytest.mark.parametrize(
    "html",
    [
        "<a href='/photo?id={}'>photo</a>",
        "<a href='/photo/{}'>photo</a>",
        "<iframe src='/text/{}.html'></iframe>",
        "<meta http-equiv=refresh content='0; url=/text/{}'>",
        "<meta name=description content='Photo {}'>",
    ],
)
def test_pages_without_words_that_lead_elsewhere_differ(html):
    asked, closed = read(SameAnswers(), back("album?page={}"), lambda url: html.format(url.partition("=")[2]))
    assert (len(asked), closed) == (50, [])


def test_links_that_hand_the_value_on_do_not_differ():
    """The login page has the same login link, with its own address as the return address."""

    def form(url):
        value = url.partition("=")[2]
        nested = f"%2Flogin%2F%3Fnext%3D{value.replace('%', '%25')}"
        return (
            f"{FORM}<a href='/login/?next={nested}'>Log in</a><a href='?lang=de&next={value}'>Deutsch</a>"
            f"<a href='/register?next={value}'>Register</a><a href='/reset?sid={hash(url) & 0xFFFF:032x}'>Reset</a>"
            f"<a href='/send#{value}'>Send</a><a href='//[?x'>broken</a>"
        )

    assert len(read(SameAnswers(), back("login/?next=%2Ftalk%2F{}"), form)[0]) == WAYS_BACK


def test_a_site_that_says_the_same_everywhere_closes_nothing():
    """It may be down for a while, or ask who reads it; only ways back are left out."""
    assert len(read(SameAnswers(), back("?id={}"), between=False)[0]) == 50
    assert len(read(SameAnswers(), back("login?next=/talk/{}"), between=False)[0]) == WAYS_BACK


def in_order(url, texts):
    return "".join(f"<li>{text}" for text in sorted(texts, key=lambda text: url_key(f"{url}{text}")))


def test_the_orders_of_a_list_are_one_page_even_if_they_are_read_one_after_another():
    links = [f"<a href='/ticket/{number}'>ticket\n {number}</a>" for number in range(25)]
    asked, [closed] = read(SameAnswers(), back("list?sort={}"), lambda url: in_order(url, links), between=False)
    assert len(asked) == VALUES
    assert closed.place == "example.org/list?sort="


def test_the_orders_of_a_list_that_goes_on_elsewhere_are_several_pages():
    """Of 60 tickets a page shows the first 25, which are others in each order."""

    def first(url):
        return "".join(in_order(url, [f"ticket {number}" for number in range(60)]).split("<li>")[:26])

    assert len(read(SameAnswers(), back("list?sort={}"), first)[0]) == 50


def test_other_parameters_are_part_of_what_is_compared():
    same = SameAnswers()
    read(same, back("posting.php?mode=reply&t={}"))
    assert same.refusal(f"{SITE}posting.php?t=99&mode=reply") is not None
    assert same.refusal(f"{SITE}posting.php?t=99&mode=smilies") is None
    assert same.refusal(f"{SITE}posting.php?t=99&mode=reply&page=2") is None


def test_the_same_page_read_again_is_no_further_value():
    same = SameAnswers()
    assert read(same, [f"{SITE}login?next=/talk/1"] * 50)[1] == []
    assert len(read(same, back("login?next=/talk/{}"))[1]) == 1


def test_the_start_url_is_always_requested_and_what_was_closed_stays_closed():
    _, closed = read(SameAnswers(), back("login?next=/talk/{}"))
    later = SameAnswers(f"{SITE}login?next=/talk/7")
    later.restore(closed)
    assert later.refusal(f"{SITE}login?next=/talk/7") is None
    assert later.refusal(f"{SITE}login?next=/talk/8") == closed[0].reason


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(same_answers, "MAX_GROUPS", 5)
    same = SameAnswers()
    read(same, [f"{SITE}{number}?a=1&b=2" for number in range(50)])
    assert len(same._groups) == 5


def test_parameters():
    assert parameters(f"{SITE}a") == []
    found = parameters("http://www.example.org/a?b=2&a=1&b=3&utm_source=x")
    assert [(one.name, one.value, one.place) for one in found] == [
        ("a", "1", "example.org/a?b=2&b=3&a="),
        ("b", "2&3", "example.org/a?a=1&b="),
    ]
    assert len({one.key for one in found}) == 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("%2Ftalk%2F1", True),
        ("talk%2F1", True),
        ("https://example.org/talk/1%23top", True),
        ("https://other.example/talk/1", False),
        ("//example.org/talk/1", False),
        ("%2Funknown", False),
        ("talk", False),
        ("http://[/talk", False),
        ("", False),
    ],
)
def test_a_way_back_is_the_address_of_a_known_page(value, expected):
    assert is_way_back(f"{SITE}folder/login?next={value}", value, KNOWN.__contains__) is expected
