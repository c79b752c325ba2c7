import pytest

from sitecrawl.links import traps
from sitecrawl.links.traps import TrapGuard, TrapLimits

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


def test_url_length():
    guard = TrapGuard(TrapLimits(url_length=50))
    assert guard.allows(f"{SITE}/{'a' * 30}") is None
    assert guard.allows(f"{SITE}/{'a' * 31}") == "URL of 51 characters, over 50"


def test_unusable_url():
    assert TrapGuard().allows("http://[") == "not a URL that can be fetched"


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
        guard.credit(url)
    assert guard.allows(f"{SITE}/viewtopic.php?t=100") is None
    guard.credit("http://[")
    guard.credit(f"{SITE}/unseen?x=1")
    assert _let_through(guard, [f"{SITE}/unseen?x={n}" for n in range(20)]) == 10


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(traps, "MAX_VARIANTS", 100)
    guard = TrapGuard(TrapLimits(query_variants=60))
    assert _let_through(guard, [f"{SITE}/trap?x={n}" for n in range(100)]) == 60
    for n in range(1000):
        assert guard.allows(f"{SITE}/{'ab' * (n + 1)}?x=1"[:2000]) is None
        assert guard.allows(f"{SITE}/trap?x=new") is not None, "a trap that is still asked for is not forgotten"
        assert guard._size == sum(map(len, guard._variants.values())) <= 100


def test_limits_come_from_the_published_crawlers():
    limits = TrapLimits()
    assert (limits.path_segments, limits.segment_repeats, limits.query_variants, limits.url_length) == (
        20,
        2,
        200,
        2083,
    )
