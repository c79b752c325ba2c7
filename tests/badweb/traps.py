"""Cases of sites without end; what they link to is bounded by the limits of `docs/links.md`."""

from tests.badweb.server import ANY, STORED, Expect, Visit, case


def _trap(requests: int) -> Expect:
    return Expect(ANY, requests=requests)


@case(_trap(250))
def calendar(visit: Visit) -> None:
    month = int(visit.rest.partition("=")[2] or 0)
    more = f'<a href="?month={month + 1}">next</a><a href="?month={month - 1}">previous</a>'
    visit.answer(f"<title>Month {month}</title><h1>Month</h1><p>No events in this month.</p>{more}")


@case(_trap(30))
def path_repeats(visit: Visit) -> None:
    visit.answer(visit.page('<a href="a/">a</a><a href="b/a/">b</a>'))


@case(_trap(40))
def soft_404_relative(visit: Visit) -> None:
    if visit.rest:
        links = "".join(f'<a href="{visit.random.randrange(10**6)}/">more {i}</a>' for i in range(5))
        visit.answer(f"<title>Page not found</title><h1>Page not found</h1><p>Sorry.</p>{links}")
        return
    visit.answer(visit.page('<a href="old/">an old link</a>'))


@case(_trap(30))
def url_grows(visit: Visit) -> None:
    visit.answer(visit.page(f'<a href="{visit.rest}{"x" * 200}">longer</a>'))


@case(_trap(120))
def chain_without_end(visit: Visit) -> None:
    visit.answer(visit.page(f'<a href="{int(visit.rest or 0) + 1}">next</a>'))


@case(Expect(ANY, requests=100, documents=(0, 1)))
def facets(visit: Visit) -> None:
    query = visit.rest.partition("?")[2]
    names = ("colour", "size", "brand", "sort", "page", "price", "shape", "year", "maker")
    links = "".join(f'<a href="?{query}&amp;{n}={v}">{n} {v}</a> ' for n in names for v in range(4))
    visit.answer(f"<title>Shop</title><h1>Shop</h1><p>There are eleven things to buy.</p>{links}")


FILTERS = {name: range(1, 6) for name in ("colour", "size", "brand", "price", "shape", "year")} | {"page": range(1, 4)}


@case(_trap(60))
def facets_text(visit: Visit) -> None:
    """46,875 filtered listings, each with a text of its own."""
    pairs = dict(pair.split("=", 1) for pair in visit.rest.partition("?")[2].split("&") if "=" in pair)
    sets = ({**pairs, name: str(value)} for name, values in FILTERS.items() for value in values)
    queries = ("&amp;".join(f"{name}={value}" for name, value in sorted(chosen.items())) for chosen in sets)
    visit.answer(visit.page("".join(f'<a href="?{query}">filter {i}</a> ' for i, query in enumerate(queries))))


@case(Expect(STORED, requests=8, documents=(5, 6)))
def session_ids(visit: Visit) -> None:
    sid = f"{visit.random.getrandbits(64):016x}{visit.number}"
    names = ("sid", "PHPSESSID", "jsessionid", "sid", "PHPSESSID")
    visit.answer(visit.page("".join(f'<a href="{i}?{name}={sid}">page {i}</a> ' for i, name in enumerate(names))))


@case(Expect(STORED, requests=6, contents=(2, 2)))
def query_variants(visit: Visit) -> None:
    queries = ("a=1&b=2", "b=2&a=1", "a=1&b=2#x", "utm_source=x&a=1&b=2", "a=1&b=2&fbclid=9", "a=1&b=2&gclid=8")
    visit.answer(visit.page("".join(f'<a href="one?{query}">{i}</a> ' for i, query in enumerate(queries))))


@case(Expect(STORED, requests=4, contents=(2, 2)))
def dot_segments(visit: Visit) -> None:
    paths = ("./x", "y/../x", "%78", "./././x", "a/b/../../x", "%2e/x")
    visit.answer(visit.page("".join(f'<a href="{path}">{i}</a> ' for i, path in enumerate(paths))))
