"""The catalogue of bad answers that a crawl must survive, and the case of this web that plays each of them.

`python -m tests.badweb.catalogue` writes docs/badweb.md, the table of all cases with what is expected of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("catalogue.txt")
DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "badweb.md"
GOOD: Final = "good"
"""The plain pages of the site: `test_every_good_page_is_stored`."""
ALONE: Final[Mapping[str, str]] = {
    GOOD: "stored",
    "err-429-huge": "left to the next crawl, at most 2 requests",
    "sick-variant": "failed, alone; every other page of the site stored, status 0",
    "sick-spelling": "stored, all pages, although the first link to each leads to a host that does not exist",
    "sick-page": "failed; 429 for a year: 1 request in 3 runs, every other page stored, status 0",
    "sick-folder": "failed; 429 for a year at 12 URLs: 12 requests in 3 runs, every other page stored, status 0",
    "sick-after-trap": "failed; behind a trap that was closed: no outage, every other page stored, status 0",
    "sick-site": "kept; 503 at every page, robots.txt answers: the breaker opens after 10 requests, no page changes",
    **dict.fromkeys(
        ("tls-expired", "tls-selfsigned", "tls-wronghost", "tls-nameless", "tls-plain", "tls-reset"), "failed"
    ),
    **dict.fromkeys(("conn-refused", "conn-blackhole"), "failed"),
}
"""Cases that are crawls of their own, in the other tests/integration/test_badweb_*.py."""
MEANS: Final[Mapping[str, frozenset[str]]] = {
    "survive": frozenset(("any", "stored", "excluded", "failed", "kept")),
    "trap-limited": frozenset(("any",)),
    "skipped": frozenset(("excluded", "failed", "any")),
    "blocked": frozenset(("any", "stored", "rules")),
    "failed": frozenset(("failed", "gone", "dead", "redirected", "any")),
    "stored": frozenset(("stored", "any", "redirected", "rules")),
    "noindex": frozenset(("noindex",)),
    "unchanged": frozenset(("unchanged",)),
    "changed": frozenset(("changed",)),
    "gone": frozenset(("gone", "kept")),
    "kept": frozenset(("kept",)),
}
"""The result that each word of the catalogue requires; `any` only where the test checks more."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A case of the catalogue."""

    group: str
    name: str
    must: bool
    outcome: str
    requests: int | None
    """Most requests that the catalogue allows."""
    case: str
    """The name of the case in this package."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected result of a case of the bad web."""

    outcome: str
    requests: int | None
    words: str


def entries() -> list[Entry]:
    """Return the catalogue."""
    found = []
    for line in FILE.read_text().splitlines():
        if not line.startswith("#"):
            group, name, must, outcome, requests, case = line.split()
            found.append(Entry(group, name, must == "must", outcome, int(requests) if requests != "-" else None, case))
    return found


def most_requests(case: str, own: int) -> int:
    """Return the most requests of a case: the catalogue's, unless it is bounded more tightly here.

    Four are always allowed where the catalogue does: a good answer is requested once more, to know whether its host is
    down, and a busy machine makes one time out.
    """
    given = [one.requests for one in entries() if one.case == case and one.requests is not None]
    return min([*given, max(own, 4)])


def expectations() -> dict[str, Expected]:
    """Return the expected result of every case of this web, by name."""
    from tests.badweb import answers, bodies, markup, network, pages, shown, texts, traps  # noqa: F401
    from tests.badweb.again import AGAIN
    from tests.badweb.robots import ROBOTS
    from tests.badweb.server import CASES

    found = {name: Expected(words.split(",")[0].split()[0], None, words) for name, words in ALONE.items()}
    for name, (_, expect) in CASES.items():
        found[name] = Expected(expect.outcome, expect.requests, "; ".join(_words(expect)))
    for name, (_, rules) in ROBOTS.items():
        parts = [f"fetches {', '.join(rules.fetched)}"] if rules.fetched else []
        parts += [f"does not fetch {', '.join(rules.unasked)}"] if rules.unasked else []
        parts += [f"{rules.gap} s between requests"] if rules.gap else []
        found[name] = Expected("rules" if parts else "any", rules.requests, "; ".join(parts) or "ends")
    for name, (_, second) in AGAIN.items():
        third = f"; third crawl: {second.third}" if second.third else ""
        asks = f"; sends {second.asks[0]}" if second.asks else ""
        found[name] = Expected(second.outcome, second.requests, f"second crawl: {second.outcome}{asks}{third}")
    return found


def _words(expect) -> Iterator[str]:
    yield "recorded" if expect.outcome == "any" else expect.outcome
    if expect.reason:
        yield f"reason like `{expect.reason}`".replace("|", " or ")
    if expect.contents is not None:
        yield "{}-{} pages stored".format(*expect.contents)
    if expect.documents is not None:
        yield "{}-{} documents indexed".format(*expect.documents)
    for name, paths in (("fetches", expect.fetched), ("does not fetch", expect.unasked)):
        if paths:
            yield f"{name} {', '.join(paths)}"
    if expect.without:
        yield f"no text with {', '.join(f'`{words}`' for words in expect.without)}"
    if expect.gap:
        yield f"next try after {expect.gap} s"


def document() -> str:
    """Return docs/badweb.md."""
    expected, listed = expectations(), entries()
    lines = [
        "# The bad web: hostile pages and servers, and what a crawl does",
        "",
        "`make badweb` crawls all these cases ([security](security.md)). In every case all other pages are stored, no traceback is logged,",
        "and no forbidden address is connected to. Each row has the expected result, the maximum number of requests that a case may cost, and",
        "its name in `tests/badweb` where that differs. `must` and `should` are the words of `tests/badweb/catalogue.txt`.",
        "`python -m tests.badweb.catalogue` writes this page.",
    ]
    for group in dict.fromkeys(one.group for one in listed):
        lines += [
            "",
            f"## {group}",
            "| case | level | expected | requests | name in the tests |",
            "|---|---|---|---|---|",
        ]
        for one in listed:
            if one.group == group:
                ours = expected[one.case]
                most = one.requests if ours.requests is None else most_requests(one.case, ours.requests)
                here = "" if one.case == one.name else one.case
                level = "must" if one.must else "should"
                lines.append(f"| {one.name} | {level} | {_cell(ours.words)} | {most or ''} | {here} |")
    own = sorted(set(expected) - {one.case for one in listed})
    lines += [
        "",
        "## own",
        "Cases that are not in the catalogue.",
        "",
        "| case | expected | requests |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {_cell(expected[name].words)} | {expected[name].requests or ''} |" for name in own]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
    return shown.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
