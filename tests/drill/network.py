"""OP-14 to OP-19: clocks, names and addresses."""

import datetime as dt
import socket
import threading

from tests.drill.cases import NotPossible, case, check, need_root
from tests.drill.crawls import Crawling
from tests.drill.site import DrillSite
from tests.rebinding import namespace

CRAWLS = 100
"""Crawls of names that change."""


def shifted(room, seconds):
    """Crawl while the clock of the process jumps at its 30th page; return (how it ended, seconds of the longest gap)."""
    with DrillSite(100, delay=0.01) as site:
        crawling = Crawling(site.url, room.folder)
        extension = '{"tests.drill.faults.ClockJump": 1}'
        ended = crawling.run(120, EXTENSIONS=extension, DRILL_JUMP=seconds, DOWNLOAD_DELAY=0.02).clean()
        check(ended.code == 0, f"{seconds} s: status {ended.code}: {ended.said[-500:]}")
        crawling.whole(100)
        gaps = [after - before for before, after in zip(site.times, site.times[1:], strict=False)]
        check(max(gaps) < 5, f"{seconds} s: {max(gaps):.1f} s without a request")
        asked = len(site.asked())
        check(asked == 100, f"{seconds} s: {asked} requests for 100 pages")
        site.forget()
        again = crawling.run(120).clean()
        check(again.code == 0, f"after {seconds} s: status {again.code}: {again.said[-500:]}")
        check(len(site.asked()) == 100, f"after {seconds} s: {len(site.asked())} requests in the next crawl")
        limit = dt.datetime.now(dt.UTC) + dt.timedelta(days=15)
        late = crawling.value(
            "SELECT count(*) FROM page WHERE next_fetch_at > :limit", limit=f"{limit:%Y-%m-%d %H:%M:%S}"
        )
        check(late == 0, f"after {seconds} s: {late} pages are planned more than two weeks ahead")
        return max(gaps)


@case(
    "OP-14",
    "the clock jumps by +1 d, -1 d, +1 h, -1 h in a crawl (fake clock)",
    "no gaps, no storm, next crawl in order",
)
def clock_jumps(room):
    gaps = []
    for number, seconds in enumerate((86_400, -86_400, 3_600, -3_600)):
        folder = room.folder / str(number)
        folder.mkdir()
        gaps.append(shifted(type(room)(folder, room.random), seconds))
    return f"4 jumps; 100/100 pages each, longest gap {max(gaps):.1f} s; 100 requests in each next crawl"


@case("OP-15", "the server's Date is 1970, then 2099", "no effect on the plan")
def foreign_dates(room):
    plans = []
    for year, date in (("1970", "Thu, 01 Jan 1970 00:00:00 GMT"), ("2099", "Thu, 01 Jan 2099 00:00:00 GMT")):
        folder = room.folder / year
        folder.mkdir()
        with DrillSite(40) as site:
            site.date = date
            crawling = Crawling(site.url, folder)
            ended = crawling.run().clean()
            check(ended.code == 0, f"{year}: status {ended.code}")
            first, last = crawling.query("SELECT min(next_fetch_at), max(next_fetch_at) FROM page WHERE status = 1")[0]
            now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
            hours = [
                (dt.datetime.fromisoformat(str(when)).replace(tzinfo=None) - now).total_seconds() / 3600
                for when in (first, last)
            ]
            check(20 < hours[0] <= hours[1] <= 24, f"{year}: next visits in {hours[0]:.1f} to {hours[1]:.1f} h")
            plans.append(f"{year}: {hours[0]:.1f}-{hours[1]:.1f} h")
    return "next visits " + ", ".join(plans)


def resolved(room, behaviour, words, code=1, pages=0):
    """Crawl http://drill.example with a resolver that behaves as instructed."""
    with DrillSite(30) as site:
        crawling = Crawling(f"http://sitecrawl-drill.org:{site.port}/a/0", room.folder)
        told = {
            "EXTENSIONS": '{"tests.drill.faults.Names": 1}',
            "DRILL_NAMES": behaviour,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_TIMEOUT": 5,
            "DNS_TIMEOUT": 2,
            "SITECRAWL_OUTAGE_PATIENCE": 5,
        }
        ended = crawling.run(120, **told).clean()
        check(ended.code == code, f"{behaviour}: status {ended.code}: {ended.said[-600:]}")
        if words:
            ended.line(words)
        states = crawling.states()
        check(states.get("GONE", 0) <= 3, f"{behaviour}: {states}")  # the menu leads to three pages that are not there
        check(states.get("FETCHED", 0) == pages, f"{behaviour}: {states}")
        return len(site.log), ended.seconds


@case(
    "OP-16",
    "names: none, no answer for 20 s, server failure, every second try",
    "recorded, tried again, nothing deleted",
)
def names(room):
    figures = []
    for behaviour, words, code, pages in (
        ("none", "DNS", 1, 0),
        ("silence", "", 1, 0),
        ("failure", "DNS", 1, 0),
        ("flapping", "", 0, 30),
    ):
        folder = room.folder / behaviour
        folder.mkdir()
        _, seconds = resolved(type(room)(folder, room.random), behaviour, words, code, pages)
        figures.append(f"{behaviour}: status {code} in {seconds:.0f} s")
    return "; ".join(figures)


