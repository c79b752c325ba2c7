"""Finds headlines that name the book or site of a page, not the page."""

from collections.abc import Callable, Iterable

from sitecrawl.metadata.title_pieces import folded, separators


def whole_names(title: str | None, headings: Iterable[str], lower: Iterable[str]) -> tuple[str, ...]:
    """Return the headlines that end the title of a page after another headline, which may be a `lower` one."""
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
    """Return whether a headline that ends a title names the book or site: it is on as many pages as what is before it.

    In "Harbour Wiki: Moles" it is the beginning that names the site.
    """
    starts = [title[:begin] for begin, stop in separators(title) if folded(title[stop:]) == folded(end)]
    return all(shared("prefix", start) <= shared("suffix", end) for start in starts)
