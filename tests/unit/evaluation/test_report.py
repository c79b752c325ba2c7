"""Tests of the HTML report."""

from dataclasses import replace

import pytest
from lxml import etree, html

from sitecrawl.evaluation.report import MAX_SITES, html_report
from sitecrawl.evaluation.results import Comparison, Interval

from .figures import report, summary

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"'"
FOUND = report(
    summary("combined", 0.90, learned=0),
    summary("combined", 0.96, learned=30, kinds={"blog": 0.97, "wiki": 0.9}),
    summary("density", 0.70, kinds={"blog": 0.75}),
    summary("peer:trafilatura", 0.83, kinds={"blog": 0.8, "wiki": 0.7}),
    summary("combined", 0.80, collection="articles", sites={}),
    versions={"sitecrawl": "0.1.0", "lxml": "6.1.3"},
    problems=["golden: one page was left out."],
    comparisons=[
        Comparison("golden", "combined", 30, "peer:trafilatura", 0, "word_f1", Interval(0.13, 0.1, 0.16)),
        Comparison("golden", "density", 0, "peer:trafilatura", 0, "word_f1", Interval(-0.13, -0.16, -0.1)),
        Comparison("golden", "density", 0, "combined", 0, "node_f1", Interval(0.01, -0.02, 0.04)),
    ],
)


@pytest.fixture(scope="module")
def page():
    """The parsed page of the report."""
    return html.document_fromstring(html_report(FOUND))


def content(element):
    return " ".join(" ".join(element.itertext()).split())


def card(section, title):
    (found,) = [div for div in section.iter("div") if (div.findtext("h3") or "") == title]
    return found


def table(card):
    return [[content(cell) for cell in row] for row in card.iter("tr")]


def test_the_page_stands_alone(page):
    assert not list(page.iter("script", "link", "img", "iframe", "object", "embed", "form"))
    assert [a.get("href") for a in page.iter("a")] == ["#c1", "#c2"]
    assert {section.get("id") for section in page.iter("section")} == {"c1", "c2"}
    source = html_report(FOUND)
    assert "http" not in source
    assert "url(" not in source
    assert "@import" not in source
    assert "$" not in source


def test_it_is_the_same_every_time():
    assert html_report(FOUND) == html_report(replace(FOUND, summaries=list(FOUND.summaries)))


def test_text_is_escaped():
    found = report(
        summary(HOSTILE, collection=HOSTILE, learned=0, kinds={HOSTILE: 0.9}, sites={HOSTILE: 0.9, "b": 0.8}),
        summary(HOSTILE, collection=HOSTILE, learned=5),
        summary(f"peer:{HOSTILE}", collection=HOSTILE),
        date=HOSTILE,
        versions={HOSTILE: HOSTILE},
        problems=[HOSTILE],
        comparisons=[Comparison(HOSTILE, HOSTILE, 5, f"peer:{HOSTILE}", 0, HOSTILE, Interval(0, 0, 0))],
    )
    source = html_report(found)
    assert "<script" not in source
    assert "<img" not in source
    parsed = html.document_fromstring(source)
    assert not any(name.startswith("on") for element in parsed.iter() for name in element.attrib)
    assert source.count("&lt;script&gt;") > 10


def test_charts_are_well_formed(page):
    source = html_report(FOUND)
    drawings = ["<svg" + part.split("</svg>")[0] + "</svg>" for part in source.split("<svg")[1:]]
    assert len(drawings) == 5
    for drawing in drawings:
        assert etree.fromstring(drawing).get("role") == "img"


def test_both_colour_schemes_have_every_colour():
    style = html_report(FOUND).split("<style>")[1].split("</style>")[0]
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    for number in range(14):
        assert f"--c{number}:" in light
        assert f"--c{number}:" in dark
        assert f".m{number} " in dark


def test_a_collection_is_led_by_its_best(page):
    first, second = page.iter("section")
    assert content(first.find("h2")) == "golden"
    assert content(first.find("p")) == (
        "3 sites, 12 pages · best method: combined, F1 0.960 (0.930 to 0.990)"
        " · best library: trafilatura, F1 0.830 (0.800 to 0.860)"
    )
    assert content(second.find("p")) == "3 sites, 12 pages · best method: combined, F1 0.800 (0.770 to 0.830)"
    assert content(page.find(".//header")).endswith("2026-11-21 · 2 methods · 1 other library golden articles")


def test_the_bars_are_of_the_most_pages_learned(page):
    (first, _) = page.iter("section")
    drawn = [content(element) for element in card(first, "F1 by method").iter("text")]
    assert drawn[-6:] == ["combined", "0.960", "trafilatura", "0.830", "density", "0.700"]


def test_curves_are_drawn_where_there_are_some(page):
    first, second = page.iter("section")
    drawn = content(card(first, "F1 by pages learned"))
    assert "Dashed" in drawn
    assert "combined: 0.900 after 0, 0.960 after 30" in drawn
    assert "F1 by pages learned" not in content(second)


def test_kinds_of_site(page):
    first, second = page.iter("section")
    assert table(card(first, "F1 by kind of site")) == [
        ["method", "blog", "wiki", "all"],
        ["combined", "0.97", "0.90", "0.96"],
        ["trafilatura", "0.80", "0.70", "0.83"],
        ["density", "0.75", "–", "0.70"],
    ]
    assert "F1 by kind of site" not in content(second)


def test_differences_say_who_is_better(page):
    (first, second) = page.iter("section")
    assert table(card(first, "Differences"))[1:] == [
        ["combined", "trafilatura", "Words F1", "+0.130", "+0.100 to +0.160", "better"],
        ["density", "trafilatura", "Words F1", "−0.130", "−0.160 to −0.100", "worse"],
        ["density", "combined", "Nodes F1", "+0.010", "−0.020 to +0.040", "not clearly different"],
    ]
    assert "Differences" not in content(second)


def test_all_figures_are_listed(page):
    (first, _) = page.iter("section")
    rows = table(card(first, "All figures"))
    assert rows[0] == ["method", "pages learned", "Words", "time", "errors", "pages", "sites"]
    assert rows[1] == ["P", "R", "F1", "ms/page", "s/MB"]
    assert rows[2] == ["combined", "30", "0.980", "0.940", "0.960 0.930–0.990", "4.00", "0.100", "0", "12", "3"]
    assert [row[0] for row in rows[2:]] == ["combined", "combined", "trafilatura", "density"]
    best = [content(cell) for cell in card(first, "All figures").iter("td") if "best" in cell.get("class", "")]
    assert best == ["0.980", "0.940", "0.960 0.930–0.990"]


def test_sites_are_listed_unless_there_are_too_many(page):
    first, second = page.iter("section")
    assert table(first.find("details"))[:2] == [
        ["site", "combined", "trafilatura", "density"],
        ["a", "0.960", "0.830", "0.700"],
    ]
    assert second.find("details") is None
    many = {f"site {number}": 0.5 for number in range(MAX_SITES + 1)}
    assert "F1 by site" not in html_report(report(summary(sites=many)))


def test_reports_with_little_in_them():
    assert "0 methods" in html_report(report())
    lacking = html_report(report(summary(metrics={})))
    assert "golden" in lacking
    assert "best method" not in lacking
    assert "Notes" not in lacking
