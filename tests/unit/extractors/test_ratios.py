"""ccb, accb, cetr and words-leafs on pages."""

from time import process_time

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, get_extractor
from sitecrawl.extractors.papers.ccb import MOST, SETTLED, blur, content_shares, mirrored, runs, settled_rounds, values
from sitecrawl.extractors.papers.cetr import far_from_origin, lines

PARAGRAPH = "The harbour wall was finished in the spring of that year, and the first ships came in on the tide of May. "
LINKS = "".join(f'<li class="item"><a href="/menu/{i}.html" class="link">Menu {i}</a></li>' for i in range(30))
PAGE = f"""<html><body><div id=top><ul class="menu">{LINKS}</ul></div>
<div class="content"><p>{PARAGRAPH * 4}</p><p>{PARAGRAPH * 3}</p><p>{PARAGRAPH * 5}</p></div>
<div class="foot"><a href=/a>About</a> <a href=/b>Imprint</a> <span>2026</span></div></body></html>"""
METHODS = ("ccb", "accb", "cetr", "words-leafs")


def page(html):
    return Page.from_html(html, "https://example.org/")


@pytest.mark.parametrize("method", METHODS)
def test_the_paragraphs_are_found_among_links(method):
    found = page(PAGE)
    extraction = get_extractor(method).extract(found)
    text = found.text(extraction.nodes)
    assert text.count("harbour wall") == 12
    assert "Menu 7" not in text
    assert "Imprint" not in text
    assert 0.5 < extraction.confidence <= 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("html", ["<p></p>", "<script>x=1</script>", "<p>One.</p>", "<div>" * 2900 + "deep text"])
def test_odd_pages_give_an_answer(method, html):
    extraction = get_extractor(method).extract(page(html))
    assert extraction.kind in (Kind.CONTENT, Kind.NONE)


@pytest.mark.parametrize("method", METHODS)
def test_time_is_linear(method):
    def seconds(times):
        found = page(f"<body>{PAGE * times}")
        assert found.flat
        began = process_time()
        get_extractor(method).extract(found)
        return process_time() - began

    small = min(seconds(10) for _ in range(3))
    assert min(seconds(80) for _ in range(2)) < 8 * 4 * small + 0.05


def test_values_of_runs_are_those_of_the_blurred_characters():
    found = page(PAGE)
    stretches, length = runs(found)
    vector = [0.0] * length
    for run in stretches:
        vector[run.begin : run.end] = [1.0] * (run.end - run.begin)
    once = blur(vector, 40, 10.0)
    thrice = blur(blur(once, 40, 10.0), 40, 10.0)
    edges = mirrored([edge for run in stretches for edge in (run.begin, run.end)], length)
    places = [run.begin + 0.5 * (run.end - run.begin) for run in stretches]
    for blurred, spread in ((once, 10.0), (thrice, 10.0 * 3**0.5)):
        expected = [(blurred[int(place - 0.5)] + blurred[int(place)]) / 2 for place in places]
        assert values(edges, length, places, spread) == pytest.approx(expected, abs=0.02)


SHORT = "".join(f"<p>{word} <b>{word * 3}</b><i>{word}</i></p>" for word in ("ha", "wall", "harbour", "x"))
MIXED = f"<body>{SHORT}<p>{PARAGRAPH} <a href=/long/address/of/a/page class=link>{PARAGRAPH[:40]}</a> and {PARAGRAPH}</p>{SHORT * 3}"


def literally(found, anchors, reach=40):
    """Return the values of all characters after as many rounds as it takes, character by character, and the rounds."""
    stretches, length = runs(found, anchors=anchors)
    vector = [0.0] * length
    for run in stretches:
        vector[run.begin : run.end] = [1.0] * (run.end - run.begin)
    rounds, moved = 0, 1.0
    while moved > SETTLED:
        after = blur(vector, reach, reach / 4)
        moved = max(abs(a - b) for a, b in zip(vector, after, strict=True))
        vector, rounds = after, rounds + 1
    return stretches, length, vector, rounds


@pytest.mark.parametrize("html", [f"<body>{PARAGRAPH * 3}", MIXED, f"<body>{MIXED * 2}<ul>{LINKS[:1200]}</ul>{SHORT}"])
@pytest.mark.parametrize("method, anchors", [("ccb", True), ("accb", False)])
def test_whole_texts_are_kept_as_most_of_their_characters_are_when_each_is_blurred(html, method, anchors):
    found = page(html)
    stretches, length, vector, rounds = literally(found, anchors)
    edges = mirrored([edge for run in stretches for edge in (run.begin, run.end)], length)
    own = settled_rounds(edges, length, 10.0)
    assert abs(own - rounds) <= 1
    shares = content_shares(stretches, length, 10.0 * own**0.5, edges, 0.75)
    kept = set()
    for run, share in zip(stretches, shares, strict=True):
        expected = sum(value >= 0.75 for value in vector[run.begin : run.end]) / (run.end - run.begin)
        assert share == pytest.approx(expected, abs=max(0.1, 1.5 / (run.end - run.begin)))
        if expected > MOST:
            kept.add(run.row)
    chosen = {i for node in get_extractor(method).extract(found).nodes for i in range(node, found.flat.end[node])}
    assert {run.row for run in stretches if run.row in chosen} == kept
    assert kept


def test_the_last_round_moves_less_and_less():
    vector, moves = [float(x in range(60, 90)) for x in range(300)], []
    for _ in range(6):
        after = blur(vector, 40, 10.0)
        moves.append(max(abs(a - b) for a, b in zip(vector, after, strict=True)))
        vector = after
    assert moves == sorted(moves, reverse=True)


def test_accb_passes_over_the_tags_of_anchors():
    found = page("<body><p>one <a href=/x>two</a> three</p>")
    with_tags, without = runs(found)[1], runs(found, anchors=False)[1]
    assert with_tags - without == len('<a href="/x">') + len("</a>")
    assert [run.row for run in runs(found)[0]] == [i for i, tag in enumerate(found.flat.tag) if tag == "#text"]


def test_lines_break_at_blocks_and_wrap():
    found = lines(page(f"<body><p>short <b>bold</b></p><div>{'x' * 150}</div>").flat)
    assert [(line.chars, line.tags) for line in found if line.chars] == [(9, 4), (65, 1), (65, 0), (20, 1)]


def test_clusters_keep_the_origin():
    points = [(0.0, 0.0), (0.5, 0.2), (60.0, 30.0), (80.0, 35.0), (1.0, 0.0)]
    assert far_from_origin(points) == [False, False, True, True, False]
    assert far_from_origin([(0.0, 0.0)]) == [False]


@pytest.mark.parametrize(
    "method, options",
    [
        ("ccb", {"threshold": 2}),
        ("accb", {"reach": 0}),
        ("cetr", {"variant": "3d"}),
        ("cetr", {"deviations": -1}),
        ("words-leafs", {"share": 0}),
    ],
)
def test_options_out_of_range_are_named(method, options):
    with pytest.raises(ConfigError, match=f"{method}: {next(iter(options))} is"):
        get_extractor(method, **options)
