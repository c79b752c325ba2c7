"""Cases of one sick thing on a healthy site: a variant of its host, a page, a folder, pages behind a trap.

Variants need a port that any crawl may connect to, so their web is on port 8080 of an address of its own.
"""

import itertools

from tests.badweb.server import ANY, BadWeb, Case, Expect, Visit

ADDRESS = ("127.38.52.9", 8080)
YEAR = "31536000"
VARIANTS = 3
HIDDEN = 3
FOLDER = 12
BROKEN = 4


def _www(visit: Visit) -> str:
    return f"http://www.{visit.web.host}:{visit.web.port}{visit.here}"


def _links(*hrefs: str) -> str:
    return "".join(f'<a href="{href}">link {i}</a> ' for i, href in enumerate(hrefs))


def sick_variant(visit: Visit) -> None:
    """Links to a `www.` that has no address, and a redirect to a host with a trailing dot."""
    if visit.rest == "moved":
        visit.redirect(f"http://{visit.web.host}.:{visit.web.port}{visit.here}x")
        return
    visit.answer(visit.page(_links(*(f"{_www(visit)}{i}" for i in range(VARIANTS)), "moved")))


def sick_spelling(visit: Visit) -> None:
    """Pages that are linked first on a `www.` host that does not exist, and then on the right host."""
    names = [f"hidden-{i}" for i in range(HIDDEN)]
    links = "" if visit.rest else _links(*(f"{_www(visit)}{name}" for name in names), *names)
    visit.answer(visit.page(links))


def sick_page(visit: Visit) -> None:
    """Asks for a year of patience."""
    visit.answer(None, 429, {"Retry-After": YEAR})


def sick_folder(visit: Visit) -> None:
    """Asks for it at every URL but its first."""
    if visit.rest:
        visit.answer(None, 429, {"Retry-After": YEAR})
    else:
        visit.answer(visit.page(_links(*(f"{i}" for i in range(FOLDER)))))


def behind_a_trap() -> Case:
    """Return a trap whose pages from the third on name pages that are broken: they are requested when it is closed.

    On a busy machine the third page may come after the trap was closed, and then nobody reads what it names.
    """
    numbers, pages = itertools.count(), itertools.count(1)

    def sick_after_trap(visit: Visit) -> None:
        broken = [f"/sick-broken/{i}" for i in range(BROKEN)] if next(pages) >= 3 else []
        hrefs = [f"{visit.here}trap/{next(numbers)}" for _ in range(12)]
        visit.answer(visit.page(_links(*hrefs, *broken)))

    return sick_after_trap


def sick_broken(visit: Visit) -> None:
    """The URLs that this page links to."""
    visit.answer("oops", 500)


def sick_web(articles: int = 120) -> BadWeb:
    """Return a healthy site with all of them."""
    cases = {
        "sick-variant": sick_variant,
        "sick-spelling": sick_spelling,
        "sick-page": sick_page,
        "sick-folder": sick_folder,
        "sick-after-trap": behind_a_trap(),
        "sick-broken": sick_broken,
    }
    linked = {name: Expect(ANY, linked=name != "sick-broken") for name in cases}
    return BadWeb({name: (case, linked[name]) for name, case in cases.items()}, articles=articles, address=ADDRESS)
