"""Draws the charts of an evaluation as inline SVG, without scripts or external fonts and images.

Every chart is 400 units wide, for a width of 400 CSS pixels. Colours are CSS classes of the surrounding page, so that
both colour schemes work. Each mark has a `title` with its figures.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log1p, log10
from typing import Final

from sitecrawl.dom.text import printable
from sitecrawl.evaluation.results import Interval

WIDTH: Final = 400
_ROW: Final = 22
_LABEL: Final = 142
"""Right end of the names in a bar chart, in units."""
_PLOT_RIGHT: Final = 350
_LINES_RIGHT: Final = 268
"""Right end of the lines in a line chart, in units; the names are to the right of it."""
_TOP: Final = 12
_LINE_HEIGHT: Final = 13
_CHARACTER: Final = 6.7
"""Mean width of a character of a label, in units."""
_LONGEST: Final = 21
"""Maximum characters of a name that a chart shows."""


@dataclass(frozen=True, slots=True)
class Series:
    """A method in a chart."""

    name: str
    style: str
    """CSS class of its colour."""
    hollow: bool
    """Whether its marks are hollow."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The figures of a method over the number of pages learned."""

    series: Series
    points: tuple[tuple[int, float], ...]
    """(pages learned, figure) by increasing number of pages; a single point for a method that does not learn."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a scatter chart."""

    series: Series
    x: float
    y: float


def text(raw: object) -> str:
    """Return a value as text that is safe in HTML and SVG, attributes included."""
    return escape(printable(str(raw)), quote=True)


def height_of(rows: int) -> int:
    """Return the height of an interval chart for a number of methods, in units."""
    return _TOP + _ROW * rows + 24


def interval_chart(rows: Sequence[tuple[Series, Interval]], title: str) -> str:
    """Return a chart with a mark and its interval for each method, in the order given."""
    lowest = _lowest([interval.low for _, interval in rows])
    height = height_of(len(rows))

    def x(value: float) -> float:
        return _LABEL + 10 + (max(value, lowest) - lowest) / (1 - lowest) * (_PLOT_RIGHT - _LABEL - 10)

    bottom = height - 22
    parts = []
    for tick in _ticks(lowest):
        parts.append(_line(x(tick), _TOP - 4, x(tick), bottom, "grid"))
        parts.append(_text(x(tick), height - 7, f"{tick:.1f}", "tick middle"))
    for number, (series, interval) in enumerate(rows):
        y = _TOP + _ROW * number + _ROW / 2
        figures = f"{series.name}: {interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})"
        parts.append(
            f'<g class="{series.style}"><title>{text(figures)}</title>'
            + _text(_LABEL, y + 4, _short(series.name), "end")
            + _line(x(interval.low), y, x(interval.high), y, "interval")
            + _mark(x(interval.mean), y, hollow=series.hollow)
            + _text(WIDTH - 2, y + 4, f"{interval.mean:.3f}", "value end")
            + "</g>"
        )
    return _svg(height, title, parts)


def curve_chart(curves: Sequence[Curve], title: str, height: int = 340) -> str:
    """Return a chart with a line per method over the pages learned; a method with one point is a dashed line."""
    steps = sorted({learned for curve in curves for learned, _ in curve.points if len(curve.points) > 1}) or [0]
    lowest = _lowest([value for curve in curves for _, value in curve.points])
    left, bottom = 34, height - 38

    def x(learned: int) -> float:
        width = log1p(steps[-1]) - log1p(steps[0]) or 1.0
        return left + 4 + (log1p(learned) - log1p(steps[0])) / width * (_LINES_RIGHT - left - 4)

    def y(value: float) -> float:
        return bottom - (value - lowest) / (1 - lowest) * (bottom - _TOP)

    parts = _levels(lowest, y, left, _LINES_RIGHT)
    parts += [_text(x(step), bottom + 16, step, "tick middle") for step in _apart(steps, x)]
    parts.append(_text((left + _LINES_RIGHT) / 2, height - 6, "pages learned before", "tick middle"))
    ends = _spread([y(curve.points[-1][1]) for curve in curves], _TOP + 2, bottom)
    for curve, end in zip(curves, ends, strict=True):
        style, value = curve.series.style, curve.points[-1][1]
        if len(curve.points) > 1:
            path = " ".join(f"{x(learned):.1f},{y(figure):.1f}" for learned, figure in curve.points)
            drawn = f'<polyline class="line" points="{path}"/>' + "".join(
                _mark(x(learned), y(figure), hollow=curve.series.hollow, size=3) for learned, figure in curve.points
            )
            last = x(curve.points[-1][0])
        else:
            drawn, last = _line(left, y(value), _LINES_RIGHT, y(value), "level"), _LINES_RIGHT
        figures = ", ".join(f"{figure:.3f} after {learned}" for learned, figure in curve.points)
        parts.append(
            f'<g class="{style}"><title>{text(f"{curve.series.name}: {figures}")}</title>{drawn}'
            + _line(last + 4, y(value), _LINES_RIGHT + 12, end, "leader")
            + _text(_LINES_RIGHT + 15, end + 4, _short(curve.series.name, 18), "small")
            + "</g>"
        )
    return _svg(height, title, parts)


