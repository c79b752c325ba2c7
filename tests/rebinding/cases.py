"""The cases. Each is played on a website of its own; a connect to a forbidden address fails any of them."""

from tests.rebinding.names import each_in_turn, to_and_fro
from tests.rebinding.playing import UNPINNED
from tests.rebinding.web import FORBIDDEN, INTRANET, MAPPED, NAT64, NOBODY, OTHER4, PAGES, SITE4, SITE6, SIXTOFOUR, Site

WHOLE = PAGES + 1
"""Rows of a whole first crawl."""
INNER4, INNER6 = "169.254.169.254", "fd00::1"
SHORT = ("10.0.0.5", INNER4, INNER6, "64:ff9b::a00:5", "2002:a00:5::1", "::ffff:10.0.0.5")
"""Forms of addresses that are played in CI; the drill plays all."""
DOMAIN = {"SITECRAWL_SITE_SCOPE": "domain"}


def whole(ended):
    assert ended.code == 0, ended.said
    assert len(ended.rows) == WHOLE, ended.said


def refused(ended, *words, code=1):
    """The crawl reports what it refused and the remedy."""
    line = ended.line()
    assert ended.code == code, ended.said
    for one in ("refused", "resolves to", "sites forget ", "SITECRAWL_ALLOWED_ADDRESSES=", *words):
        assert one in line, line


def unchanged(room, before):
    now = room.stored()
    changed = [name for name in now if now[name] != before[name]]
    assert not changed, f"changed tables: {', '.join(changed)}"


def between_crawls(room, inner):
    """A public name resolves to a private address at the second crawl; the stored data does not change."""
    room.lead(SITE4)
    whole(room.crawl())
    before = room.stored()
    room.lead(inner)
    ended = room.crawl(LOG_LEVEL="ERROR")
    shown = inner.removeprefix("::ffff:")
    refused(ended, f"{room.host} resolves to {shown}, which is not a public address; at its first crawl it was at one")
    assert ended.said.count("ERROR") == 1, ended.said
    assert ended.rows == []
    unchanged(room, before)
    said = room.pages()
    assert said.count(f"as it was before: the crawl is not finished ({room.host} resolves to {shown}") == WHOLE, said


def and_back_again(room):
    """When the name is public again, the next crawl continues normally."""
    between_crawls(room, INNER4)
    room.lead(SITE4)
    ended = room.crawl(SITECRAWL_EMIT_UNCHANGED=True)
    assert (ended.code, len(ended.rows)) == (0, WHOLE), ended.said
    assert {row["status"] for row in ended.rows} == {"unchanged"}


def by_recrawl(room, inner):
    room.lead(SITE4)
    whole(room.crawl())
    before = room.stored()
    room.lead(inner)
    ended = room.recrawl()
    assert ended.code == 1, ended.said
    assert f"{room.host} resolves to" in ended.said
    assert ended.rows == []
    unchanged(room, before)


def after(room, path, inner, code):
    """The name changes within a crawl, when a path was requested."""
    room.lead(SITE4)
    room.site.on[path] = room.leading(inner)
    ended = room.crawl(**UNPINNED)
    refused(ended, code=code)
    assert len(ended.rows) < WHOLE
    assert (code == 3) == bool(room.site.log.count("/a/0") or room.site.log.count("/index.html"))


def before_the_connect(room, inner):
    """The name is resolved twice: the address that is connected to differs from the first one."""
    room.names.answers[room.host] = each_in_turn([SITE4], [inner])
    refused(room.crawl(**UNPINNED))
    assert room.site.log == []
    refused(room.crawl(**UNPINNED), "at its first crawl it was at one")
    assert room.query("SELECT reach FROM site") == [("public",)]
    assert f"{room.host} resolves to" in room.pages()


def not_there_at_first(room):
    """The name server does not know the name at first; its allowed addresses are decided when it does."""
    room.names.answers[room.host] = each_in_turn(None, [SITE4])
    whole(room.crawl(**UNPINNED, RETRY_TIMES=3))
    assert room.query("SELECT reach FROM site") == [("public",)]


def silent_at_first(room, inner):
    """A public name does not answer at its first crawl, and resolves to a private address at the second."""
    room.lead(NOBODY)
    ended = room.crawl()
    assert ended.code == 1, ended.said
    assert ended.line().endswith("; of the site only a note is kept that its name was public")
    assert room.query("SELECT host, reach, next_crawl_at FROM site") == [(room.host, "public", None)]
    assert room.query("SELECT count(*) FROM page") == room.query("SELECT count(*) FROM crawl") == [(0,)]
    room.lead(inner)
    refused(room.crawl(), "at its first crawl it was at one")


