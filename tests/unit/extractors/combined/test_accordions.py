"""A title of an accordion is kept with what it opens, and the other parts with those that are kept."""

import time

import pytest

from sitecrawl.extractors.combined.accordions import LARGEST, LONGEST, with_accordions

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
ANSWER = "An answer of some length, which tells what was asked."
OTHERS = [f"<main><p>Page {number}</p></main>" for number in range(5)]
SECONDS = 4.0
"""Far above what a page with a thousand nested buttons takes."""


def part(question, answer, title="<h3><button>{}</button></h3>"):
    return f"<div>{title.format(question)}<div><p>{answer}</p></div></div>"


def added(*parts, others=(), again="", around="main"):
    """Return the texts that are kept too if those with LOST are not."""
    site = Sample([f"<main>{TEXT}<{around}>{''.join(parts)}</{around}></main>", *others])
    return site.added(
        lambda one, kept, repeats, known: with_accordions(one.flat, one.blocks, kept, repeats, known),
        "LOST",
        again=again,
        known=site.known if others else None,
    )


@pytest.mark.parametrize(
    "title",
    [
        "<h3><button>{}</button></h3>",
        "<button><span>{}</span></button>",
        "<div class=accordion-title>{}</div>",
        "<div class=elementor-tab-title><a>{}</a></div>",
        "<div class=faq-question>{}</div>",
        "<p class=question>{}</p>",
    ],
)
def test_a_title_is_kept_with_what_it_opens(title):
    assert added(part("LOST one?", ANSWER, title), part("LOST two?", ANSWER, title)) == ["LOST one?", "LOST two?"]


def test_titles_and_what_they_open_may_stand_in_turn():
    parts = [f"<button>LOST {number}?</button><div><p>{ANSWER}</p></div>" for number in "ab"]
    assert added(*parts) == ["LOST a?", "LOST b?"]


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("<h3><button>{}</button></h3>", [("LOST one?", ANSWER)]),
        ("<h3><button>{}</button></h3>", [("LOST?", ANSWER), ("LOST?", ANSWER)]),
        ("<div class=tablet-headline>{}</div>", [("LOST one?", ANSWER), ("LOST two?", ANSWER)]),
        ("<button>{}</button>", [("LOST one", "<a href=/7>Seven</a>"), ("LOST two", "<a href=/8>Eight</a>")]),
        ("<button>{}</button>", [("LOST one?", f"LOST {ANSWER}"), ("LOST two?", f"LOST {ANSWER}")]),
    ],
)
def test_what_is_no_accordion_stays_as_it_is(title, parts):
    assert added(*(part(*one, title) for one in parts)) == []


@pytest.mark.parametrize(
    "html",
    [
        # one part in each of two elements, text before the first title, titles that begin a line, long ones
        "".join(f"<div><p>Before</p>{part(f'LOST {one}?', ANSWER)}</div>" for one in "ab"),
        f"<p>Before</p><button>LOST one?</button><p>{ANSWER}</p><button>LOST two?</button><p>{ANSWER}</p>",
        "".join(f"<div><b class=tab-title>LOST {one}</b> and more<p>{ANSWER}</p></div>" for one in "ab"),
        "".join(part(f"LOST {one}{'x' * LONGEST}", ANSWER) for one in "ab"),
    ],
)
def test_other_elements_are_no_accordion(html):
    assert added(html) == []


def test_accordions_of_the_furniture_stay_as_they_are():
    assert added(part("LOST one?", ANSWER), part("LOST two?", ANSWER), around="nav") == []


def test_with_other_pages_known_an_answer_is_kept_with_its_question():
    parts = [part("One?", f"LOST {ANSWER}"), part("Two?", ANSWER)]
    assert added(*parts) == []
    assert added(*parts, others=OTHERS[:3]) == []
    assert added(*parts, others=OTHERS[:4]) == [f"LOST {ANSWER}"]
    assert added(*parts, others=OTHERS, again=f"LOST {ANSWER}") == []


def test_with_half_of_the_parts_the_others_are_kept_if_no_other_page_has_them():
    parts = [part("One?", ANSWER), part("LOST two?", f"LOST {ANSWER}")]
    assert added(*parts, others=OTHERS) == ["LOST two?", f"LOST {ANSWER}"]
    assert added(*parts, part("LOST three?", "LOST"), others=OTHERS) == []
    same = [f"<main>{TEXT}<main>{''.join(parts)}</main></main>"]
    assert added(*parts, others=OTHERS + same) == []


def test_nested_buttons_cost_little():
    html = "<div><button>x</button>" * 1_000 + f"<p>LOST {ANSWER}</p>" + "</div>" * 1_000
    begun = time.perf_counter()
    added(html, others=OTHERS)
    assert time.perf_counter() - begun < SECONDS


def test_most_of_a_page_is_no_part():
    parts = [f"<p>{ANSWER}</p>" * (number - 1) for number in (LARGEST, LARGEST + 1)]
    assert added(*(f"<div><button>LOST {i}?</button>{one}</div>" for i, one in enumerate(parts[:1] * 2))) == [
        "LOST 0?",
        "LOST 1?",
    ]
    assert added(*(f"<div><button>LOST {i}?</button>{one}</div>" for i, one in enumerate(parts[1:] * 2))) == []
