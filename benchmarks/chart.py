"""Draws a line chart of the cost of each stage by page size, as SVG without a library."""

from math import log10

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 760, 420, 60, 40, 50, 190
LINES = (
    ("flatten", "twin", "#1b6ca8"),
    ("flatten", "reference", "#9dbfd8"),
    ("anchors", "twin", "#2e8540"),
    ("learn", "twin", "#b35900"),
    ("blocks", "twin", "#8a5fa8"),
    ("extract", "twin", "#b3261e"),
)


def chart(report: dict) -> str:
    """Return the chart of the synthetic pages in a report of `stages.py`; both axes are logarithmic."""
    sites = [site for name, site in report["sites"].items() if name.startswith("synthetic")]
    points = {
        (stage, backend): [(site["nodes"] / site["pages"], site[backend][stage]["median"]) for site in sites]
        for stage, backend, _ in LINES
        if sites and backend in sites[0]
    }
    values = [max(y, 0.01) for line in points.values() for _, y in line] or [1.0]
    low, high = min(0.05, *values), max(5.0, *values)
    first = log10(min((x for line in points.values() for x, _ in line), default=100))
    last = log10(max((x for line in points.values() for x, _ in line), default=1000))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (log10(x) - first) / ((last - first) or 1)
        up = (log10(max(y, low)) - log10(low)) / (log10(high) - log10(low))
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">Cost of each stage, lxml parse = 1, by nodes of a page</text>',
    ]
    for value in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        if low <= value <= high:
            _, y = place(10**first, value)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for power in range(2, 6):
        if first - 0.2 <= power <= last + 0.2:
            x, _ = place(10**power, low)
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{10**power:,}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">nodes</text>')
    for stage, backend, colour in LINES:
        line = points.get((stage, backend))
        if not line:
            continue
        spots = [place(x, y) for x, y in line]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in spots]
    labels = sorted((place(*line[-1])[1], key) for key, line in points.items())
    y = 0.0
    for wanted, key in labels:
        y = max(wanted, y + 15)
        colour = next(colour for stage, backend, colour in LINES if (stage, backend) == key)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4:.1f}" fill="{colour}">{key[0]}, {key[1]}</text>')
    return "\n".join((*parts, "</svg>", ""))
