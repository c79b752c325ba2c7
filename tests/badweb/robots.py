"""Cases of robots.txt: each is a crawl of its own, of a site of a few pages."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.badweb.bombs import gzip_of
from tests.badweb.server import BadWeb, Visit
from tests.integration.server import frame

PATHS = ("/public", "/private", "/private/ok", "/other", "/x.html")


@dataclass(frozen=True, slots=True)
class Rules:
    """The paths that a crawl may fetch."""

    fetched: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    gap: float = 0.0
    """Least seconds between two pages."""
    requests: int = 40
    seconds: float = 60.0


Answer = Callable[[Visit], None]
ROBOTS: dict[str, tuple[Answer, Rules]] = {}
ALL = Rules(fetched=("/public", "/private"))
NOTHING = Rules(unasked=(*PATHS, "/index.html"))
SOME = Rules(fetched=("/public",), unasked=("/private",))


def rules(expect: Rules) -> Callable[[Answer], Answer]:
    """Register a case under the name of its function."""

    def register(function: Answer) -> Answer:
        ROBOTS[function.__name__.replace("_", "-")] = (function, expect)
        return function

    return register


def small_web(name: str) -> BadWeb:
    """Return a site with the robots.txt of a case."""
    web = BadWeb({}, articles=2)
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in PATHS)
    words = "A page of this site says what no other page of the site says, at some length, so that it is content."
    web.site = {
        path: frame(f"Page {path}", f"<h1>Page {path}</h1><p>{path} {words}</p><ul>{links}</ul>")
        for path in (*PATHS, "/index.html")
    }
    web.answer_robots = ROBOTS[name][0]
    return web


def _text(visit: Visit, text: str | bytes) -> None:
    visit.answer(text, headers={"Content-Type": "text/plain"})


DENY = "User-agent: *\nDisallow: /private\n"


@rules(NOTHING)
def robots_503(visit: Visit) -> None:
    visit.answer("busy", 503)


@rules(ALL)
def robots_404(visit: Visit) -> None:
    visit.answer("none", 404)


@rules(SOME)
def robots_huge(visit: Visit) -> None:
    _text(visit, DENY + "# nothing of interest\n" * 270_000)


@rules(SOME)
def robots_bom_crlf(visit: Visit) -> None:
    _text(visit, "\ufeffUSER-AGENT :  *\r\n\tdisAllow :  /private  # no\r\n\r\n")


@rules(SOME)
def robots_redirect_5(visit: Visit) -> None:
    number = int(visit.target.removeprefix("/robots").removesuffix(".txt") or 0)
    _text(visit, DENY) if number == 5 else visit.redirect(f"/robots{number + 1}.txt", 301)


@rules(Rules(requests=60))
def robots_redirect_loop(visit: Visit) -> None:
    visit.redirect("/robots.txt")


@rules(NOTHING)
def robots_timeout(visit: Visit) -> None:
    visit.hold()


@rules(ALL)
def robots_403(visit: Visit) -> None:
    visit.answer("no", 403)


@rules(ALL)
def robots_html(visit: Visit) -> None:
    visit.answer(visit.web.site["/index.html"])


@rules(Rules(fetched=("/public",), unasked=("/private",), gap=0.9))
def robots_crawl_delay(visit: Visit) -> None:
    _text(visit, f"{DENY}Crawl-delay: 1\n")


@rules(Rules(fetched=("/public",), unasked=("/private",), seconds=30))
def robots_redos(visit: Visit) -> None:
    _text(visit, f"{DENY}Disallow: /{'*a' * 200}$\nDisallow: /{'*' * 200}z\n")


@rules(SOME)
def robots_latin1(visit: Visit) -> None:
    _text(visit, "# Stra\u00dfe \u00e9\u00e8\n".encode("latin-1") + DENY.encode())


@rules(NOTHING)
def robots_429(visit: Visit) -> None:
    visit.answer("busy", 429)


@rules(Rules(fetched=("/public", "/private/ok"), unasked=("/private", "/other", "/x.html")))
def robots_precedence(visit: Visit) -> None:
    told = "User-agent: *\nAllow: /\nDisallow: /private\nAllow: /private/ok\nDisallow: /*.html$\nAllow: /index.html\n"
    _text(visit, f"{told}Disallow: /oth*r\n")


@rules(Rules(fetched=("/public",), unasked=("/private", "/other")))
def robots_groups(visit: Visit) -> None:
    own = "User-agent: SiteCrawl\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n\nuser-agent: SITECRAWL\n"
    _text(visit, f"{own}Disallow: /other\n")


@rules(NOTHING)
def robots_disallow_all(visit: Visit) -> None:
    _text(visit, "User-agent: *\nDisallow: /\n")


@rules(Rules(requests=12, seconds=60))
def robots_delay_huge(visit: Visit) -> None:
    _text(visit, "User-agent: *\nCrawl-delay: 86400\n")


@rules(Rules())
def robots_redirect_ssrf(visit: Visit) -> None:
    visit.redirect(visit.web.forbidden.urls()[0])


@rules(Rules())
def robots_utf16(visit: Visit) -> None:
    _text(visit, DENY.encode("utf-16"))


@rules(Rules())
def robots_bomb(visit: Visit) -> None:
    visit.answer(gzip_of(200_000_000), headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"})