def scatter_chart(dots: Sequence[Dot], title: str, x_name: str, height: int = 340) -> str:
    """Return a chart with a named point per method over a logarithmic axis; its figures must be positive."""
    shown = [dot for dot in dots if dot.x > 0]
    left, right, bottom = 34, WIDTH - 10, height - 38
    lowest = _lowest([dot.y for dot in shown])
    first = floor(log10(min((dot.x for dot in shown), default=1)) - 0.1)
    last = max(ceil(log10(max((dot.x for dot in shown), default=1)) + 0.1), first + 1)

    def x(value: float) -> float:
        return left + 4 + (log10(value) - first) / (last - first) * (right - left - 4)

    def y(value: float) -> float:
        return bottom - (value - lowest) / (1 - lowest) * (bottom - _TOP)

    parts = _levels(lowest, y, left, right)
    for power in range(first, last + 1):
        place = x(10.0**power)
        parts.append(_line(place, _TOP, place, bottom, "grid"))
        anchor = "end" if power == last else "middle"
        parts.append(_text(place, bottom + 16, f"{10.0**power:,g}", f"tick {anchor}"))
    parts.append(_text((left + right) / 2, height - 6, x_name, "tick middle"))
    places = [(x(dot.x), y(dot.y)) for dot in shown]
    names = [_short(dot.series.name) for dot in shown]
    for dot, name, (px, py), (lx, ly) in zip(shown, names, places, _labels(names, places, bottom), strict=True):
        figures = f"{dot.series.name}: {dot.y:.3f} at {dot.x:.3g}"
        parts.append(
            f'<g class="{dot.series.style}"><title>{text(figures)}</title>'
            + (_line(px, py, lx + _wide(name) / 2, ly - 4, "leader") if abs(ly - 4 - py) > _LINE_HEIGHT else "")
            + _mark(px, py, hollow=dot.series.hollow)
            + _text(lx, ly, name, "small")
            + "</g>"
        )
    return _svg(height, title, parts)


# --- parts ---


def _svg(height: float, title: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{text(title)}">'
        f"<title>{text(title)}</title>{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, content: object, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{text(content)}</text>'


def _mark(x: float, y: float, *, hollow: bool, size: float = 4.5) -> str:
    style = "mark hollow" if hollow else "mark"
    return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'


def _short(name: str, longest: int = _LONGEST) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _wide(name: str) -> float:
    return _CHARACTER * len(name)


def _lowest(values: Sequence[float]) -> float:
    """Return the lower end of an axis up to 1 that shows all values: a multiple of 0.1, at most 0.8."""
    return max(0.0, min(0.8, floor(min(values, default=0.0) * 10 + 1e-9) / 10))


def _ticks(lowest: float) -> list[float]:
    """Return the marks of an axis from `lowest` to 1."""
    tenths = round(10 * (1 - lowest))
    step = 1 if tenths <= 5 else 2
    return [1 - number / 10 for number in range(0, tenths + 1, step)]


def _levels(lowest: float, y: Callable[[float], float], left: float, right: float) -> list[str]:
    """Return the horizontal grid lines of an axis of figures."""
    parts = []
    for tick in _ticks(lowest):
        parts.append(_line(left, y(tick), right, y(tick), "grid"))
        parts.append(_text(left - 5, y(tick) + 4, f"{tick:.1f}", "tick end"))
    return parts


def _apart(steps: Sequence[int], x: Callable[[int], float]) -> list[int]:
    """Return those steps whose labels do not overlap, always including the last one."""
    kept: list[int] = []
    for step in reversed(steps):
        if not kept or x(kept[-1]) - x(step) > 3 + _CHARACTER * (len(str(step)) + len(str(kept[-1]))) / 2:
            kept.append(step)
    return kept[::-1]


def _spread(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return positions near the given ones, in the same order, one line apart if there is enough room."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    gap = min(_LINE_HEIGHT, (bottom - top) / max(1, len(places) - 1))
    moved = list(places)
    free = top
    for i in order:
        moved[i] = max(moved[i], free)
        free = moved[i] + gap
    free = bottom
    for i in reversed(order):
        moved[i] = min(moved[i], free)
        free = moved[i] - gap
    return moved


def _labels(names: Sequence[str], points: Sequence[tuple[float, float]], bottom: float) -> list[tuple[float, float]]:
    """Return the label positions of points; labels avoid points and each other where possible."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    found: list[tuple[float, float]] = [(0.0, 0.0)] * len(points)
    for i in sorted(range(len(points)), key=lambda i: points[i][1]):
        x, y = points[i]
        wide = _wide(names[i])
        best, least = (0.0, 0.0), float("inf")
        for away in range(12):
            for side in (x + 8, x - 8 - wide, x - wide / 2):
                for line in (y + 4 + away * 7, y + 4 - away * 7):
                    place = (min(max(side, 36.0), WIDTH - wide), min(max(line, _TOP + 4.0), bottom - 2))
                    box = (place[0], place[1] - 9, place[0] + wide, place[1] + 2)
                    cost = away + 20 * sum(_common_area(box, other) for other in taken) / wide
                    if cost < least:
                        best, least = place, cost
        found[i] = best
        taken.append((best[0], best[1] - 9, best[0] + wide, best[1] + 2))
    return found


_Box = tuple[float, float, float, float]


def _common_area(one: _Box, other: _Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0
