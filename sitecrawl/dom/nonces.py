"""Decides whether two versions of a page's HTML differ only in nonces: values that a server makes for each response.

Such values are nonces and CSRF tokens, comments, times and numbers in scripts, and the versions of scripts and style
sheets. No part of sitecrawl uses any of them, so a page that differs only in them need not be parsed. Everything else
counts as a difference: each word and each space of the text, links, class names, descriptions, structured data. So does
markup that parsers may interpret in two ways.
"""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Final

MOST: Final = 50
"""Maximum differences that are examined; a page with more has changed."""
_ATTRIBUTE: Final = r"""[\s/]*+[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>]++))?+"""
_START: Final = rf"<[a-zA-Z][^\s/<>\"'=]*+(?:{_ATTRIBUTE})*+[\s/]*+>"
_RAW: Final = ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
"""Elements whose text is not markup (HTML standard, 13.2.6.4)."""
_TOKEN: Final = re.compile(
    r"[^<]++"
    r"|<!--(?!-?>)(?:[^-]++|-(?!-!?>))*+-->"
    rf"|(?!<(?:{'|'.join(_RAW)}|plaintext)[\s/>]){_START}"
    r"|</[a-zA-Z][^\s/<>]*+\s*+>"
    + "".join(rf"|(?=<{name}[\s/>]){_START}(?s:.*?)</{name}\s*+>" for name in _RAW)
    + r"|<![dD\[][^<>]*+>",
    re.IGNORECASE,
)
"""Matches a text, a comment, an element of raw text, a tag, or a declaration."""
_TAG: Final = re.compile(_START)
_PARTS: Final = re.compile(r"""[\s/]*+([^\s"'<>/=]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'<>]++))?+""")
_NAME: Final = re.compile(r"<([a-zA-Z][^\s/<>\"'=]*+)")
_SECRET: Final = re.compile(r"csrf|xsrf|nonce|authenticity|request-?id|(?:^|[_-])token", re.IGNORECASE)
"""Matches names of nonces and of CSRF tokens."""
_RANDOM: Final = re.compile(r"[\w+/=.:~-]{16,}", re.ASCII)
"""Matches a value that is long enough to be random."""
_CODE: Final = re.compile(r"(?<![\w+/=.$-])[A-Za-z_+/=.$-]*+\d[\w+/=.$-]*+", re.ASCII)
"""Matches a number, a time or a token in a script, from its first character on, so that a search takes linear time."""
_LOADED: Final = re.compile(r"stylesheet|preload|modulepreload|prefetch", re.IGNORECASE)
"""Relations of `link` elements that load resources for display."""


def same_but_for_nonces(old: str, new: str) -> bool:
    """Return whether two versions of a page are equal except for nonces."""
    same = _equal_chars(old, new, 0, 0)
    if _in_text(old, same):
        return False
    tokens = _tokens(old)
    starts = [0, *accumulate(map(len, tokens))]
    at = before = 0  # of the next token in `new` and `old`
    for _ in range(MOST + 1):
        if before + same == len(old) and at + same == len(new):
            return bool(tokens)
        number = bisect_right(starts, before + same) - 1
        if number >= len(tokens):
            return False
        found = _TOKEN.match(new, at + starts[number] - before)
        if found is None or not _is_nonce(tokens[number], found[0]):
            return False
        before, at = starts[number + 1], found.end()
        same = _equal_chars(old, new, before, at)
    return False


def _equal_chars(old: str, new: str, i: int, j: int) -> int:
    """Return the number of equal characters of two texts from `i` and `j` on."""
    low, high = 0, min(len(old) - i, len(new) - j) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if old[i + low : i + middle] == new[j + low : j + middle]:
            low = middle
        else:
            high = middle
    return low


def _in_text(old: str, place: int) -> bool:
    """Return whether a position is certainly in the text of a page, so that a difference there is a change."""
    tag = old.rfind("<", 0, place)
    return (
        old[tag + 1 : tag + 2].isalpha() and old.find(">", tag, place) >= 0 and old[tag : tag + 7].lower() != "<script"
    )


def _tokens(html: str) -> list[str]:
    """Return the tokens of a page; none if it has markup that parsers may interpret in two ways."""
    found = _TOKEN.findall(html)
    if sum(map(len, found)) != len(html):
        return []
    # a comment in a script may hide the end of the script
    hidden = any("<!--" in one for one in found if one[:7].lower() == "<script")
    return [] if hidden else found


def _is_nonce(old: str, new: str) -> bool:
    """Return whether two different tokens differ only in values that sitecrawl does not use."""
    if old.startswith("<!--"):
        return new.startswith("<!--") and not old.startswith("<!--[") and not new.startswith("<!--[")
    before, after = _TAG.match(old), _TAG.match(new)
    if before is None or after is None:
        return False
    rest, other = old[before.end() :], new[after.end() :]
    if rest != other:
        script = old[:7].lower() == new[:7].lower() == "<script" and "json" not in before[0].lower()
        if not script or _CODE.sub("0", rest) != _CODE.sub("0", other):
            return False
    return _same_tag(before[0], after[0])


def _same_tag(old: str, new: str) -> bool:
    """Return whether two tags are equal except for the values of nonces."""
    (tag, before), (other, after) = _attributes(old), _attributes(new)
    if tag != other or [name for name, _ in before] != [name for name, _ in after]:
        return False
    given = dict(reversed(before))  # of two attributes with one name, parsers use the first
    now = dict(after)
    if len(given) != len(before) or (given.get("type"), given.get("name")) != (now.get("type"), now.get("name")):
        return False
    return all(_is_free(tag, name, a, b, given) for (name, a), (_, b) in zip(before, after, strict=True) if a != b)


def _is_free(tag: str, name: str, old: str, new: str, given: dict[str, str]) -> bool:
    """Return whether a changed value of an attribute does not matter; `given` are the attributes of the tag."""
    if not old or not new or any(map(str.isspace, old + new)):
        return False
    if name == "nonce":
        return True
    secret = _SECRET.search(given.get("name") or given.get("id") or "") is not None
    if tag == "input" and name == "value" and given.get("type", "").lower() == "hidden":
        return secret or (_RANDOM.fullmatch(old) is not None and _RANDOM.fullmatch(new) is not None)
    if tag == "meta" and name == "content":
        return secret and "property" not in given and "itemprop" not in given
    if name.startswith("data-"):
        return _SECRET.search(name) is not None
    loaded = (tag == "script" and name == "src") or (
        tag == "link" and name == "href" and _LOADED.fullmatch(given.get("rel", "")) is not None
    )
    return loaded and old.partition("?")[0] == new.partition("?")[0]


def _attributes(tag: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of a tag and its attributes with their values; names in lower case."""
    name = _NAME.match(tag)
    assert name is not None
    found = _PARTS.findall(tag, name.end(), len(tag) - 1)
    return name[1].lower(), [(one.lower(), value[1:-1] if value[:1] in "\"'" else value) for one, value in found]
