from functools import lru_cache

import pytest

from sitecrawl.links import traps
from sitecrawl.links.closed_trap import ClosedKind
from sitecrawl.links.traps import Judgement, TrapGuard, TrapLimits
from sitecrawl.links.urls import canonical_of, split_url, url_key
from sitecrawl.links.variants import variant

SITE = "https://example.org"


def _let_through(guard, urls):
    return sum(guard.allows(url) is None for url in urls)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/" + "/".join("abcdefghijklmnopqrst"),
        "/a/a/b",
        "/a/b/a/b/c",
        "/2011/11/11/story",
        "/1/1/2/1/3/1/4/1",
        "/a?" + "&".join("abcdefgh"),
    ],
)
def test_ordinary_paths_pass(path):
    assert TrapGuard().allows(SITE + path) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "/".join("abcdefghijklmnopqrstu"), "21 path segments, over 20"),
        ("/a/a/a", "path repeats 'a' over 2 times in a row"),
        ("/x/a/b/a/b/a/b", "path repeats 'a/b' over 2 times in a row"),
        ("/a/b/c/a/b/c/a/b/c/d", "path repeats 'a/b/c' over 2 times in a row"),
        ("/a/b/a/c/a/d/e/a", "path holds 'a' over 3 times"),
        ("/a?" + "&".join("abcdefghi"), "9 query parameters, over 8"),
    ],
)
def test_traps_that_show_in_one_url(path, reason):
    assert TrapGuard().allows(SITE + path) == reason


def test_urls_over_the_length_are_refused():
    guard = TrapGuard(TrapLimits(url_length=50))
    assert guard.allows(f"{SITE}/{'a' * 30}") is None
    assert guard.allows(f"{SITE}/{'a' * 31}") == "URL of 51 characters, over 50"


def test_a_url_that_cannot_be_fetched_is_refused():
    assert TrapGuard().allows("http://[") == "not a fetchable URL"


def test_mirrored_path_ends():
    guard, url = TrapGuard(), f"{SITE}/trap/"
    visits = 0
    while guard.allows(url) is None:
        visits += 1
        url += "a/"
    assert visits == 3


