"""Cases of pages that are requested again in a second crawl: `web.version` is 2 then."""

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate

from tests.badweb.server import Visit


@dataclass(frozen=True, slots=True)
class Second:
    """The required result of the second crawl."""

    outcome: str
    """`unchanged`, `changed`, `kept` (text as before, page not good), `gone` (not indexed any more), or `failed`."""
    asks: tuple[str, str] | None = None
    """A header of the request in the second crawl."""
    requests: int = 8
    third: str = ""
    """The required result of a third crawl, which gets the same answers as the second: `gone`, or "" for none."""


Answer = Callable[[Visit], None]
AGAIN: dict[str, tuple[Answer, Second]] = {}


def again(expect: Second) -> Callable[[Answer], Answer]:
    """Register a case under the name of its function."""

    def register(function: Answer) -> Answer:
        AGAIN[function.__name__.replace("_", "-")] = (function, expect)
        return function

    return register


NEW = "<p>In its second version the page says more than it said before, and nobody could know.</p>"


def _matching(visit: Visit, header: str, value: str) -> None:
    """Answer 304 to who sends a validator back byte for byte."""
    name = "ETag" if header == "if-none-match" else "Last-Modified"
    if visit.headers.get(header) == value:
        visit.answer(b"", 304, {name: value})
    else:
        visit.answer(headers={name: value})


@again(Second("unchanged", asks=("if-none-match", '"s1"')))
def etag_strong(visit: Visit) -> None:
    _matching(visit, "if-none-match", '"s1"')


@again(Second("unchanged", asks=("if-none-match", 'W/"w1"')))
def etag_weak(visit: Visit) -> None:
    _matching(visit, "if-none-match", 'W/"w1"')


@again(Second("unchanged", asks=("if-none-match", '"a,b;c=1"')))
def etag_odd(visit: Visit) -> None:
    _matching(visit, "if-none-match", '"a,b;c=1"')


@again(Second("changed"))
def etag_changed(visit: Visit) -> None:
    visit.answer(visit.page(NEW * (visit.web.version - 1)), headers={"ETag": f'"{visit.web.version}"'})


@again(Second("unchanged"))
def etag_flap(visit: Visit) -> None:
    visit.answer(headers={"ETag": f'"{visit.number}"'})


DAY = "Sat, 03 Feb 2024 04:05:06 GMT"


@again(Second("unchanged", asks=("if-modified-since", DAY)))
def lastmod_only(visit: Visit) -> None:
    _matching(visit, "if-modified-since", DAY)


@again(Second("changed"))
def lastmod_future(visit: Visit) -> None:
    visit.answer(visit.page(NEW * (visit.web.version - 1)), headers={"Last-Modified": "Thu, 01 Jan 2099 00:00:00 GMT"})


FUTURE = "Thu, 01 Jan 2099 00:00:00 GMT"


def _unless_modified(visit: Visit, modified: str, date: str) -> None:
    """Answer 304 to a request with the page's old date, although the page has changed since."""
    if visit.headers.get("if-modified-since") == modified:
        visit.answer(b"", 304, {"Last-Modified": modified, "Date": date})
    else:
        visit.answer(visit.page(NEW * (visit.web.version - 1)), headers={"Last-Modified": modified, "Date": date})


@again(Second("changed"))
def lastmod_future_304(visit: Visit) -> None:
    _unless_modified(visit, FUTURE, formatdate(usegmt=True))


STAMPS: dict[int, str] = {}


@again(Second("changed"))
def lastmod_same_second(visit: Visit) -> None:
    made = STAMPS.setdefault(visit.web.port, formatdate(usegmt=True))  # changed again right after its first answer
    _unless_modified(visit, made, made if visit.web.version == 1 else formatdate(usegmt=True))


@again(Second("unchanged"))
def lastmod_garbage(visit: Visit) -> None:
    visit.answer(headers={"Last-Modified": "yesterday-ish"})


@again(Second("unchanged"))
def cond_ignored(visit: Visit) -> None:
    visit.answer(headers={"ETag": '"x"', "Last-Modified": DAY})


@again(Second("unchanged"))
def always_304(visit: Visit) -> None:
    if visit.headers.get("if-none-match"):
        visit.answer(b"", 304)
    else:
        visit.answer(visit.page(NEW * (visit.web.version - 1)), headers={"ETag": '"e"'})


@again(Second("changed"))
def silent_change(visit: Visit) -> None:
    visit.answer(visit.page(NEW * (visit.web.version - 1)), headers={"ETag": '"same"'})


@again(Second("failed"))
def first_304(visit: Visit) -> None:
    visit.answer(b"", 304)


def _turning(name: str, outcome: str, answer: Answer, third: str = "") -> None:
    def turn(visit: Visit) -> None:
        visit.answer() if visit.web.version == 1 else answer(visit)

    turn.__name__ = f"gone_{name}"
    again(Second(outcome, third=third))(turn)


def _main(visit: Visit, title: str, main: str) -> str:
    before = visit.page(title=title).partition('<div class="main">')[0]
    return f'{before}<div class="main">{main}</div></body></html>'


_turning("410", "gone", lambda visit: visit.answer("<h1>Gone</h1>", 410))
_turning("404", "kept", lambda visit: visit.answer("<h1>Nothing here</h1>", 404), third="gone")
_turning(
    "soft404",
    "kept",
    lambda visit: visit.answer(
        _main(visit, "Not found", "<h1>Not found</h1><p>The page you requested could not be found.</p>")
    ),
)
_turning("500", "kept", lambda visit: visit.answer("<h1>Error</h1>", 500))
_turning("403", "kept", lambda visit: visit.answer("<h1>No</h1>", 403))
_turning("empty", "kept", lambda visit: visit.answer(b""))
_turning(
    "botwall",
    "kept",
    lambda visit: visit.answer("<title>Just a moment...</title><body><h1>Verify you are human</h1><p>Wait.</p>"),
)
_turning("noindex", "gone", lambda visit: visit.answer(visit.page(head='<meta name="robots" content="noindex">')))
