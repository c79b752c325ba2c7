"""Fields in elements of their own, a label and a value each, are kept whole near the content."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.combined.field_rows import LONGEST, STEPS, with_field_rows
from sitecrawl.extractors.combined.method import Combined
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from .sites import Sample

TEXT = 2 * "<p>The boat was built by hand, of planks that a ship had brought from the north.</p>"
LABELS = ("CELL Colour", "CELL Length", "CELL Built in")


def fields(number, *, made="<div class=row><div><strong>{}</strong></div><div>{}</div></div>", labels=LABELS):
    """Return the fields of a page, of which the last has the same value on two of three pages."""
    values = (f"CELL red {number}", f"CELL {number + 7} metres", f"CELL 198{number % 3 and 1}")
    return "<div>" + "".join(map(made.format, labels, values)) + "</div>"


def page(number, *, head="<h1>A boat</h1>", text=TEXT, **how):
    """Return the body of a page about a boat."""
    return f"<main><header>{head}</header><section>{fields(number, **how)}</section><div>{text}</div></main>"


def added(made, *, count=8, again="", known=True):
    """Return the texts that are kept too if the cells are not, on the first of some pages."""
    site = Sample([made(number) for number in range(count)])
    return site.added(
        lambda one, kept, repeats, what: with_field_rows(one.flat, one.blocks, kept, repeats, what),
        "CELL",
        again=again,
        known=site.known if known else None,
    )


CELLS = ["CELL Colour", "CELL red 0", "CELL Length", "CELL 7 metres", "CELL Built in", "CELL 1980"]


@pytest.mark.parametrize(
    "made",
    [
        "<div class=row><div><strong>{}</strong></div><div>{}</div></div>",
        "<li><p>{}</p><div><p>{}</p></div></li>",
        "<div><div>{}</div>{}</div>",
    ],
)
def test_labels_of_the_site_beside_values_of_the_page_are_kept(made):
    assert added(lambda n: page(n, made=made)) == CELLS


def test_fields_with_names_of_their_own_belong_together_by_the_name_of_their_labels():
    def named(number, label="class=label", value="CELL "):
        made = (f"<div class=field-{name}><div {label}>{{}}</div><div>{{}}</div></div>" for name in ("a", "b", "c"))
        rows = (one.format(label, f"{value}{label[5:]} {number}") for one, label in zip(made, LABELS, strict=True))
        return f"<main><h1>A boat</h1><section>{''.join(rows)}</section><div>{TEXT}</div></main>"

    assert added(lambda n: named(n, value="")) == list(LABELS)
    assert added(lambda n: named(n, "", value="")) == []
    assert added(named) == []  # none of the values is kept


def test_repetitions_stay_dropped():
    assert added(page, again="CELL red 0") == [text for text in CELLS if text != "CELL red 0"]


def test_without_a_headline_fields_beside_the_text_are_kept():
    def beside(number):
        return f"<main><div>{fields(number)}</div><div>{TEXT}</div></main>"

    assert added(beside) == CELLS
    assert added(lambda n: page(n, head="")) == CELLS
    assert added(lambda n: page(n, head="", text=f"<div><div>{TEXT}</div></div>")) == []


def test_where_the_headline_stands_in_the_body_fields_up_to_the_end_of_the_text_are_kept():
    def flat(number):
        return f"<h1>A boat</h1>{fields(number)}<div><div>{TEXT}</div></div>"

    assert added(flat) == CELLS
    assert added(lambda n: f"<h1>A boat</h1><div><div>{TEXT}</div></div>{fields(n)}") == []


@pytest.mark.parametrize(
    "made",
    [
        lambda n: page(0),  # the same values everywhere, as below the headings of a footer
        lambda n: page(n, labels=[f"CELL {n} {i}" for i in range(3)]),  # no labels of the site
        lambda n: page(n, labels=LABELS[:2]),
        lambda n: page(n) if n < 2 else page(n, labels=()),  # labels of few pages
        lambda n: page(n, labels=(*LABELS[:2], f"CELL {'x' * LONGEST}")),
        lambda n: page(n, labels=[f"{label}, as the keeper of the mole said" for label in LABELS]),
        lambda n: page(n, made="<div><div>{}</div><a href=/>{}</a></div>"),  # links
        lambda n: page(n, made="<div><div><a href=/>{}</a></div><div>{}</div></div>"),
        lambda n: page(n, made="<div>{}<br><br>{}</div>"),  # no element of its own
        lambda n: page(n, made="<div><div>{}</div><div>{}</div><p>CELL</p></div>"),
        lambda n: page(n).replace("<section>", "<section class=sidebar>"),
        lambda n: page(n, made=f"<div>{'<div>' * STEPS}{{}}{'</div>' * STEPS}<div>{{}}</div></div>"),
    ],
)
def test_other_elements_stay_as_they_are(made):
    assert added(made) == []


def test_few_other_pages_are_no_evidence():
    assert added(page, count=4) == []
    assert added(page, known=False) == []


def test_the_page_of_a_thread_has_no_such_fields():
    learned, method = SiteTemplate(), Combined()
    pages = [page(number) for number in range(8)]
    read = [Page.from_html(f"<body>{html}</body>", f"https://a.example/boats/{n}") for n, html in enumerate(pages)]
    for one in read:
        learned.learn(one.flat)
    site = SiteContext(template=snapshot(learned, 1), learned=True)
    thread = Page.from_html(f"<body>{pages[0]}</body>", "https://a.example/showthread.php?t=77")
    kept, cut = (one.text(method.extract(one, site).nodes) for one in (read[0], thread))
    assert "Built in" in kept
    assert "Built in" not in cut
