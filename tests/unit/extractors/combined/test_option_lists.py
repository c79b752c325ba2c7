"""Lists of options that some pages share are kept whole between kept texts."""

import pytest

from sitecrawl.extractors.combined.option_lists import LONGEST, with_options

from .sites import Sample

TEXT = "<p>The boat was built by hand, of planks that a ship had brought from the north.</p>"
OPTIONS = ("CELL anchor", "CELL compass", "CELL heating", "CELL radar", "CELL two beds")


def options(number, *, made="<li>{}</li>", several=OPTIONS):
    """Return a list of options, of which each page lacks another one."""
    return "<ul>" + "".join(made.format(one) for i, one in enumerate(several) if (i + number) % len(several)) + "</ul>"


def added(made, *, before=TEXT, after=TEXT, again="", votes=True, count=10, known=True):
    """Return the texts that are kept too if the cells are not, on the first of some pages."""
    site = Sample([f"<main>{before}{made(number)}{after}</main>" for number in range(count)])
    return site.added(
        lambda one, kept, repeats, what: with_options(
            one.flat, one.blocks, kept, repeats, lambda: [votes] * len(kept), what
        ),
        "CELL",
        again=again,
        known=site.known if known else None,
    )


@pytest.mark.parametrize("made", ["<li>{}</li>", "<div class=one>{}</div>"])
def test_options_that_some_pages_share_are_kept(made):
    assert added(lambda n: options(n, made=made)) == list(OPTIONS[1:])


def test_three_options_are_a_list():
    assert added(lambda n: options(n, several=OPTIONS[:4])) == list(OPTIONS[1:4])


def test_repetitions_stay_dropped():
    assert added(options, again="CELL radar") == ["CELL compass", "CELL heating", "CELL two beds"]


@pytest.mark.parametrize(
    "made",
    [
        lambda n: options(1),  # the same on all pages
        lambda n: options(n, several=OPTIONS[:3]),
        lambda n: options(n, made="<li><a href=/x>{}</a></li>"),
        lambda n: options(n, made="<p>{}</p>"),
        lambda n: options(n, made=f"<li>{{}} {'x' * LONGEST}</li>"),
        lambda n: f"<nav>{options(n)}</nav>",
    ],
)
def test_other_lists_stay_as_they_are(made):
    assert added(made) == []


def test_outside_of_the_kept_texts_nothing_is_added():
    assert added(options, before="") == []
    assert added(options, after="") == []
    assert added(options, before="", after="") == []


def test_the_look_without_a_template_must_keep_them_and_others_be_known():
    assert added(options, votes=False) == []
    assert added(options, known=False) == []
    assert added(lambda n: options(n) if not n else "", count=5) == list(OPTIONS[1:])
    assert added(lambda n: options(n) if not n else "", count=4) == []


def test_half_of_a_list_that_is_kept_brings_the_rest():
    half = ("CELL anchor", "CELL compass", "CELL heating", "Rope", "Radar")
    assert added(lambda n: options(n, several=half), votes=False) == ["CELL compass", "CELL heating"]
    less = ("CELL anchor", "CELL compass", "CELL heating", "CELL rope", "Radar")
    assert added(lambda n: options(n, several=less), votes=False) == []


def test_a_name_around_the_text_is_no_furniture():
    around = "<div class=content-sidebar-wrap>"
    assert added(options, before=around + TEXT) == list(OPTIONS[1:])
    assert added(lambda n: f"{around}{options(n)}</div>") == []