def in_turns(room, inner):
    room.names.answers[room.host] = to_and_fro([SITE4], [inner])
    refused(room.crawl(**UNPINNED))


def kept_for_a_crawl(room):
    """Scrapy caches resolved names, so a crawl stays at the address at which it began."""
    room.lead(SITE4)
    room.site.on["/a/0"] = room.leading(INNER4)
    whole(room.crawl())


def beside_a_public_one(room, inner):
    """A name has a private address beside a public one, in both crawls: only the public one is connected to."""
    room.lead(inner, SITE4, SITE6)
    ended = room.crawl(LOG_LEVEL="WARNING", **UNPINNED)
    whole(ended)
    assert ended.said.count("it is not used") == 1, ended.said
    assert room.query("SELECT reach FROM site") == [("public",)]
    ended = room.crawl(**UNPINNED)
    assert ended.code == 0, ended.said


def redirected_to_a_name(room, inner):
    """A page redirects to the other name of the site, which leads inside, at the first crawl and at the next."""
    room.lead(SITE4)
    room.lead(OTHER4, name="www")
    target = f"http://www.{room.host}/a/0"
    room.web.sites[f"www.{room.host}"] = room.web.sites[room.host]
    room.site.pages["/go"] = (302, {"Location": target.replace("/a/0", "/www")}, "")
    room.site.pages["/www"] = room.site.pages["/a/1"].replace("Report 1", "Report of the other name")
    room.site.link("/go")
    ended = room.crawl()
    assert (ended.code, len(ended.rows)) == (0, WHOLE + 1), ended.said
    room.lead(inner, name="www")
    ended = room.crawl()
    assert ended.code in (0, 3), ended.said
    said = room.pages()
    assert f"www.{room.host} resolves to {inner.removeprefix('::ffff:')}, which is not a public address" in said, said
    texts = room.query("SELECT text FROM content WHERE text LIKE '%Report of the other name%'")
    assert len(texts) == 1, "the page of the name that moved was lost"


def redirected_by_the_way(room, inner):
    """The start host redirects to itself, and leads inside by then."""
    room.lead(SITE4)
    room.site.pages["/a/2"] = (301, {"Location": "/a/3?again"}, "")
    room.site.on["/a/2"] = room.leading(inner)
    refused(room.crawl(**UNPINNED), code=3)


def redirected_to_an_address(room):
    """Pages redirect to addresses, in their spellings."""
    room.lead(SITE4)
    spelled = ("10.5", "0xa9fea9fe", "[::ffff:10.0.0.5]", "[64:ff9b::a00:5]", "[2002:a00:5::1]", "[fec0::5]", "[::1]")
    for number, host in enumerate(spelled):
        room.site.pages[f"/go/{number}"] = (302, {"Location": f"http://{host}/"}, "")
    room.site.link(*(f"/go/{number}" for number in range(len(spelled))))
    ended = room.crawl()
    assert ended.code == 0, ended.said
    assert len(ended.rows) == WHOLE


def another_host(room, inner):
    """In the scope of a domain: links, robots.txt, a sitemap and a feed of hosts that lead inside."""
    room.lead(SITE4)
    for name in ("links", "maps", "feeds", "listed"):
        room.lead(inner, name=name)
    room.site.link(f"http://links.{room.host}/", f"http://links.{room.host}/two")
    room.site.pages["/robots.txt"] = Site.robots(f"http://maps.{room.host}/sitemap.xml\nSitemap: {room.site.url}?map")
    room.site.pages["/index.html?map"] = Site.sitemap(f"http://listed.{room.host}/a", f"http://{room.host}/a/0")
    feed = f"http://{room.host}/feed.xml"
    room.site.pages["/index.html"] = room.site.pages["/index.html"].replace(feed, f"http://feeds.{room.host}/feed.xml")
    ended = room.crawl(**DOMAIN)
    assert ended.code in (0, 3), ended.said
    assert len(ended.rows) == WHOLE, ended.said
    assert f"links.{room.host} resolves to" in room.pages()


def tried_again(room, inner):
    """A page answers 503, and leads inside when it is requested again."""
    room.lead(SITE4)
    room.site.pages["/a/2"] = (503, {"Retry-After": "0"}, "busy")
    room.site.on["/a/2"] = room.leading(inner)
    refused(room.crawl(**UNPINNED), code=3)


