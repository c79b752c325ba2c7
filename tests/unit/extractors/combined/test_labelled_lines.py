"""The layout decides about lines with a label."""

import pytest

from sitecrawl.extractors.combined.labelled_lines import LEAST, LONGEST, with_usual_lines
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

TEXT = "<p>The boat {0} was built by hand, of planks that a ship had brought from the north in the year {0}.</p>"
LINE = "<div class=length><b>Length:</b> {0} metres</div>"
SHOWN = "Length: 0 metres"


def changed(line=LINE, *, vote, dropped=SHOWN, kind=LayoutKind.SERVICE, others=None, count=9, place="", chance=0.5):
    """Return the texts whose verdict changes by the vote of the layout on the path of the line, and where none does."""
    made = f"<main><section>{{1}}{TEXT * 3}</section>{{2}}</main>"

    def page(number, line):
        lines = (line.format(number), "") if not place else ("", place.format(line.format(number)))
        return made.format(number, *lines)

    site = Sample([page(number, line if not number or others is None else others) for number in range(count)])
    kept = [text != dropped for text in site.texts]
    path = site.path(SHOWN) if SHOWN in site.texts else -1
    decision = LayoutDecision(kind, 0.9, 20, 80.0, verdicts={path: (vote, vote)})
    chances = [chance] * len(kept)
    found = with_usual_lines(site.flat, site.blocks, kept, [False] * len(kept), chances, site.known, decision)
    return site.chosen([now != before for now, before in zip(found, kept, strict=True)])


def test_a_line_follows_the_majority_of_its_layout():
    assert changed(vote=0.5) == [SHOWN]
    assert changed(vote=0.4) == []
    assert changed(vote=0.4, dropped="") == [SHOWN]
    assert changed(vote=0.5, dropped="") == []


def test_a_line_with_a_sure_verdict_does_not_follow_its_layout():
    assert [changed(vote=1.0, chance=chance) for chance in (0.29, 0.3, 0.8, 0.81)] == [[], [SHOWN], [SHOWN], []]


def test_a_reference_does_not_drop_lines():
    assert changed(vote=0.4, dropped="", kind=LayoutKind.REFERENCE) == []
    assert changed(vote=0.5, kind=LayoutKind.REFERENCE) == [SHOWN]


def test_lines_outside_of_the_region_are_left_as_they_are():
    assert changed(vote=0.5, place="{}") == [SHOWN]  # right beside it
    assert changed(vote=0.5, place="</main><aside>{}</aside>") == []


@pytest.mark.parametrize(
    "line",
    [
        "<div class=length>Length {0}: metres</div>",  # no label
        "<div class=length><b>Length</b> {0} metres</div>",
        "<h2 class=length><b>Length:</b> {0} metres</h2>",
        "<table><tr><td class=length><b>Length:</b> {0} metres</table>",
        f"<div class=length><b>Length:</b> {{0}} {'metres' * LONGEST}</div>",
    ],
)
def test_other_lines_are_left_as_they_are(line):
    site = Sample([f"<main>{TEXT * 3}{line.format(0)}</main>"])
    assert changed(line, vote=1.0, dropped=site.texts[-1]) == []


def test_nearly_all_pages_with_the_place_must_have_the_label():
    assert changed(vote=0.5, others="<div class=length><b>Width:</b> {0} metres</div>") == []
    assert changed(vote=0.5, others="") == []
    assert changed(vote=0.5, count=LEAST) == []
    assert changed(vote=0.5, count=LEAST + 1) == [SHOWN]


def test_votes_on_a_path_with_other_blocks_say_nothing_of_a_line():
    assert changed("<p><b>Length:</b> {0} metres</p>", vote=1.0, place="{}") == [SHOWN]
    assert changed("<p><b>Length:</b> {0} metres</p>", vote=1.0, place="{}<p>It is the longest of all boats.</p>") == []
