"""Builds the tables of an evaluation as HTML."""

from collections.abc import Iterable, Mapping, Sequence

from sitecrawl.evaluation.charts import Series, text
from sitecrawl.evaluation.metrics import MEASURES
from sitecrawl.evaluation.results import Comparison, MethodSummary

_FIGURES = (("p", "P"), ("r", "R"), ("f1", "F1"))


def heat_table(rows: Sequence[tuple[Series, Mapping[str, float]]], columns: Sequence[str]) -> str:
    """Return a table of figures by method and column; a higher figure has a deeper colour."""
    values = [value for _, figures in rows for value in figures.values()]
    low, high = min(values, default=0.0), max(values, default=1.0)
    spread = high - low or 1.0
    body = []
    for series, figures in rows:
        cells = []
        for column in columns:
            value = figures.get(column)
            if value is None:
                cells.append('<td class="none">–</td>')
            else:
                cells.append(f'<td style="--v:{(value - low) / spread:.2f}">{value:.2f}</td>')
        body.append(f"<tr>{_name(series)}{''.join(cells)}</tr>")
    head = "<tr><th>method</th>" + "".join(f"<th>{text(column)}</th>" for column in columns) + "</tr>"
    return _table(head, body, "heat")


def metrics_table(rows: Sequence[tuple[Series, MethodSummary]]) -> str:
    """Return a table with every figure of every row; the best of each column is bold."""
    measures = [name for name in MEASURES if any(f"{name}_f1" in row.metrics for _, row in rows)]
    keys = [f"{measure}_{short}" for measure in measures for short, _ in _FIGURES]
    found = {key: [row.metrics[key].mean for _, row in rows if key in row.metrics] for key in keys}
    best = {key: max(values) for key, values in found.items() if values}
    over = "".join(f'<th class="over group" colspan="3">{text(MEASURES[measure])}</th>' for measure in measures)
    under = "".join(f"<th{_GROUP if short == 'p' else ''}>{title}</th>" for _ in measures for short, title in _FIGURES)
    head = (
        f'<tr><th rowspan="2">method</th><th rowspan="2">pages<br>learned</th>{over}'
        '<th class="over group" colspan="2">time</th><th rowspan="2" class="group">errors</th>'
        f'<th rowspan="2">pages</th><th rowspan="2">sites</th></tr><tr class="under">{under}'
        f"<th{_GROUP}>ms/page</th><th>s/MB</th></tr>"
    )
    body = []
    for series, row in rows:
        cells = "".join(_figure(row, key, best.get(key)) for key in keys)
        body.append(
            f"<tr>{_name(series)}<td>{row.learned}</td>{cells}"
            f"<td{_GROUP}>{1000 * row.seconds_per_page:.2f}</td><td>{row.seconds_per_megabyte:.3f}</td>"
            f"<td{_GROUP}>{row.errors}</td><td>{row.pages}</td><td>{row.sites}</td></tr>"
        )
    return _table(head, body)


_GROUP = ' class="group"'


def _figure(row: MethodSummary, key: str, best: float | None) -> str:
    """Return the cell of a figure; the figure F1 is shown with its interval."""
    group = "group" if key.endswith("_p") else ""
    interval = row.metrics.get(key)
    if interval is None:
        return f'<td class="{group}">–</td>'
    style = f"{group} best" if best is not None and round(interval.mean, 3) == round(best, 3) else group
    around = f"{interval.low:.3f}–{interval.high:.3f}"
    small = f"<small>{around}</small>" if key.endswith("_f1") else ""
    return f'<td class="{style.strip()}" title="{around}">{interval.mean:.3f}{small}</td>'


def comparison_table(rows: Sequence[tuple[Series, Series, Comparison]]) -> str:
    """Return a table of paired differences, which shows whether each interval contains 0."""
    body = []
    for series, other, found in rows:
        difference = found.difference
        if difference.low > 0:
            verdict = "better"
        elif difference.high < 0:
            verdict = "worse"
        else:
            verdict = "not clearly different"
        body.append(
            f'<tr>{_name(series)}<td class="words">{_dot(other)}{text(other.name)}</td>'
            f'<td class="words">{text(_title(found.metric))}</td><td>{_signed(difference.mean)}</td>'
            f"<td>{_signed(difference.low)} to {_signed(difference.high)}</td>"
            f'<td class="words">{verdict}</td></tr>'
        )
    head = (
        f"<tr><th>method</th><th{_WORDS}>against</th><th{_WORDS}>figure</th><th>difference</th><th>95 %</th>"
        f"<th{_WORDS}>the method is</th></tr>"
    )
    return _table(head, body)


_WORDS = ' class="words"'


def _title(metric: str) -> str:
    """Return the readable name of a metric."""
    measure, _, short = metric.rpartition("_")
    return f"{MEASURES.get(measure, measure)} {dict(_FIGURES).get(short, short)}".strip()


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def site_table(rows: Sequence[tuple[Series, Mapping[str, float]]], sites: Iterable[str]) -> str:
    """Return a table of figures by site, with one column per method."""
    head = "<tr><th>site</th>" + "".join(f"<th>{_dot(series)}{text(series.name)}</th>" for series, _ in rows) + "</tr>"
    body = []
    for site in sites:
        values = [figures.get(site) for _, figures in rows]
        best = max((value for value in values if value is not None), default=0.0)
        cells = "".join(
            "<td>–</td>" if value is None else f"<td{_BEST if value == best else ''}>{value:.3f}</td>"
            for value in values
        )
        body.append(f"<tr><th>{text(site)}</th>{cells}</tr>")
    return _table(head, body)


_BEST = ' class="best"'


def _table(head: str, body: Iterable[str], style: str = "") -> str:
    return (
        f'<div class="scroll" tabindex="0"><table class="{style}"><thead>{head}</thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _name(series: Series) -> str:
    return f'<th scope="row">{_dot(series)}{text(series.name)}</th>'


def _dot(series: Series) -> str:
    return f'<span class="dot {series.style}"></span>'
