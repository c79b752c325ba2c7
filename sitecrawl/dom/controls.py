"""Finds the controls in a page's text: links without a target that have class names of buttons ("Read more [+]").

A script handles their clicks: they unfold, copy or print the text beside them, and are not part of it. The question of
a folded answer leads nowhere too, but it is a heading, a term or a summary, or it is not named as a button. A link
without an address may have its name from the box around it ("Click to expand..." below a long quote). On some sites
buttons hold content, so a `button` or a `label` is a control only if its text says that it copies or shows code. A
`textarea` with the markup of a whole text, which others may republish, is a control as well, and so is the text that
pages show beside a word while the mouse is on it (`tooltiptext`). [OWN]
"""

import re
from itertools import islice
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary

MOST: Final = 80
"""Maximum characters of a control; a longer one is text. Own choice."""
ABOVE: Final = 3
"""Number of ancestors that may be a heading. Own choice."""
_NAMED: Final = re.compile(
    r"(?:^|[^a-z])(?:btn|button|toggl|(?:read|show|view|see)-?_?(?:more|less|all)|expand|collaps|copy|print)",
    re.IGNORECASE,
)
_UNFOLDS: Final = re.compile(
    r"(?:^|[^a-z])(?:toggl|(?:read|show|view|see)-?_?(?:more|less|all)|(?:\w{1,20}-)?expand|collaps)", re.IGNORECASE
)
"""Matches names of a box around a link without `href`; in a box for printing, such a link is an anchor."""
_NOWHERE: Final = re.compile(r"\s*(?:#?|javascript:.*)\s*", re.IGNORECASE | re.DOTALL)
_NOWHERE_BEGINS: Final = frozenset(("", "#", "j", "J"))
"""First characters of an `href` without a target, if it does not begin with white space."""
_BUTTON_TAGS: Final = frozenset(("button", "label"))
_BUTTON_TEXTS: Final = frozenset((
    "copy", "copied", "copied!", "copy code", "copy link", "copy to clipboard", "kopieren", "code kopieren", "copier",
    "copier le code", "copiar", "copiar código", "copia", "kopiëren", "kopiera", "kopiuj", "копировать", "скопировать",
    "コピー", "复制", "复制代码", "複製", "複製程式碼", "복사", "view source", "view code", "show source", "show code",
    "hide source", "source code", "expand source code", "toggle source",
))  # fmt: skip
"""Texts of buttons beside code, in lower case."""
_FOLD: Final = re.compile(
    r"(?:\[[-+−]\] ?)?(?:expand|show|hide)(?: all)?(?: description| declaration| attributes| details)?", re.I
)
"""Matches the `summary` of a fold that says only that it unfolds: "Expand description"."""
_BLOCK: Final = re.compile(r"<(?:p|h[1-6]|li|blockquote)\b", re.IGNORECASE)
BLOCKS: Final = 5
"""Minimum block elements in markup that is a whole text. Codes to embed a picture or a badge have fewer. Own choice."""
_TIP: Final = re.compile(r"(?:^|[^a-z])tool[-_]?tip[-_]{0,2}(?:te?xt|content)(?:\s|$)", re.IGNORECASE)
"""Matches names of the text of a tooltip."""
_LONGEST: Final = max(map(len, _BUTTON_TEXTS))
_HEADS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "legend", "caption", "th"))


def controls(flat: FlatDom) -> list[int]:
    """Return the rows of the controls of a page, in document order."""
    text, end, names, chars = flat.text, flat.end, flat.names, flat.chars
    found = [
        row
        for row, target, _ in flat.anchors
        if names[row]
        and 0 < chars[row] <= MOST
        and (target[:1] in _NOWHERE_BEGINS or target[0].isspace())
        and _NOWHERE.fullmatch(target)
        and _NAMED.search(names[row])
    ]
    addressed = {row for row, _, _ in flat.anchors}
    for row in vocabulary(flat).tags.get("a", ()):
        if row not in addressed and 0 < chars[row] <= MOST:
            box = flat.parent[row]
            if chars[box] == chars[row] and _UNFOLDS.search(names[box]):
                found.append(row)
    found = [row for row in found if not _is_head(flat, row)]
    for row in rows_with(vocabulary(flat).tags, _BUTTON_TAGS, range(len(flat))):
        if 0 < chars[row] <= _LONGEST and " ".join("".join(text[row : end[row]]).split()).lower() in _BUTTON_TEXTS:
            found.append(row)
    for row in vocabulary(flat).tags.get("summary", ()):
        if 0 < chars[row] <= _LONGEST and _FOLD.fullmatch(" ".join("".join(text[row : end[row]]).split())):
            found.append(row)
    found += [row for row in vocabulary(flat).tags.get("textarea", ()) if _is_copy(flat, row)]
    return sorted({*found, *_tips(flat)})


def _tips(flat: FlatDom) -> list[int]:
    """Return the rows of the texts of tooltips that stand beside other text: alone they are labels of icons."""
    names = vocabulary(flat).names
    rows = rows_with(names, [name for name in names if _TIP.search(name)], range(len(flat)))
    return [row for row in rows if flat.tag[row] == "span" and 0 < flat.chars[row] < flat.chars[flat.parent[row]]]


def _is_copy(flat: FlatDom, row: int) -> bool:
    """Return whether the text of an element is the markup of a whole text."""
    return len(_BLOCK.findall("".join(flat.text[row : flat.end[row]]))) >= BLOCKS


def _is_head(flat: FlatDom, row: int) -> bool:
    """Return whether a link is most of a heading, a term or a summary, with the unfolded text below it."""
    head = next((one for one in islice(flat.ancestors(row), ABOVE) if flat.tag[one] in _HEADS), -1)
    return head >= 0 and flat.chars[head] < 2 * flat.chars[row]
