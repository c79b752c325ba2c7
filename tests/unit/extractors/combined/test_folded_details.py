"""Parts of a text that a click unfolds are kept."""

import pytest

from sitecrawl.extractors.combined.folded_details import with_details

from .sites import Sample

PROSE = "<p>The mole of harbour {0} was built by hand.</p><p>Nobody in harbour {0} could see its end.</p>"
PROOF = (
    "<details class='solution-like collapsed'><summary class='collapse'>Solution</summary>"
    "<div class='print-hidden'><p>Since {0} is even, so is the sum {0}</p></div></details>"
)
ANSWER = ["Solution", "Since 0 is even, so is the sum 0"]


def cut(html, pages=12):
    """Return the texts that are kept of the first of some pages, beside its sentences."""
    site = Sample([html.format(number) for number in range(pages)])
    found = with_details(site.flat, site.blocks, [text.endswith(".") for text in site.texts], site.known)
    return [text for text in site.chosen(found) if not text.endswith(".")]


def test_a_fold_in_the_text_is_kept_with_its_summary():
    assert cut(f"<main>{PROSE}{PROOF}{PROSE}</main>") == ANSWER
    assert cut(f"{PROSE}{PROOF}{PROSE}") == ANSWER  # between kept blocks of a page without containers
    assert cut(f"<main>{PROSE}{PROOF}{PROSE}</main>", pages=4) == []  # three others are no evidence


def test_folds_right_behind_the_text_are_kept():
    page = (
        f"<section><div class=product__description>{PROSE}</div><div class=product__accordion>{PROOF}</div></section>"
    )
    assert cut(f"<main><h1>Mole</h1>{page}</main>") == ANSWER
    shared = PROOF.replace("{0}", "it").replace("Solution", "Shipping")
    assert cut(f"<main>{page}</main>".replace("</section>", f"{shared}</section>")) == ANSWER
    before = f"<section>{PROOF}<div class=product__description>{PROSE}</div></section>"
    assert cut(f"<main>{before}</main>") == []


@pytest.mark.parametrize(
    "html",
    [
        f"<main>{PROSE}</main><div>{PROOF}</div>",  # outside the region
        f"{PROOF}{PROSE}",
        f"<main>{PROSE}<nav>{PROOF}</nav>{PROSE}</main>",
        f"<main>{PROSE}{PROOF.replace('print-hidden', 'share-box')}{PROSE}</main>",
        f"<main>{PROSE}{PROOF.replace('{0}', 'it')}{PROSE}</main>",  # on all pages
        f"<main>{PROSE}<details><summary>Versions</summary><p><a href=/v>Version {{0}}</a></p></details>{PROSE}</main>",
        f"<main>{PROSE}</main>".replace(".", ""),
    ],
)
def test_other_folds_are_left(html):
    assert cut(html) == []


def test_a_summary_is_kept_with_most_of_its_text():
    more = "<p>This page is a part of the handbook of harbours and of their keepers"
    fold = f"<main>{PROSE}{PROOF.replace('</div>', f'{more}</div>')}{PROSE}</main>"
    assert cut(fold) == ANSWER[1:]
    assert cut(f"<main>{PROSE}{PROOF.replace('Solution', '<a href=/s>Solution</a>')}{PROSE}</main>") == ANSWER[1:]
