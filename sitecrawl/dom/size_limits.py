"""Refuses markup that would take minutes to parse, by counting tags and attributes without a parser.

Markup that hides its attributes from counting is found by `heavy.py`, and parsed in a sandbox first.
"""

import re
from collections.abc import Iterator
from typing import Final

from sitecrawl.dom.markup import markup
from sitecrawl.errors import PageTooLargeError

MAX_TAGS: Final = 300_000
MAX_ATTRIBUTES: Final = 2_000
"""Maximum attributes of one tag: libxml2 compares them pairwise, so 10,000 take 0.15 s and 40,000 take 2 s."""

_CHECKED_SIZE: Final = 65_536
"""Pages up to this many characters are too short for attributes to cost more than half a second."""
_TAG: Final = re.compile(
    r"""<[a-zA-Z](?:[^>=]++|=(?:\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+))?+)*+""",
)
"""A start tag by the HTML standard: quotes count only after an equals sign."""
_VALUE: Final = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_SCRIPT: Final = re.compile(r"<script(?=[\s>])", re.IGNORECASE)
_SCRIPT_END: Final = re.compile("</script", re.IGNORECASE)
_SEPARATORS: Final = re.compile(r"[\s/]+")


def check_size(url: str, html: str, max_tags: int = MAX_TAGS) -> None:
    """Check by counting that markup does not take minutes to parse.

    Raises PageTooLargeError for more than `max_tags` tags, or a tag with over MAX_ATTRIBUTES attributes.
    """
    if len(html) > 2 * max_tags and html.count("<") > 2 * max_tags:
        raise PageTooLargeError(url, f"over {max_tags} tags; raise SITECRAWL_MAX_NODES to take it")
    if len(html) <= _CHECKED_SIZE or markup(html).bound <= 2 * MAX_ATTRIBUTES:
        return
    if _has_long_tag("".join(_outside_scripts(html.replace("\x00", "")))):
        raise PageTooLargeError(url, f"a tag with over {MAX_ATTRIBUTES} attributes")


def _has_long_tag(html: str) -> bool:
    """Return whether a tag has over MAX_ATTRIBUTES attributes."""
    long = (tag for tag in _TAG.findall(html) if len(tag) > 2 * MAX_ATTRIBUTES)
    return any(len(_SEPARATORS.findall(_VALUE.sub(" ", tag))) > MAX_ATTRIBUTES for tag in long)


def _outside_scripts(html: str) -> Iterator[str]:
    """Yield the parts of a page outside its scripts, in which `i<names.length` is no tag; an open script counts.

    `<script` in a comment hides the tags behind it from counting; the sandbox finds these (`heavy.py`).
    """
    at = 0
    while (begin := _SCRIPT.search(html, at)) is not None:
        inside = html.find(">", begin.end())
        end = _SCRIPT_END.search(html, inside) if inside >= 0 else None
        if end is None:
            break
        yield html[at:inside]
        at = end.start()
    yield html[at:]