@pytest.mark.parametrize(
    "template",
    [
        "/calendar?month={n}",
        "/shop/?size=1&colour={n}&sort=up",
        "/events/{year}/{month}/list/",
        "/kalender/tag-{year}-{month}.html",
        "/archive/{year}/{month}/",
        "/{year}-{month}",
        "/{year}/{month}/index.html",
    ],
)
def test_variants_of_one_pattern_are_limited(template):
    guard = TrapGuard()
    urls = [SITE + template.format(n=n, year=2000 + n // 12, month=n % 12 + 1) for n in range(600)]
    assert _let_through(guard, urls) == 200
    assert guard.allows(urls[-1]) == "over 200 variants of one path (queries or dates)"
    assert guard.allows(urls[0]) is None, "what was let through stays so"
    assert guard.allows(SITE + "/elsewhere?x=1") is None, "other patterns have a budget of their own"


def test_digits_of_a_path_do_not_make_a_new_pattern():
    guard = TrapGuard()
    assert _let_through(guard, [f"{SITE}/thread/{n}?sort=up" for n in range(300)]) == 200


@pytest.mark.parametrize(
    "template",
    ["/article/{n}", "/article/{n}.html", "/2024/05/17/story-{n}", "/v{n}/events/", "/p/2024/{n}000"],
)
def test_numbered_pages_are_not_limited(template):
    urls = [SITE + template.format(n=n) for n in range(600)]
    assert _let_through(TrapGuard(), urls) == 600


def test_spellings_of_one_page_are_one_variant():
    guard = TrapGuard(TrapLimits(query_variants=1))
    spellings = ("?a=1&b=2", "?b=2&a=1", "?b=2&a=1&utm_id=7", "?a=1&b=2&sid=9f86d081884c7d65", "?a=%31&b=2#x")
    assert _let_through(guard, [f"http://www.example.org/x{query}" for query in spellings]) == len(spellings)
    assert guard.allows("http://example.org/x?a=2") is not None


def test_pages_with_content_of_their_own_do_not_count():
    guard = TrapGuard(TrapLimits(query_variants=10))
    topics = [f"{SITE}/viewtopic.php?t={n}" for n in range(100)]
    for url in topics:
        assert guard.allows(url) is None
        guard.judge(url, content=True)
    assert guard.allows(f"{SITE}/viewtopic.php?t=100") is None
    guard.judge("http://[", content=True)
    guard.judge(f"{SITE}/unseen?x=1", content=True)
    assert _let_through(guard, [f"{SITE}/unseen?x={n}" for n in range(20)]) == 10


@lru_cache(20_000)
def read(url):
    """Return (the variant of a URL, its key); listings contain the same URLs repeatedly."""
    parts = split_url(url)
    return variant(parts, canonical_of(parts)), url_key(url)


def crawl(guard, start, links, content, requests=None):
    """Request the URLs reachable by `links`, as a crawl does; return the requested ones in order."""
    waiting, asked, known = [start], [], {start}
    while waiting and (requests is None or len(asked) < requests):
        url = waiting.pop(0)
        if guard.refusal(url) is not None:
            continue
        asked.append(url)
        found, keys = [], []
        for target in links(url):
            one, key = read(target)
            keys.append(key)
            if one is None or guard.admit(one) is None:
                found.append(target)
            else:
                guard.hold(one, key, target)
        judged = guard.judge(url, content=content(url), url_key=url_key(url), links=keys)
        for target in (*found, *judged.released):
            if target not in known:
                known.add(target)
                waiting.append(target)
    return asked


FILTERS = {name: range(1, 6) for name in ("colour", "size", "brand", "price", "shape", "year")} | {"page": range(1, 4)}
"""Six filters of five values each, and three pages: 46,875 URLs with all parameters."""


def filtered(url):
    """The links of a filtered listing: each sets one parameter to another value."""
    pairs = dict(pair.split("=") for pair in url.partition("?")[2].split("&") if pair)
    for name, values in FILTERS.items():
        for value in values:
            yield f"{SITE}/shop/?" + "&".join(f"{n}={v}" for n, v in sorted({**pairs, name: str(value)}.items()))


def test_filters_that_combine_without_end_cost_no_more_than_their_limit_over_three_runs():
    """Each listing has text of its own that counts as main content, which is the worst case."""
    stored, asked = [], []
    for _ in range(3):
        guard = TrapGuard()
        for url in dict.fromkeys(asked):  # what the database has of the runs before
            guard.replay(url, content=True)
        guard.restore(stored)
        asked += crawl(guard, f"{SITE}/shop/", filtered, lambda url: True, requests=5_000)
        guard.conclude()
        stored = list(guard.closed.values())
    assert len(asked) <= 300
    assert [one.place for one in stored] == ["example.org/shop/?"]
    assert stored[0].reason == "a trap: over 215 variants of example.org/shop/?, of which 5 values led to content"


def test_listings_earn_nothing():
    guard = TrapGuard()
    assert len(crawl(guard, f"{SITE}/shop/", filtered, lambda url: False)) == 201
    guard.conclude()
    assert [one.kind for one in guard.closed.values()] == [ClosedKind.COMBINATIONS]


def test_a_forum_of_queries_is_read_to_its_end():
    """Topics of two pages, found on lists that are queries too."""

    def links(url):
        if "t=" not in url:
            page = int(url.partition("=")[2] or 0)
            yield from (f"{SITE}/forum.php?t={n}" for n in range(20 * page, 20 * page + 20))
            if page < 99:
                yield f"{SITE}/list.php?p={page + 1}"
        elif "&" not in url:
            yield f"{url}&start=20"

    guard = TrapGuard()
    asked = crawl(guard, f"{SITE}/list.php", links, lambda url: "t=" in url)
    assert len(asked) == 100 + 2_000 + 2_000
    assert guard.closed == {}
    assert guard.conclude() == []


def archive(url):
    """The links of a paginated archive of 1,000 pages: ten articles and the next page."""
    if "/article/" not in url:
        page = int(url.partition("=")[2] or 0)
        yield from (f"{SITE}/article/{n}" for n in range(10 * page, 10 * page + 10))
        if page < 999:
            yield f"{SITE}/archive?page={page + 1}"


def test_an_archive_whose_pages_name_new_articles_is_read_to_its_end_in_each_run():
    asked = set()
    for _ in range(2):
        guard = TrapGuard()
        pages = {url: "/article/" in url for url in sorted(asked)}
        for url, own in pages.items():
            guard.replay(url, content=own)
        for url, own in pages.items():
            if not own:
                guard.replay_links(url, [url_key(target) for target in archive(url)])
        for url, own in pages.items():
            if own:
                guard.lead(url_key(url))
        asked = set(crawl(guard, f"{SITE}/archive", archive, lambda url: "/article/" in url))
        assert len(asked) == 1_000 + 10_000
        assert guard.conclude() == []


def test_filters_that_lead_to_the_same_products_earn_what_the_products_are_worth():
    def shop(url):
        if "/product/" not in url:
            yield from (f"{SITE}/product/{n}" for n in range(60))
            yield from filtered(url)

    guard = TrapGuard()
    asked = crawl(guard, f"{SITE}/shop/", shop, lambda url: "/product/" in url)
    assert len(asked) <= 1 + 60 + 200 + 20
    assert len(guard.conclude()) == 1


def test_a_page_that_is_read_again_earns_nothing_more():
    guard = TrapGuard(TrapLimits(query_variants=10))
    urls = [f"{SITE}/shop?size={n % 3}&colour={n}" for n in range(10)]
    for url in urls:
        guard.allows(url)
    for _ in range(5):
        for url in urls[:3]:
            guard.judge(url, content=True)
    assert _let_through(guard, [f"{SITE}/shop?size=9&colour={n}" for n in range(100, 200)]) == 9


def test_the_parameters_of_a_folder_have_a_limit_of_their_own():
    guard = TrapGuard(TrapLimits(folder_variants=300))
    pages = [f"{SITE}/wiki/{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}{'uvwxy'[n // 100]}" for n in range(500)]
    assert _let_through(guard, [f"{url}?action=edit" for url in pages]) == 300
    assert guard.allows(f"{pages[-1]}?action=edit") == (
        "over 300 variants of one parameter set in a folder (queries or dates)"
    )
    assert guard.allows(f"{pages[-1]}?title=x") is None, "other parameters have a budget of their own"
    assert guard.allows(f"{SITE}/shop/a?action=edit") is None, "and so has every folder"


def test_no_path_has_more_variants_than_the_most_whatever_they_hold():
    limits = TrapLimits(query_variants=10, folder_variants=10, pages=100)
    stored, known = [], []
    for _ in range(2):
        guard = TrapGuard(limits)
        for url in known:
            guard.replay(url, content=True)
        guard.restore(stored)
        known = crawl(guard, f"{SITE}/t", lambda url: [f"{SITE}/t?n={n}" for n in range(200)], lambda url: True)
        assert len(known) == 101
        stored = list(guard.closed.values())
        assert [one.kind for one in stored] == [ClosedKind.FULL]
        assert stored[0].reason.startswith("over 100 variants of example.org/")
    assert all(guard.refusal(url) is None for url in known), "what is known is asked for again"


def test_a_replayed_run_leaves_the_same_state():
    """The variants admitted next do not depend on the moment at which a run was killed."""
    asked = crawl(TrapGuard(), f"{SITE}/shop/", filtered, lambda url: False)
    for killed in (50, 150, 200):
        guard = TrapGuard()
        for url in asked[:killed]:
            guard.replay(url, content=False)
        assert set(crawl(guard, f"{SITE}/shop/", filtered, lambda url: False)) <= set(asked)
        guard.conclude()
        assert len(guard.closed) == 1


def test_a_variant_that_was_never_read_is_replayed_without_a_verdict():
    guard = TrapGuard(TrapLimits(query_variants=2, folder_variants=2))
    for n in range(2):
        guard.replay(f"{SITE}/t?n={n}", content=None)
    one = variant(split_url(f"{SITE}/t?n=9"), f"{SITE}/t?n=9")
    assert guard.admit(one) is not None
    guard.hold(one, 9, f"{SITE}/t?n=9")
    assert guard.judge(f"{SITE}/t?n=0", content=False) == Judgement()
    assert guard.judge(f"{SITE}/t?n=1", content=True).released == (f"{SITE}/t?n=9",)


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(traps, "MAX_VARIANTS", 100)
    guard = TrapGuard(TrapLimits(query_variants=60, folder_variants=5_000))
    assert _let_through(guard, [f"{SITE}/trap?x={n}" for n in range(100)]) == 60
    for n in range(1000):
        assert guard.allows(f"{SITE}/{'ab' * (n + 1)}?x=1"[:2000]) is None
        assert guard.allows(f"{SITE}/trap?x=new") is not None, "a trap that is still asked for is not forgotten"
        assert guard._size == sum(group.size for group in guard._groups.values()) <= 100


def test_limits_come_from_the_published_crawlers():
    limits = TrapLimits()
    assert (limits.path_segments, limits.segment_repeats, limits.query_variants, limits.url_length) == (
        20,
        2,
        200,
        2083,
    )
