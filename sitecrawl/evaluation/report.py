"""Builds a report as one HTML page, with charts first and then every figure; `plain` makes plain text and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Final

from sitecrawl.evaluation.charts import Curve, Dot, Series, curve_chart, height_of, interval_chart, scatter_chart, text
from sitecrawl.evaluation.markup import comparison_table, heat_table, metrics_table, site_table
from sitecrawl.evaluation.metrics import MAIN
from sitecrawl.evaluation.peers import PREFIX
from sitecrawl.evaluation.plain import by_collection, json_report, mean, size_of, text_table
from sitecrawl.evaluation.results import Comparison, MethodSummary, Report
from sitecrawl.plurals import counted

__all__ = ["html_report", "json_report", "text_table"]

COLOURS: Final = 14
"""Number of method colours in the page; further methods reuse them."""
MIN_HEIGHT: Final = 340
MAX_HEIGHT: Final = 520
"""Maximum height of a chart, in units of which its width is 400."""
MAX_SITES: Final = 120
"""Maximum sites of a collection that the page lists one by one."""


def html_report(report: Report) -> str:
    """Return the report as a self-contained page: no scripts, no external fonts or images."""
    own = sorted({row.method for row in report.summaries if not row.method.startswith(PREFIX)})
    others = {row.method for row in report.summaries} - set(own)
    styles = {name: f"m{number % COLOURS}" for number, name in enumerate(own)}
    collections = by_collection(report)
    sections, links = [], []
    for number, (name, rows) in enumerate(collections.items(), 1):
        comparisons = [found for found in report.comparisons if found.collection == name]
        sections.append(_Section(name, rows, comparisons, styles).html(f"c{number}"))
        links.append(f'<li><a href="#c{number}">{text(name)}</a></li>')
    problems = "".join(f"<li>{text(problem)}</li>" for problem in report.problems)
    libraries = counted(len(others), "other library", "other libraries")
    template = Template(files("sitecrawl.evaluation").joinpath("report.html").read_text(encoding="utf-8"))
    return template.substitute(
        title="Main content extraction: how good the methods are",
        lead=text(f"{report.date} · {counted(len(own), 'method')} · {libraries}"),
        contents=f"<ul>{''.join(links)}</ul>",
        problems=f'<details open><summary>Notes</summary><ul class="plain">{problems}</ul></details>'
        if problems
        else "",
        collections="\n".join(sections),
        versions=text(", ".join(f"{name} {version}" for name, version in sorted(report.versions.items()))),
    )


@dataclass(frozen=True, slots=True)
class _Section:
    """One collection on the page."""

    name: str
    rows: Sequence[MethodSummary]
    comparisons: Sequence[Comparison]
    styles: Mapping[str, str]
    """CSS class by method; other libraries do not have their own."""

    def html(self, anchor: str) -> str:
        """Return the section as HTML; `anchor` is its id."""
        latest = self._latest()
        cards = [
            self._bars(latest),
            self._curves(latest),
            self._speed(latest),
        ]
        wide = [
            self._kinds(latest),
            self._differences(),
            _card("All figures", "Best of each column in bold.", metrics_table(self._ranked()), wide=True),
            self._sites(latest),
        ]
        return (
            f'<section id="{anchor}"><h2>{text(self.name)}</h2><p class="soft">{text(self._lead(latest))}</p>'
            f'<div class="cards">{"".join(cards)}</div>{"".join(wide)}</section>'
        )

    def _series(self, method: str) -> Series:
        style = self.styles.get(method)
        return Series(method.removeprefix(PREFIX), style or "peer", hollow=style is None)

    def _latest(self) -> list[MethodSummary]:
        """Return the row with the most pages learned of each method, best first."""
        found: dict[str, MethodSummary] = {}
        for row in self.rows:
            if row.method not in found or row.learned > found[row.method].learned:
                found[row.method] = row
        return sorted((row for row in found.values() if MAIN in row.metrics), key=lambda row: (-mean(row), row.method))

    def _ranked(self) -> list[tuple[Series, MethodSummary]]:
        rows = sorted(self.rows, key=lambda row: (-mean(row), row.method, -row.learned))
        return [(self._series(row.method), row) for row in rows]

    def _lead(self, latest: Sequence[MethodSummary]) -> str:
        """Return a line with the size of the evaluation, the best method and the best other library."""
        parts = [size_of(self.rows)]
        for title, rows in (
            ("best method", [row for row in latest if row.method in self.styles]),
            ("best library", [row for row in latest if row.method not in self.styles]),
        ):
            if rows:
                found = rows[0].metrics[MAIN]
                name = self._series(rows[0].method).name
                parts.append(f"{title}: {name}, F1 {found.mean:.3f} ({found.low:.3f} to {found.high:.3f})")
        return " · ".join(parts)

    def _bars(self, latest: Sequence[MethodSummary]) -> str:
        rows = [(self._series(row.method), row.metrics[MAIN]) for row in latest]
        learned = max((row.learned for row in latest), default=0)
        after = f", after the most pages learned (up to {learned})" if learned else ""
        chart = interval_chart(rows, f"F1 by method on {self.name}")
        return _card("F1 by method", f"Mean over sites with its 95 % interval{after}.", chart)

    def _curves(self, latest: Sequence[MethodSummary]) -> str:
        """Return a chart of the methods with several numbers of learned pages, and of the best of the others."""
        found: dict[str, dict[int, float]] = {}
        for row in self.rows:
            if MAIN in row.metrics:
                found.setdefault(row.method, {})[row.learned] = mean(row)
        learning = [row for row in latest if len(found[row.method]) > 1]
        if not learning:
            return ""
        single = [row for row in latest if len(found[row.method]) == 1]
        levels = [row for row in single if row.method in self.styles][:1]
        levels += [row for row in single if row.method not in self.styles][:1]
        curves = [
            Curve(self._series(row.method), tuple(sorted(found[row.method].items()))) for row in (*learning, *levels)
        ]
        note = "Dashed: the best that learn nothing of the site." if levels else ""
        chart = curve_chart(curves, f"F1 by pages learned on {self.name}", _height(latest))
        return _card("F1 by pages learned", note, chart)

    def _speed(self, latest: Sequence[MethodSummary]) -> str:
        dots = [Dot(self._series(row.method), 1000 * row.seconds_per_page, mean(row)) for row in latest]
        title = f"F1 by time a page on {self.name}"
        chart = scatter_chart(dots, title, "milliseconds a page (logarithmic)", _height(latest))
        return _card("F1 by time", "Left is faster, up is better. Libraries: parsing included.", chart)

    def _kinds(self, latest: Sequence[MethodSummary]) -> str:
        kinds = sorted({kind for row in latest for kind in row.by_site_kind})
        if not kinds:
            return ""
        rows = [(self._series(row.method), {**row.by_site_kind, "all": mean(row)}) for row in latest]
        table = heat_table(rows, [*(kind or "unknown" for kind in kinds), "all"])
        return _card(
            "F1 by kind of site", "Mean over the sites of each kind; the deeper, the higher.", table, wide=True
        )

    def _differences(self) -> str:
        if not self.comparisons:
            return ""
        rows = [(self._series(found.method), self._series(found.other), found) for found in self.comparisons]
        return _card("Differences", "Paired by page, with their 95 % interval.", comparison_table(rows), wide=True)

    def _sites(self, latest: Sequence[MethodSummary]) -> str:
        sites = sorted({site for row in latest for site in row.by_site})
        if not 1 < len(sites) <= MAX_SITES:
            return ""
        table = site_table([(self._series(row.method), row.by_site) for row in latest], sites)
        return f'<details><summary>F1 by site ({len(sites)})</summary><div class="card">{table}</div></details>'


def _height(rows: Sequence[MethodSummary]) -> int:
    """Return the height of the charts that are beside the chart of methods."""
    return max(MIN_HEIGHT, min(MAX_HEIGHT, height_of(len(rows))))


def _card(title: str, note: str, content: str, *, wide: bool = False) -> str:
    explained = f'<p class="note">{text(note)}</p>' if note else ""
    return f'<div class="card{" wide" if wide else ""}"><h3>{text(title)}</h3>{explained}{content}</div>'
