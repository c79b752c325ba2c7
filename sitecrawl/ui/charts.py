"""Draws charts as SVG without scripts and styles; the style sheet sets the colours by class."""

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

WIDTH: Final = 600
HEIGHT: Final = 120
GAP: Final = 2
LEAST: Final = 0.5
"""Minimum height of a part that is not zero, so that it is visible."""


def stacked_bars(bars: Sequence[tuple[str, Mapping[str, int]]], names: Sequence[str], title: str) -> Markup:
    """Return a chart of bars with parts by name, the lowest part first. The label of a bar is shown as its tooltip.

    The result is empty if there is nothing to draw.
    """
    highest = max((sum(parts.get(name, 0) for name in names) for _, parts in bars), default=0)
    if not highest:
        return Markup("")
    drawn: list[Markup] = []
    step = WIDTH / max(len(bars), 12)
    for place, (label, parts) in enumerate(bars):
        shown = ", ".join(f"{parts[name]} {name}" for name in names if parts.get(name))
        drawn.append(Markup("<g><title>{}: {}</title>").format(label, shown or "none"))
        top = float(HEIGHT)
        for name in names:
            count = parts.get(name, 0)
            if not count:
                continue
            height = max(count / highest * HEIGHT, LEAST)
            top -= height
            drawn.append(_rectangle(f"part {name}", place * step, top, step - GAP, height))
        drawn.append(_rectangle("hit", place * step, 0, step - GAP, HEIGHT))
        drawn.append(Markup("</g>"))
    return _svg(drawn, WIDTH, HEIGHT, title, "chart bars")


def share_bar(parts: Mapping[str, int], title: str) -> Markup:
    """Return one horizontal bar of parts by name."""
    total, left = sum(parts.values()) or 1, 0.0
    drawn: list[Markup] = []
    for name, count in parts.items():
        width = count / total * WIDTH
        drawn.append(Markup("<g><title>{} {}</title>").format(count, name))
        drawn.append(_rectangle(f"part {name}", left, 0, width, 12))
        drawn.append(Markup("</g>"))
        left += width
    return _svg(drawn, WIDTH, 12, title, "chart share")


def _rectangle(name: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        name, x, y, max(width, 0), height
    )


def _svg(drawn: Sequence[Markup], width: int, height: int, title: str, name: str) -> Markup:
    head = Markup('<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">').format(
        name, width, height, title
    )
    return head + Markup("").join(map(escape, drawn)) + Markup("</svg>")
