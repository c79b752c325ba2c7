"""Recognises threads by their URL: the posts of a forum topic, or a ticket with its comments.

The patterns are those of common forums and trackers. [OWN]
"""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.class_hints import is_thread

REMEMBERED: Final = 64
"""Number of URLs whose result is cached, since several rules read that of a page. Own choice."""
_HOST: Final = r"forums?|foros?|foren|boards?|bbs|discuss|discussions?"
_FOLDER: Final = r"forums?(?:-[a-z]+)?|foros?|foren|threads?"
_SCRIPT: Final = r"viewtopic|viewthread|showthread|showtopic|show_bug|bugreport"
_NUMBERED: Final = r"topic|t|threads?|questions?|discussions?|d"
_LAST: Final = r"tickets?|issues?|bugs?|pulls?|merge_requests"
_KEYED: Final = r"browse/(?-i:[A-Z][A-Z0-9]+-[0-9]+)|thread-[0-9]+(?:-[0-9]+)*(?:\.html?)?"
_FORUM: Final = re.compile(rf"^(?:{_HOST})\.|/(?:{_FOLDER})/[^/]", re.IGNORECASE)
"""Matches hosts and folders of forums, for both threads and lists of threads."""
_THREAD: Final = re.compile(
    rf"(?:/|[?&]mod=)(?:{_SCRIPT})(?![a-z])|[?&](?:show)?topic="
    rf"|/(?:{_NUMBERED})/(?!pages?[/.])(?:(?:[^/]+[/.])?[0-9]{{2,}}(?:[-/][^/]*|\.html?)?|[0-9][-/][^/?]+)/?(?:\?|$)"
    rf"|/(?:(?:{_LAST})/[0-9]+(?:\.html?)?|{_KEYED})(?:\?|$)",
    re.IGNORECASE,
)
"""Matches URLs of a single thread: by script names, or by the word before the number of a thread."""


def is_thread_page(url: str, flat: FlatDom) -> bool:
    """Return whether a page is a thread by the class names of `html` and `body`, or by its URL."""
    return is_thread(flat.tag, flat.names) or _is_forum_url(url) or is_thread_url(url)


@lru_cache(REMEMBERED)
def is_thread_url(url: str) -> bool:
    """Return whether a URL is that of a single thread; of 214 such recorded pages none is a listing."""
    return _THREAD.search(_address(url)) is not None


@lru_cache(REMEMBERED)
def _is_forum_url(url: str) -> bool:
    """Return whether a URL has the host or a folder of a forum."""
    return _FORUM.search(_address(url)) is not None


def _address(url: str) -> str:
    """Return the host, the path and the query of a URL."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}?{parts.query}"
