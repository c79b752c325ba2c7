"""Finds query parameters whose values all give the same page, such as the return address of a log-in page.

`/talk/5` links to `/login?next=/talk/5`, and every other page does the same; all of these are one form. The orders in
which a list can be sorted are one page too, unless the list continues on other pages. The names of the parameters are
not used. The evidence is the content: all values that were read gave the same words, links and frames, and no other
answer was ever seen. If the values are the addresses of other pages of the site (return addresses), a few such answers
are enough. Otherwise many are needed, since the first pages of a site may be missing, or not be public.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import unquote, unquote_plus, urljoin

from sitecrawl.dom.page import Page
from sitecrawl.links.closed_parameters import ClosedParameters
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.parameters import without_state
from sitecrawl.links.urls import identity, url_key
from sitecrawl.links.variants import PLACE_LENGTH, hash_of

WAYS_BACK: Final = 4
"""Number of values that are addresses of known pages after which a parameter is closed. Own choice."""
VALUES: Final = 20
"""Number of any values after which it is closed. Own choice: a tenth of the queries that any path may have."""
MAX_GROUPS: Final = 10_000
"""Maximum parameters remembered by one crawl (about 10 MB); the one read least recently is forgotten first."""
MAX_HREFS: Final = 5_000
"""Maximum links of a page that are compared."""
ECHO: Final = 4
"""Minimum characters of a value to be recognised in the links of its page. Own choice: `5` is in many links."""
_ROUNDS: Final = 3
"""Maximum levels of nested escapes that are decoded: a return address to a log-in page adds one each time."""


class Parameter(NamedTuple):
    """One query parameter of a URL."""

    key: int
    """63-bit key of the rest of the URL and the parameter's name."""
    value: str
    place: str
    """Readable: the rest of the URL, then the name and `=`."""
    name: str


@dataclass(slots=True)
class _Group:
    """The answers to the values of one parameter, for URLs that are otherwise equal."""

    answer: int | None
    """Hash of the answer that all values gave; None once another answer was seen."""
    turn: int
    """Value of `SameAnswers._turn`, which counts changes between answers of any pages, at the first answer."""
    order: int
    """Hash of the texts of the first answer, in page order."""
    ways_back: set[int] = field(default_factory=set)
    """Hashes of the values that are addresses of known pages."""
    sorts: bool = False
    """Whether a later answer had the same texts in another order."""
    values: set[int] = field(default_factory=set)


class SameAnswers(ClosedParameters):
    """Closes the query parameters of one site whose values all give the same page."""

    def __init__(self, start_url: str = "") -> None:
        """Begin without pages. `start_url` is always allowed."""
        super().__init__(start_url)
        self._groups: OrderedDict[int, _Group] = OrderedDict()
        self._last: dict[bool, int] = {}
        """Hash of the last page with parameters, and fingerprint of the last one without."""
        self._turn = 0

    def read(self, page: Page, knows: Callable[[int], bool]) -> list[Closed]:
        """Compare a page with earlier ones; return the parameters that it shows to be traps.

        `knows` returns whether a URL, given by its `url_key`, is known.
        """
        given = parameters(page.url)
        # a page without parameters is identified by its fingerprint, which is already computed
        text_hash = _text_hash(page) if given else page.flat.fingerprint
        self._turn += self._last.get(bool(given), text_hash) != text_hash
        self._last[bool(given)] = text_hash
        if not given:
            return []
        answer = hash_of(f"{text_hash} {_named(page, [one.value for one in given])}")
        order = hash_of("\n".join(page.flat.text))
        found = [self._note(one, answer, order, way_back=is_way_back(page.url, one.value, knows)) for one in given]
        while len(self._groups) > MAX_GROUPS:
            self._groups.popitem(last=False)
        return [one for one in found if one is not None]

    def keys_of(self, url: str) -> list[int]:
        """Return the keys of the parameters of a URL."""
        return [one.key for one in parameters(url)]

    def _note(self, parameter: Parameter, answer: int, order: int, *, way_back: bool) -> Closed | None:
        """Record the answer to one value; return the closed trap if that closes the parameter."""
        group = self._groups.setdefault(parameter.key, _Group(answer, self._turn, order))
        self._groups.move_to_end(parameter.key)
        if group.answer != answer:
            group.answer = None
            group.values.clear()
            group.ways_back.clear()
            return None
        group.values.add(hash_of(parameter.value))
        group.sorts |= group.order != order
        if way_back:
            group.ways_back.add(hash_of(parameter.value))
        number = len(group.values)
        # if no page gave any other answer, not even another order of the texts, the whole site may be down
        enough = number >= VALUES and (group.turn != self._turn or group.sorts)
        if parameter.key in self.closed or not (enough or len(group.ways_back) >= WAYS_BACK):
            return None
        reason = f"a trap: {number} values of {parameter.name[:50]!r} gave the same page at {parameter.place}"
        self.closed[parameter.key] = reason
        return Closed(parameter.key, ClosedKind.SAME, parameter.place, reason)


