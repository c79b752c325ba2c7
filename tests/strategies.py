"""Shared Hypothesis strategies."""

from hypothesis import strategies as st

# --- URLs ---

ORIGINS = (
    "http://example.org",
    "https://www.example.org",
    "HTTP://Example.ORG:80",
    "http://example.org.:8080",
    "http://[::0:1]:8000",
    "http://127.0.0.1:8000",
    "https://b\u00fccher.example",
)
PIECES = (
    *"///abAz09..;??&&==#%+~-_()[]@:\\'\"!*,|^",
    *(" ", "\t", "\n", "\x00", "\x7f", "\xe9", "\ud800"),
    *("%2e", "%2E%2e", "../", "./", "%2F", "%41", "%e9", "%C3%BC", "%25", "%2541", "%3B", "%zz"),
    *("utm_source=x", "fbclid=1", "%75tm_a=1", "sid=a1b2c3d4", "PHPSESSID=x", ";jsessionid=1", "/(S(x1))/"),
)


def paths() -> st.SearchStrategy[str]:
    """Strings for the part of a URL after the host, mostly awkward ones."""
    return st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def urls() -> st.SearchStrategy[str]:
    """Absolute URLs, most of them usable."""
    return st.builds(str.__add__, st.sampled_from(ORIGINS), paths())


def directory_urls() -> st.SearchStrategy[str]:
    """URLs of one site that differ in their directories and files."""
    segments = st.lists(st.sampled_from(("a", "b", "c")), max_size=4)
    names = st.sampled_from(("", "x.html", "y", "?q=/z/"))
    return st.builds(
        lambda parts, name: "https://example.org/" + "".join(f"{part}/" for part in parts) + name,
        segments,
        names,
    )