def probed(room, inner):
    """The site fails, and leads inside when it is asked whether it is up."""
    room.lead(SITE4)
    for number in (1, 2, 3, 4):
        room.site.pages[f"/a/{number}"] = (500, {}, "down")
        room.site.on[f"/a/{number}"] = (lambda: None) if number < 3 else room.leading(inner)
    refused(room.crawl(**UNPINNED, SITECRAWL_OUTAGE_FAILURES=2, RETRY_ENABLED=False), code=3)


def public_forms(room, address):
    """An address that carries a public IPv4 address, or is IPv6 alone, is crawled."""
    room.lead(address)
    whole(room.crawl())
    assert room.query("SELECT reach FROM site") == [("public",)]


def private_from_the_start(room):
    """The operator typed a name of his own network: it is crawled there, and nowhere else in it."""
    room.lead(INTRANET)
    whole(room.crawl())
    assert room.query("SELECT reach FROM site") == [(INTRANET,)]
    room.lead("10.0.0.5")
    refused(room.crawl(), f"{room.host} resolves to 10.0.0.5; at its first crawl it was at {INTRANET}")
    room.lead(INTRANET, "::ffff:10.0.0.5", INNER6)
    ended = room.crawl(SITECRAWL_EMIT_UNCHANGED=True)
    assert (ended.code, len(ended.rows)) == (0, WHOLE), ended.said
    room.lead(SITE4)
    ended = room.crawl()
    assert ended.code == 0, ended.said


def from_before_it_was_recorded(room):
    """A database from before: a private name with pages is refused until the operator allows its address once."""
    room.lead(INTRANET)
    whole(room.crawl())
    room.query("UPDATE site SET reach = NULL")
    refused(room.crawl(), "before sitecrawl recorded", f"SITECRAWL_ALLOWED_ADDRESSES={INTRANET}:80")
    assert room.query("SELECT reach FROM site") == [(None,)]
    ended = room.crawl(SITECRAWL_ALLOWED_ADDRESSES=f"{INTRANET}:80")
    assert ended.code == 0, ended.said
    assert room.query("SELECT reach FROM site") == [(INTRANET,)]
    ended = room.crawl()
    assert ended.code == 0, ended.said


def public_from_before(room):
    """A database from before: a public name is recorded as such by the next crawl."""
    room.lead(SITE4)
    whole(room.crawl())
    room.query("UPDATE site SET reach = NULL")
    ended = room.crawl()
    assert ended.code == 0, ended.said
    assert room.query("SELECT reach FROM site") == [("public",)]


def allowed_at_one_port(room):
    """A public name moves into the operator's network, who allows it: at that port, and no other."""
    room.lead(SITE4)
    whole(room.crawl())
    room.lead(INTRANET)
    refused(room.crawl(SITECRAWL_ALLOWED_ADDRESSES=f"{INTRANET}:8080"))
    assert room.web.intranet == []
    ended = room.crawl(SITECRAWL_ALLOWED_ADDRESSES=f"{INTRANET}:80")
    assert ended.code == 0, ended.said
    assert room.web.intranet != []


def plays(every):
    """Yield (name, case, arguments): all forms of addresses, or those that CI plays."""
    for inner in (*FORBIDDEN, *MAPPED) if every else SHORT:
        yield "between crawls", between_crawls, (inner,)
    for case in (and_back_again, kept_for_a_crawl, redirected_to_an_address, private_from_the_start):
        yield case.__name__, case, ()
    for case in (not_there_at_first, from_before_it_was_recorded, public_from_before, allowed_at_one_port):
        yield case.__name__, case, ()
    for address in (SITE6, NAT64, SIXTOFOUR):
        yield "public forms", public_forms, (address,)
    for inner in (INNER4, INNER6, "::ffff:10.0.0.5", "64:ff9b::a00:5", "2002:a00:5::1") if every else (INNER4, INNER6):
        for path, code in (("/robots.txt", 1), ("/sitemap.xml", 1), ("/index.html", 3), ("/a/2", 3)):
            yield f"after {path}", after, (path, inner, code)
        for case in (before_the_connect, in_turns, redirected_by_the_way, redirected_to_a_name, another_host):
            yield case.__name__, case, (inner,)
        for case in (silent_at_first, by_recrawl, beside_a_public_one, tried_again, probed):
            yield case.__name__, case, (inner,)
