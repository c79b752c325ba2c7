"""Recognises threads by their address: posts of a forum below each other, or a ticket with its comments.

The words are those of common forums and trackers. [OWN]
"""

import re
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.class_hints import is_thread

_HOST: Final = r"forums?|foros?|foren|boards?|bbs|discuss|discussions?"
_FOLDER: Final = r"forums?(?:-[a-z]+)?|foros?|foren|threads?"
_SCRIPT: Final = r"viewtopic|viewthread|showthread|showtopic|show_bug|bugreport"
_NUMBERED: Final = r"topic|t|threads?|questions?|discussions?|d"
_LAST: Final = r"tickets?|issues?|bugs?|pulls?|merge_requests"
_KEYED: Final = r"browse/(?-i:[A-Z][A-Z0-9]+-[0-9]+)|thread-[0-9]+(?:-[0-9]+)*(?:\.html?)?"
_FORUM: Final = re.compile(rf"^(?:{_HOST})\.|/(?:{_FOLDER})/[^/]", re.IGNORECASE)
"""Hosts and folders by which forums name the addresses of threads, and of lists of threads."""
_THREAD: Final = re.compile(
    rf"(?:/|[?&]mod=)(?:{_SCRIPT})(?![a-z])|[?&](?:show)?topic="
    rf"|/(?:{_NUMBERED})/(?!pages?[/.])(?:(?:[^/]+[/.])?[0-9]{{2,}}(?:[-/][^/]*|\.html?)?|[0-9][-/][^/?]+)/?(?:\?|$)"
    rf"|/(?:(?:{_LAST})/[0-9]+(?:\.html?)?|{_KEYED})(?:\?|$)",
    re.IGNORECASE,
)
"""Scripts, and words before the number of a thread, by which forums and trackers name the address of one thread."""


def says_thread(url: str, flat: FlatDom) -> bool:
    """Return whether a page says that it is a thread: by names of `html` and `body`, or by its address."""
    if is_thread(flat.tag, flat.names):
        return True
    address = _address(url)
    return _FORUM.search(address) is not None or _THREAD.search(address) is not None


def names_thread(url: str) -> bool:
    """Return whether an address is that of one thread: of 214 such pages of recorded sites none is a listing."""
    return _THREAD.search(_address(url)) is not None


def _address(url: str) -> str:
    """Return the host, the path and the query of a URL."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}?{parts.query}"
