"""Renders the pages of the UI. Every value is escaped, unless it is markup made by sitecrawl."""

import datetime as dt
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from sitecrawl.clock import now
from sitecrawl.printable import visible
from sitecrawl.ui.access import Access

STATIC: Final = {"ui.css": "text/css", "ui.js": "text/javascript", "icon.svg": "image/svg+xml"}
REASON: Final = 1_000
"""Maximum characters of a reason that are shown; this includes most whole reasons, which end with the remedy."""
_UNITS: Final = ((86_400 * 365, "years"), (86_400, "days"), (3_600, "hours"), (60, "minutes"))


class Pages:
    """Renders templates of `sitecrawl/ui/html`."""

    def __init__(self, access: Access) -> None:
        self._environment = Environment(
            loader=PackageLoader("sitecrawl.ui", "html"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(
            when=when,
            ago=ago,
            due=due,
            number=number,
            counted=counted,
            rate=rate,
            share=share,
            lasting=lasting,
            link=quoted,
            query=with_query,
            words=words,
            reason=reason,
            plain=visible,
        )
        self._environment.globals.update(form_token=lambda: access.form, asset=asset)

    def text(self, name: str, values: Mapping[str, object]) -> str:
        """Return a rendered template."""
        return self._environment.get_template(name).render(values)

    def page(self, name: str, status: int = 200, /, **values: object) -> HTMLResponse:
        """Return a response with a rendered template."""
        return HTMLResponse(self.text(name, values), status)

    def problem(
        self, status: int, title: str, text: str, back: str = "/", label: str = "Back to all sites"
    ) -> HTMLResponse:
        """Return an error page with a title, a text that says what to do, and a link back."""
        values = {"title": title, "text": visible(text), "back": back, "label": label, "status": status}
        return self.page("problem.html", status, **values)


@cache
def static_file(name: str) -> bytes:
    """Return a file of `sitecrawl/ui/static`."""
    return files("sitecrawl.ui").joinpath("static", name).read_bytes()


@cache
def asset(name: str) -> str:
    """Return the address of a static file, with its fingerprint."""
    return f"/static/{name}?{sha256(static_file(name)).hexdigest()[:10]}"


def when(moment: dt.datetime | None) -> str:
    """Return a time in UTC, to the minute."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment is not None else "never"


def ago(moment: dt.datetime | None) -> str:
    """Return, in words with one unit, how long ago a time is or how far in the future."""
    if moment is None:
        return "never"
    seconds = (now() - moment).total_seconds()
    size = abs(seconds)
    for length, name in _UNITS:
        if size >= length:
            count = int(size // length)
            span = f"{count} {name[:-1] if count == 1 else name}"
            return f"{span} ago" if seconds > 0 else f"in {span}"
    return "just now" if seconds > 0 else "in a moment"


def due(moment: dt.datetime) -> str:
    """Return, in words, when something is due: now or after some time."""
    return "due now" if moment <= now() else f"due {ago(moment)}"


def lasting(span: dt.timedelta | None) -> str:
    """Return a length of time in its two largest units; a dash for None."""
    if span is None:
        return "–"
    seconds = int(span.total_seconds())
    for length, name, part, smaller in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= length:
            return f"{seconds // length} {name} {seconds % length // part} {smaller}"
    return f"{seconds} s"


def number(value: float | None) -> str:
    """Return a whole number with thin spaces between groups of three digits; a dash for None."""
    return "–" if value is None else f"{value:,.0f}".replace(",", "\u202f")


def counted(value: int, name: str) -> str:
    """Return a number with the name of what is counted: `1 page`, `2 pages`."""
    return f"{number(value)} {name}{'' if value == 1 else 's'}"


def rate(value: float | None) -> str:
    """Return a rate per minute, with one decimal if it is small; a dash for None."""
    return f"{value:.1f}" if value is not None and 0 < value < 10 else number(value)


def share(value: float | None) -> str:
    """Return a share as a percentage; a dash for None."""
    return "–" if value is None else f"{value:.0%}"


def quoted(value: object) -> str:
    """Return a value quoted as a segment of a URL's path."""
    return quote(str(value), safe="")


def with_query(path: str, **values: object) -> str:
    """Return a path with a query of those values that are not None, empty or False."""
    chosen = {name: value for name, value in values.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(chosen)}" if chosen else path


def reason(value: str) -> Markup | str:
    """Return the text of a reason, truncated to `REASON` characters, with control characters as codes."""
    return words(value, REASON)


def words(value: str, most: int = 200) -> Markup | str:
    """Return a text of at most `most` characters, with control characters as codes."""
    text = visible(value)
    return text if len(text) <= most else text[: most - 1] + "…"