@case(
    "OP-17",
    "names that are public at first and lead inside later: 100 crawls in a network namespace with a DNS server",
    "0 connects to forbidden addresses, nothing of them in feed or database, refused with a reason",
)
def changing_names(room):
    try:
        played = namespace.play(room.folder, crawls=CRAWLS)
    except namespace.NoNamespace as reason:
        raise NotPossible(f"NAMES THAT CHANGE WERE NOT PLAYED: {reason}") from reason
    check(not played["wrong"], f"{played['wrong']}")
    check(played["crawls"] >= CRAWLS, f"{played['crawls']} crawls")
    return f"{played['crawls']} crawls in {played['plays']} plays, 0 connects to forbidden addresses"


@case(
    "OP-18",
    "names that resolve to 10.0.0.1, 169.254.169.254, loopback, behind links",
    "0 connects, refused with a reason",
)
def private_names(room):
    need_root()  # for port 80: to other hosts than that of the start URL only the usual ports are open
    with (
        DrillSite(30, port=80, host="127.77.0.1") as site,
        socket.create_server(("127.77.0.2", 80)) as forbidden,
    ):
        connects = []
        threading.Thread(target=_count, args=(forbidden, connects), daemon=True).start()
        links = [f"http://{name}.sitecrawl-drill.org/" for name in ("ten", "meta", "local", "zero", "home")]
        links += ["http://127.77.0.2/", "http://127.77.514/", "http://0x7f4d0002/"]
        html = site.article(0).replace("</article>", "".join(f'<a href="{url}">x</a>' for url in links) + "</article>")
        site.instead["/a/0"] = (200, {}, html)
        crawling = Crawling("http://sitecrawl-drill.org/a/0", room.folder)
        told = {
            "EXTENSIONS": '{"tests.drill.faults.Names": 1}',
            "DRILL_NAMES": "private",
            "SITECRAWL_SITE_SCOPE": "domain",
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
        }
        ended = crawling.run(120, **told).clean()
        check(ended.code in (0, 3), f"status {ended.code}: {ended.said[-600:]}")
        check(not connects, f"{len(connects)} connects")
        reasons = {
            reason
            for (reason,) in crawling.query(
                "SELECT reason FROM page WHERE status IN (4, 6) AND url LIKE '%.sitecrawl-drill.org/'"
            )
        }
        check(
            len(reasons) == 5 and all("refused (address)" in (reason or "") for reason in reasons),
            f"reasons: {reasons}",
        )
        check(crawling.states().get("FETCHED") == 30, f"{crawling.states()}")
    return f"0 connects; 30/30 pages of the site; {len(reasons)} kinds of reasons, such as: {sorted(map(str, reasons))[0][:80]}"


def _count(listener, connects):
    while True:
        try:
            connects.append(listener.accept())
        except OSError:
            return


SEEDS = (
    ("file:///etc/passwd", 2),
    ("ftp://example.org/", 2),
    ("http://user:secret@example.org/", 2),
    ("javascript:alert(1)", 2),
    ("http://", 2),
    ("example.org", 2),
)


@case(
    "OP-19",
    "seeds that cannot be crawled: file:, ftp:, user info, javascript:, no host",
    "one line with the reason, status 2",
)
def seeds(room):
    for seed, code in SEEDS:
        crawling = Crawling(seed, room.folder)
        ended = crawling.run(60).clean()
        check(ended.code == code, f"{seed}: status {ended.code}: {ended.said[-400:]}")
        line = ended.line("give a start URL such as")
        check("secret" not in line, f"the password is shown: {line}")
        check(not crawling.feed.exists() or not crawling.rows(), f"{seed}: there are rows")
    return f"{len(SEEDS)} seeds refused; an operator's own private address and port are allowed (docs/security.md)"


@case(
    "OP-47",
    "robots.txt answers 503 in a recrawl, without and with a copy; then it has a new rule",
    "the last good copy counts while it is away, then what it says",
)
def robots_lost(room):
    with DrillSite(30) as site:
        site.robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /a/29\n")
        crawling = Crawling(site.url, room.folder)
        check(crawling.run().code == 0, "the first crawl failed")
        site.robots = (503, {}, "")
        site.forget()
        ended = crawling.run(120, SITECRAWL_ROBOTS_KEEP=0).clean()
        check(ended.code == 1, f"status {ended.code}: {ended.said[-300:]}")
        ended.line("robots.txt cannot be read (HTTP 503)")
        check(not site.asked(), f"{len(site.asked())} pages were asked for")
        check(crawling.states().get("FETCHED") == 29, f"{crawling.states()}")
        kept = crawling.run(120).clean()
        check(kept.code == 0, f"status {kept.code}: {kept.said[-300:]}")
        check("/a/29" not in site.asked(), "the copy was not obeyed")
        asked = len(set(site.asked()))
        check(asked == 29, f"{asked} of 29 pages were asked for")
        site.robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /a/2\n")
        site.forget()
        again = crawling.run().clean()
        check(again.code == 3, f"status {again.code}: {again.said[-300:]}")
        again.line("10 of 29 pages were not found at their last visit: forbidden by robots.txt")
        refused = [path for path in set(site.asked()) if path.startswith("/a/2")]
        check(not refused, f"asked for in spite of robots.txt: {refused}")
    return "no copy: nothing asked for; with one: 29/29 pages, the forbidden one not; its new rule is kept at once, and said"
