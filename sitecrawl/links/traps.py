"""Limits against URL traps: calendars, repeated paths, combined filters, growing URLs.

`trap_problem` checks a single URL. A `TrapGuard` detects traps that only many URLs show: it counts the variants that it
allowed of each path, and of each parameter set in a folder (`links.variants`).
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.first_leads import Leads
from sitecrawl.links.urls import MAX_URL_LENGTH, UrlParts, canonical_of, split_url
from sitecrawl.links.variants import Group, Variant, describe, variant


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """The limits, each with its source. Each is the largest allowed value."""

    path_segments: int = 20
    """Directories and file of the path. Source: Heritrix `TooManyPathSegmentsDecideRule`."""
    segment_repeats: int = 2
    """The same segments (one, or a cycle of up to three) in a row: `/a/a/` and `/a/b/a/b/` are allowed, a third round
    is not. Source: Heritrix `PathologicalPathDecideRule`."""
    segment_total: int = 3
    """The same segment anywhere in the path, except numbers: wrong relative links (`/a/b/a/c/a/...`) do not always
    repeat in a fixed cycle."""
    url_length: int = MAX_URL_LENGTH
    """Characters."""
    query_parameters: int = 8
    """Parameters without tracking parameters. Own choice: only combined shop filters have more."""
    query_variants: int = 200
    """Distinct queries, or calendar dates, of one path pattern. Own choice."""
    folder_variants: int = 1_000
    """The same limit for all paths of a folder with the same parameters. Own choice: five times that of a path."""
    credit: int = 3
    """Further variants for each value of a parameter that led to main content. Own choice: forum topics have fewer than
    three pages on average, and a filter has few values in however many combinations."""
    pages: int = 20_000
    """Variants of one path or parameter set, even if all have main content. Own choice: a forum of 20,000 topics."""


MANY_WORDS: Final = 60
"""Words of a page from which it counts as main content here even if it is classified as a listing, since that may be
wrong. Own choice: the words of two paragraphs."""
MAX_HELD: Final = 20_000
"""Maximum refused variants remembered by one guard (about 4 MB)."""
MAX_VARIANTS: Final = 200_000
"""Maximum variants and values remembered by one guard, over all paths (about 20 MB); the path requested least recently
is forgotten first."""

_CYCLE: Final = 3
"""Longest cycle of segments that is detected."""


def trap_problem(parts: UrlParts, limits: TrapLimits) -> str | None:
    """Return, in words, the limit that a single URL exceeds, or None."""
    length = len(parts.url)
    if length > limits.url_length:
        return f"URL of {length} characters, over {limits.url_length}"
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > limits.path_segments:
        return f"{len(segments)} path segments, over {limits.path_segments}"
    if len(set(segments)) < len(segments):
        problem = _repetition(segments, limits)
        if problem:
            return problem
    parameters = parts.query.count("&") + 1 if parts.query else 0
    if parameters > limits.query_parameters:
        return f"{parameters} query parameters, over {limits.query_parameters}"
    return None


def _repetition(segments: list[str], limits: TrapLimits) -> str | None:
    """Return, in words, how often segments repeat, or None if that is within the limits."""
    for period in range(1, _CYCLE + 1):
        matches = 0  # number of consecutive segments that equal the one a period earlier
        for i in range(period, len(segments)):
            matches = matches + 1 if segments[i] == segments[i - period] else 0
            if matches >= period * limits.segment_repeats:
                cycle = "/".join(segments[i - period + 1 : i + 1])
                return f"path repeats {cycle!r:.100} over {limits.segment_repeats} times in a row"
    words = [segment for segment in segments if not segment.isdecimal()]
    for segment in set(words):
        if words.count(segment) > limits.segment_total:
            return f"path holds {segment!r:.100} over {limits.segment_total} times"
    return None


class Judgement(NamedTuple):
    """The consequences of a page that was read."""

    released: tuple[str, ...] = ()
    """Refused variants that may be fetched now; they count as allowed."""
    closed: tuple[Closed, ...] = ()
    """Traps that were closed by this page."""


class TrapGuard:
    """Judges the URLs of one site; remembers, within bounds, which variants it allowed.

    A variant that was allowed once stays allowed. Pages with unique main content, and listings that are the first to
    link to such pages, raise the limit of their path and release refused variants (`judge`): a forum whose topics are
    queries is no trap. A path or parameter set whose limit can no longer rise is closed. Of its variants, only those
    are requested again that were the first with content for a value of its best parameter, or that lead to content
    (`refusal`).
    """

    def __init__(self, limits: TrapLimits | None = None) -> None:
        self.limits = limits or TrapLimits()
        self.closed: dict[int, Closed] = {}
        """Closed traps by key of the path or parameter set."""
        self._groups: OrderedDict[int, Group] = OrderedDict()
        """Groups by key of the path or parameter set, least recently requested first."""
        self._places: dict[int, str] = {}
        """Readable names of the groups with refused variants, by key."""
        self._held: dict[int, OrderedDict[int, str]] = {}
        self._held_size = 0
        self._size = 0
        self._leads = Leads()

    def allows(self, url: str) -> str | None:
        """Return None if a URL may be fetched, else the reason in words."""
        parts = split_url(url)
        if parts is None:
            return "not a fetchable URL"
        return trap_problem(parts, self.limits) or self.admit(variant(parts, canonical_of(parts)))

    def admit(self, variant: Variant | None) -> str | None:
        """Return None if another variant of a path may be fetched, else the reason in words."""
        if variant is None:
            return None
        folder, path = self._folder(variant), self._path(variant)
        if variant.value in path.through:
            return None
        for key, group, place in (
            (variant.path, path, "one path"),
            (variant.folder, folder, "one parameter set in a folder"),
        ):
            if key in self.closed or group.count >= group.limit:
                group.refused = True
                return f"over {group.limit} variants of {place} (queries or dates)"
        path.through.add(variant.value)
        path.count += 1
        folder.count += 1
        self._grow(1)
        return None

    def hold(self, variant: Variant, url_key: int, url: str) -> None:
        """Remember a refused variant, up to MAX_HELD, in case the limit of its path rises later."""
        path = self._path(variant)
        key = variant.path if variant.path in self.closed or path.count >= path.limit else variant.folder
        if key in self.closed:
            return
        if key not in self._places:
            described = describe(url)
            if described is not None:
                self._places[key] = described.path if key == variant.path else described.folder
        held = self._held.setdefault(key, OrderedDict())
        if url_key not in held and self._held_size < MAX_HELD:
            held[url_key] = url
            self._held_size += 1

    def judge(self, url: str, *, content: bool, url_key: int | None = None, links: Iterable[int] = ()) -> Judgement:
        """Record that a page was read; return the URLs that may be requested now, and the traps that are closed.

        `content` is whether it has main content that no other page has. `links` are the `url_key`s of the pages that
        it links to.
        """
        variant = self._note(url, content=content)
        if variant is not None and not content:
            self._leads.record(variant, links)
        earning = [variant] if variant is not None else []
        if content and url_key is not None and (listing := self.lead(url_key)) is not None:
            earning.append(listing)
        released: list[str] = []
        closed: list[Closed] = []
        for each in earning:
            for key, group in ((each.folder, self._folder(each)), (each.path, self._path(each))):
                released += self._release(key, group)
                if key in self._places and group.spent and group.count >= group.most:
                    closed.append(self._close(key, group))
        return Judgement(tuple(released), tuple(closed))

    def replay_links(self, url: str, links: Iterable[int]) -> None:
        """Restore the links of a listing that an earlier run read. Every URL must have been replayed before."""
        described = describe(url)
        if described is not None and described.variant.path in self._groups:
            self._leads.record(described.variant, links)

    def lead(self, url_key: int) -> Variant | None:
        """Record that a page has main content; return the listing that was the first to link to it, if any."""
        listing = self._leads.take(url_key)
        if listing is None or listing.path not in self._groups:
            return None
        self._path(listing).lead(listing.value)
        self._folder(listing).lead(listing.path ^ listing.value)
        self._grow(2)
        return listing

    def conclude(self) -> list[Closed]:
        """Close the groups that still refuse variants at the end of a crawl, since nothing can raise their limits."""
        spent = [(key, group) for key, group in self._groups.items() if key in self._places and group.spent]
        return [self._close(key, group) for key, group in spent]

    def refusal(self, url: str) -> str | None:
        """Return the reason why a variant is no longer requested, or None if it may be."""
        described = describe(url) if self.closed else None
        if described is None:
            return None
        one = described.variant
        for key, value in ((one.path, one.value), (one.folder, one.path ^ one.value)):
            closed = self.closed.get(key)
            if closed is None or closed.kind is ClosedKind.FULL:
                continue
            group = self._groups.get(key)
            if group is None or not group.holds(value):
                return closed.reason
        return None

    def holds(self, url: str) -> bool:
        """Return whether a variant of a path has content or leads to some, as `Group.holds` does."""
        described = describe(url)
        group = self._groups.get(described.variant.path) if described is not None else None
        return described is not None and group is not None and group.holds(described.variant.value)

    def replay(self, url: str, *, content: bool | None) -> None:
        """Restore a URL that an earlier run allowed; `content` as for `judge`, None if it was never read."""
        described = describe(url)
        if described is None:
            return
        self.admit(described.variant)
        if content is not None:
            self._note(url, content=content)

    def restore(self, closed: Iterable[Closed]) -> None:
        """Restore the traps that an earlier run closed; call it after their URLs were replayed."""
        self.closed.update((one.key, one) for one in closed)

    def _note(self, url: str, *, content: bool) -> Variant | None:
        described = describe(url)
        if described is None or described.variant.path not in self._groups:
            return None
        one = described.variant
        folder, path = self._folder(one), self._path(one)
        if content:
            self._grow(path.note(one.value, described.values))
            self._grow(folder.note(one.path ^ one.value, (("", one.path), *described.values)))
        return one

    def _release(self, key: int, group: Group) -> Iterator[str]:
        """Allow remembered variants of a group while its limit permits, and yield their URLs."""
        held = self._held.get(key)
        while held and key not in self.closed and group.count < group.limit:
            url_key, url = held.popitem(last=False)
            self._held_size -= 1
            parts = split_url(url)
            one = variant(parts, canonical_of(parts)) if parts is not None else None
            if one is None or self.admit(one) is None:
                yield url
            else:  # the other group has no room
                self.hold(one, url_key, url)

    def _close(self, key: int, group: Group) -> Closed:
        full, place = group.count >= group.most, self._places.pop(key)
        if full:
            reason = f"over {group.most} variants of {place}"
        else:
            reason = f"a trap: over {group.count} variants of {place}, of which {len(group.best)} values led to content"
        one = Closed(key, ClosedKind.FULL if full else ClosedKind.COMBINATIONS, place, reason)
        self.closed[key] = one
        self._held_size -= len(self._held.pop(key, ()))
        return one

    def _path(self, variant: Variant) -> Group:
        return self._group(variant.path, self.limits.query_variants)

    def _folder(self, variant: Variant) -> Group:
        return self._group(variant.folder, max(self.limits.folder_variants, self.limits.query_variants))

    def _group(self, key: int, base: int) -> Group:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(base, self.limits.credit, max(self.limits.pages, base))
            self._grow(1)
        self._groups.move_to_end(key)
        return group

    def _grow(self, count: int) -> None:
        """Add to the number of remembered variants; above the limit, drop the least recently requested groups."""
        self._size += count
        while self._size > MAX_VARIANTS and len(self._groups) > 2:  # keep the path and the folder of the current URL
            key, group = self._groups.popitem(last=False)
            self._size -= group.size
            self._places.pop(key, None)