def parameters(url: str) -> list[Parameter]:
    """Return the parameters of a URL, each name once."""
    if "?" not in url:
        return []
    path, _, query = identity(url).partition("?")
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    found = []
    for name in dict.fromkeys(name for name, _ in pairs):
        rest = "".join(f"{other}={value}&" for other, value in pairs if other != name)
        value = "&".join(value for other, value in pairs if other == name)
        place = f"{path}?{rest}{name}="
        found.append(Parameter(hash_of(place) >> 1, value, place[:PLACE_LENGTH], unquote_plus(name)))
    return found


def is_way_back(url: str, value: str, knows: Callable[[int], bool]) -> bool:
    """Return whether an escaped value in the query of a URL is the address of a known page.

    The address is absolute (`https://example.org/a`, `/a`), or a path of two or more segments without the first slash
    (`node/5`), which some systems use.
    """
    address = _unescaped(value)
    if "/" not in address or address.startswith("//"):
        return False
    try:
        return knows(url_key(urljoin(urljoin(url, "/"), address)))
    except ValueError:
        return False


def _text_hash(page: Page) -> int:
    """Return a hash of the texts of a page that does not depend on their order, since a list can be sorted."""
    texts = sorted(" ".join(text.split()) for text in page.flat.text if text)
    return hash_of("\n".join((page.title or "", page.description or "", *texts)))


def _named(page: Page, values: Iterable[str]) -> int:
    """Return a hash of the targets of a page: its links, frames and refresh.

    Links to the page's own path are ignored, and so is the query of links that contain one of `values`. So the hash is
    the same for pages that only pass a value on to their links.
    """
    echoes = [text for value in values if len(text := _unescaped(value)) >= ECHO]
    own, base = page.url.partition("?")[0], page.base_url
    hrefs = (href.partition("#")[0] for _, href, _ in page.flat.anchors[:MAX_HREFS])
    links = {link for href in hrefs for link in _link(base, href, own, echoes)}
    return hash_of("\n".join((*sorted(links), *(src for _, src in page.frames), page.refresh or "")))


def _link(base: str, href: str, own: str, echoes: Iterable[str]) -> Iterator[str]:
    """Yield a link in the form for comparison; nothing for a link to the page's own path."""
    path, asks, query = href.partition("?")
    if not asks:
        yield href
        return
    try:
        if urljoin(base, path) == own or not path:
            return
    except ValueError:
        yield href
        return
    text = _unescaped(query)
    yield path if any(echo in text for echo in echoes) else f"{path}?{without_state(query)}"


def _unescaped(text: str) -> str:
    """Return a text with its escapes decoded, also nested ones up to _ROUNDS levels."""
    for _ in range(_ROUNDS):
        before, text = text, unquote(text)
        if text == before:
            break
    return text
