"""Tests of the SVG charts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.evaluation import charts
from sitecrawl.evaluation.charts import Curve, Dot, Series, curve_chart, interval_chart, scatter_chart, text
from sitecrawl.evaluation.results import Interval

UNIT = st.floats(0, 1)
NAMES = st.text(min_size=1, max_size=30)
HOSTILE = "<script>alert(1)</script> & \"quoted\" 'too' \x00\ud800"


def series(name, style="m1", hollow=False):
    return Series(name, style, hollow)


def parsed(svg):
    """Return the drawing, which must be well-formed XML, and its size."""
    root = etree.fromstring(svg)
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top, width) == (0, 0, charts.WIDTH)
    return root, height


def places(root, height):
    """Check that every mark and text begins inside the drawing."""
    for element in root.iter("circle", "line", "text"):
        for name, value in element.attrib.items():
            if name in ("x", "x1", "x2", "cx"):
                assert -0.1 <= float(value) <= charts.WIDTH + 0.1, etree.tostring(element)
            elif name in ("y", "y1", "y2", "cy"):
                assert -0.1 <= float(value) <= height + 0.1, etree.tostring(element)


def texts(root):
    return [element.text for element in root.iter("text")]


def circles(root):
    return [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter("circle")]


def test_text_is_safe_everywhere():
    safe = text(HOSTILE)
    assert safe == "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quoted&quot; &#x27;too&#x27; "
    for svg in (
        interval_chart([(series(HOSTILE), Interval(0.5, 0.4, 0.6))], HOSTILE),
        curve_chart([Curve(series(HOSTILE), ((0, 0.5), (5, 0.6)))], HOSTILE),
        scatter_chart([Dot(series(HOSTILE), 1, 0.5)], HOSTILE, HOSTILE),
    ):
        root, _ = parsed(svg)
        assert {element.tag for element in root.iter()} <= {"svg", "g", "title", "text", "line", "circle", "polyline"}
        assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)


def test_intervals_are_drawn_to_scale():
    rows = [
        (series("combined"), Interval(0.9, 0.85, 0.95)),
        (series("trafilatura", "peer", True), Interval(0.7, 0.62, 0.75)),
    ]
    root, height = parsed(interval_chart(rows, "F1"))
    places(root, height)
    assert height == charts.height_of(2)
    found = texts(root)
    assert found[:5] == ["1.0", "0.9", "0.8", "0.7", "0.6"]
    assert found[5:] == ["combined", "0.900", "trafilatura", "0.700"]
    (first, above), (second, below) = circles(root)
    ticks = [float(line.get("x1")) for line in root.iter("line") if line.get("class") == "grid"]
    assert (first, second) == pytest.approx((ticks[1], ticks[3]), abs=0.11)
    assert above < below
    assert [c.get("class") for c in root.iter("circle")] == ["mark", "mark hollow"]
    assert "combined: 0.900 (0.850 to 0.950)" in [title.text for title in root.iter("title")]


def test_long_names_are_cut_but_told():
    root, _ = parsed(interval_chart([(series("a-method-with-a-very-long-name"), Interval(0.5, 0.4, 0.6))], "F1"))
    assert "a-method-with-a-very…" in texts(root)
    assert any(title.text.startswith("a-method-with-a-very-long-name: ") for title in root.iter("title"))


def test_curves_rise_to_the_right():
    curves = [
        Curve(series("webconex"), ((0, 0.5), (5, 0.7), (80, 0.8))),
        Curve(series("combined"), ((0, 0.9), (80, 0.95))),
        Curve(series("trafilatura", "peer", True), ((0, 0.83),)),
    ]
    root, height = parsed(curve_chart(curves, "F1"))
    places(root, height)
    lines = [
        [tuple(map(float, pair.split(","))) for pair in line.get("points").split()] for line in root.iter("polyline")
    ]
    assert [len(line) for line in lines] == [3, 2]
    for line in lines:
        assert line == sorted(line)
        assert [y for _, y in line] == sorted((y for _, y in line), reverse=True)
    assert lines[0][-1][0] == lines[1][-1][0]
    assert len([line for line in root.iter("line") if line.get("class") == "level"]) == 1
    assert {"0", "5", "80", "webconex", "combined", "trafilatura"} <= set(texts(root))


def test_numbers_on_the_axis_do_not_touch():
    curves = [Curve(series("combined"), tuple((learned, 0.9) for learned in range(0, 100)))]
    numbers = [found for found in texts(parsed(curve_chart(curves, "F1"))[0]) if found.isdigit()]
    assert numbers[-1] == "99"
    assert 4 < len(numbers) < 20


def test_points_have_names_beside_them():
    dots = [Dot(series("combined"), 4.0, 0.96), Dot(series("slow"), 100.0, 0.5), Dot(series("instant"), 0.0, 0.9)]
    root, height = parsed(scatter_chart(dots, "F1", "ms"))
    places(root, height)
    assert [found for found in texts(root) if found.isalpha()] == ["ms", "combined", "slow"]
    (x1, y1), (x2, y2) = circles(root)
    assert x1 < x2
    assert y1 < y2


def test_empty_charts_are_charts():
    for svg in (interval_chart([], "F1"), curve_chart([], "F1"), scatter_chart([], "F1", "ms")):
        places(*parsed(svg))


@given(st.lists(st.tuples(NAMES, UNIT, st.floats(1e-4, 1e5)), max_size=25))
def test_everything_is_inside(points):
    places(*parsed(scatter_chart([Dot(series(name), x, y) for name, y, x in points], "F1", "ms")))
    places(
        *parsed(interval_chart([(series(name), Interval(y, y / 2, min(1.0, y * 2))) for name, y, _ in points], "F1"))
    )
    places(*parsed(curve_chart([Curve(series(name), ((0, y), (30, y / 2))) for name, y, _ in points], "F1")))


@given(st.lists(st.floats(10, 300), min_size=1, max_size=40))
def test_labels_are_a_line_apart(wanted):
    found = charts._spread(wanted, 10, 300)
    ordered = [found[i] for i in sorted(range(len(wanted)), key=lambda i: wanted[i])]
    gap = min(13, 290 / max(1, len(wanted) - 1))
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(ordered))
    assert 10 - 1e-6 <= ordered[0] <= ordered[-1] <= 300 + 1e-6


def test_labels_that_have_room_stay():
    assert charts._spread([50, 200, 100], 10, 300) == [50, 200, 100]


def test_names_of_near_points_do_not_cover_each_other():
    points = [(100.0, 100.0 + 2 * number) for number in range(6)]
    found = charts._labels(["method"] * 6, points, 300)
    boxes = [(x, y - 9, x + charts._wide("method"), y + 2) for x, y in found]
    assert not any(charts._common_area(a, b) > 5 for i, a in enumerate(boxes) for b in boxes[:i])
