"""Finds reader comments on a page by the class names and ids that content management systems use for them.

It is stricter than `extractors.combined.class_hints`, where a name is only evidence; here it decides alone.
"""

import re
from typing import Final

from sitecrawl.dom.blocks import outermost
from sitecrawl.dom.flat import FlatDom

_OWNERS: Final = "post|article|entry|blog|wp|user|reader|page|node|field|section|block|facebook|fb|view|main|discussion"
_PARTS: Final = "list|area|section|thread|form|wrap|wrapper|block|box|container|content|body|template|holder|respond"
_NAME: Final = re.compile(
    rf"(?:(?:{_OWNERS})-)*comments?(?:-(?:{_PARTS}|\d+))*|comment-?list|commentlist|disqus-thread|respond|guestbook"
)
"""Matches whole class names and ids of comments [OWN]; `comments-open` and `no-comments` are names of posts."""
_TAGS: Final = frozenset(("div", "section", "aside", "article", "ol", "ul", "li", "dl", "form", "table", "footer"))
"""Tags of elements that contain comments; a `span` with such a name is a comment in program code."""


def comment_nodes(flat: FlatDom) -> list[int]:
    """Return the outermost elements named as reader comments, in document order."""
    return outermost(
        flat,
        (
            i
            for i, names in enumerate(flat.names)
            if names
            and flat.tag[i] in _TAGS
            and any(_NAME.fullmatch(name.lower().replace("_", "-")) for name in names.split())
        ),
    )
