"""Finds headlines that are the name of the book or site, not of the page."""

from collections.abc import Callable, Iterable

from sitecrawl.metadata.title_pieces import folded, separators


def whole_names(title: str | None, headings: Iterable[str], lower: Iterable[str]) -> tuple[str, ...]:
    """Return the headlines at the end of the title of a page, after another headline, which may be a `lower` one."""
    known = {folded(one): one for one in headings}
    if title is None or not known:
        return ()
    ends = [(folded(title[:begin]), folded(title[end:])) for begin, end in separators(title)]
    ends = [(before, after) for before, after in ends if after in known and " " in before]
    if not ends:
        return ()
    others = {*known, *map(folded, lower)}
    return tuple(dict.fromkeys(known[after] for before, after in ends if before in others))


def is_whole(title: str, end: str, shared: Callable[[str, str], float]) -> bool:
    """Return whether the headline at the end of a title is the name of the book or site.

    It is if at least as many pages end with it as begin like this title: in "Harbour Wiki: Moles" the beginning is the
    name of the site.
    """
    starts = [title[:begin] for begin, stop in separators(title) if folded(title[stop:]) == folded(end)]
    return all(shared("prefix", start) <= shared("suffix", end) for start in starts)
