"""Converts clean HTML to Markdown: CommonMark with the usual tables and definition lists.

One walk without recursion. The frame of an element collects its blocks, and the inline text since its last block. When
the element ends, both are added to the parent frame with the element's marks. Sources: CommonMark 0.31.2; for tables,
GitHub Flavored Markdown 0.29, section 4.10; for definition lists, PHP Markdown Extra and Pandoc.

Over 300 lines: one walk, which handles all elements.
"""

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.labels import BLOCK, CELLS, HEADINGS
from sitecrawl.dom.markdown_lines import TICKS, Whole, around, code_span, destination, link, linked_block
from sitecrawl.dom.markdown_tables import Cell, table_blocks
from sitecrawl.dom.page import parse_html
from sitecrawl.dom.text import SOFT_HYPHEN

MAX_INDENT: Final = 20
"""Maximum nesting of lists and quotes; deeper ones become siblings at the last level."""
_EMPHASIS: Final = {"strong": "**", "b": "**", "em": "*", "i": "*", "cite": "*", "var": "*", "dfn": "*"}
_STRUCK: Final = {"del": "~~", "s": "~~", "strike": "~~"}
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
_LISTS: Final = frozenset(("ul", "ol"))
_INDENTED: Final = frozenset(("li", "blockquote", "dd"))
_VOID: Final = frozenset(("br", "hr", "img", "col"))
_FOLDED: Final = re.compile(r"(?: [ \t\r\n\f]|[\t\r\n\f])[ \t\r\n\f]*")
"""Matches white space other than a single space."""
_SPACES: Final = re.compile(" {2,}")
_MARKUP: Final = re.compile(r"[\\*`_<&~\]]")
"""Matches the first characters of `_SPECIAL`, for a fast test: most texts have none."""
_SPECIAL: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|[*`]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|~~|\](?=\()"
)
"""Matches characters that would be markup within a line; an underscore within a word would not."""
_LINE_START: Final = re.compile(r"(#{1,6}(?:\s|$)|>|[-+](?:\s|$)|=+\s*$|-{2,}\s*$)|(\d{1,9})([.)](?:\s|$))")


@dataclass(slots=True)
class _Frame:
    """An open element."""

    tag: str
    element: _Element
    indent: int
    inline: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    items: list[list[str]] = field(default_factory=list)
    """Blocks of each item of a list."""
    cells: list[Cell] = field(default_factory=list)
    rows: list[tuple[bool, list[Cell]]] = field(default_factory=list)
    """(in `thead`, cells) of each row of a table."""


def markdown(html: str) -> str:
    """Return a clean HTML fragment (`dom.html`) as Markdown without soft hyphens; "" if it is empty."""
    root = parse_html(f"<html><body>{html.replace(SOFT_HYPHEN, '')}</body></html>")
    if root is None:
        return ""
    writer = _Writer(root)
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "start":
            writer.start(element)
        elif event == "end":
            writer.end(element)
        else:
            writer.after(element)
    return "\n\n".join(writer.frames[0].blocks).strip("\n")


class _Writer:
    """The frames of the open elements."""

    def __init__(self, root: _Element) -> None:
        self.frames = [_Frame("", root, 0)]
        self._pre = self._code = 0
        self._marks: dict[str, int] = {}

    def start(self, element: _Element) -> None:
        """Open an element."""
        tag = str(element.tag)
        above = self.frames[-1]
        if tag in BLOCK and not self._pre:
            _flush(above)
        elif tag in _CODE:
            self._code += 1
        if tag == "pre":
            self._pre += 1
        mark = _EMPHASIS.get(tag) or _STRUCK.get(tag)
        if mark:
            self._marks[mark] = self._marks.get(mark, 0) + 1
        if tag not in _VOID:
            self.frames.append(_Frame(tag, element, above.indent + (tag in _INDENTED)))
            if element.text:
                self.frames[-1].inline.append(self._text(element.text))

    def end(self, element: _Element) -> None:
        """Close an element, and add the text after it."""
        tag = str(element.tag)
        if tag in _VOID:
            self._void(tag, element)
        else:
            frame = self.frames.pop()
            self._pre -= tag == "pre"
            if self._pre and tag in BLOCK:
                _add_lines(frame, self.frames[-1])
            elif tag in BLOCK:
                self._end_block(frame, self.frames[-1])
            else:
                self._end_inline(frame, self.frames[-1])
        self.after(element)

    def after(self, element: _Element) -> None:
        """Add the text after an element or a comment."""
        if element.tail:
            apart = self._pre and element.tag in BLOCK and element.tail[0] not in "\r\n" and element.tail.strip()
            self.frames[-1].inline.append(f"\n{element.tail}" if apart else self._text(element.tail))

    def _text(self, raw: str) -> str:
        if self._pre:
            return raw
        folded = _FOLDED.sub(" ", raw)
        if self._code or _MARKUP.search(folded) is None:
            return folded
        return _SPECIAL.sub(r"\\\g<0>", folded)

    def _void(self, tag: str, element: _Element) -> None:
        above = self.frames[-1]
        if tag == "br":
            above.inline.append("\n")
        elif tag == "hr":
            _flush(above)
            above.blocks.append("---")
        elif tag == "img" and not self._pre and not self._code:
            alt = _FOLDED.sub(" ", element.get("alt", "")).replace("[", r"\[").replace("]", r"\]").strip()
            above.inline.append(f"![{alt}]({destination(element.get('src', ''))})")

    # Inline -----------------------------------------------------------------------------------------------------

    def _end_inline(self, frame: _Frame, above: _Frame) -> None:
        tag = frame.tag
        mark = _EMPHASIS.get(tag) or _STRUCK.get(tag)
        if mark:
            self._marks[mark] -= 1
        if tag in _CODE:
            self._code -= 1
        if self._pre:
            above.inline += frame.inline
            return
        if frame.blocks:  # an inline element around blocks
            _flush(frame)
            blocks = (
                [linked_block(block, frame.element.get("href", "")) for block in frame.blocks]
                if tag == "a"
                else frame.blocks
            )
            _flush(above)
            _give(blocks, above)
            return
        if mark and not self._marks[mark] and not self._code:
            marked = around(frame.inline, mark, mark)
            if marked[:1] == above.inline[-1:] == [mark]:  # it begins where the same emphasis ends
                above.inline.pop()
                marked = marked[1:]
            above.inline += marked
        elif tag in _CODE and not self._code:
            self._end_code(frame, above)
        elif tag == "a":
            above.inline += link(frame.inline, frame.element.get("href", ""), code=self._code > 0)
        elif tag in ("sub", "sup") and not self._code:
            above.inline += around(frame.inline, f"<{tag}>", f"</{tag}>")
        elif tag == "q":
            above.inline += around(frame.inline, '"', '"')
        elif tag == "rt":
            above.inline += around(frame.inline, "(", ")")
        elif tag != "rp":
            above.inline += frame.inline

    def _end_code(self, frame: _Frame, above: _Frame) -> None:
        """Add code in a line as a span; code with line breaks as a block, or as a span a line where no block fits."""
        lines = _code_lines(frame.inline)
        if sum(map(_has_text, lines)) > 1 and self._is_block_place(above) and Whole not in map(type, frame.inline):
            _flush(above)
            above.blocks += _fenced("\n".join("".join(line).strip(" ") for line in lines), frame.element)
            return
        for at, line in enumerate(lines):
            above.inline += [*(["\n"] if at else []), *code_span(line)]

    def _is_block_place(self, above: _Frame) -> bool:
        """Return whether a block of code fits here: not in inline text, a heading or a table of several rows."""
        if above.tag not in BLOCK or any(frame.tag in HEADINGS for frame in self.frames):
            return False
        table = next((frame.element for frame in reversed(self.frames) if frame.tag == "table"), None)
        return table is None or next(islice(table.iter("tr"), 1, 2), None) is None

    # Blocks -----------------------------------------------------------------------------------------------------

    def _end_block(self, frame: _Frame, above: _Frame) -> None:
        tag = frame.tag
        if tag == "pre":
            blocks = _fenced("".join(frame.inline), frame.element)
        elif tag in HEADINGS:
            _flush(frame)
            text = " ".join(" ".join(block.split()) for block in frame.blocks)
            blocks = [f"{'#' * int(tag[1])} {text}"] if text else []
        elif tag in CELLS:
            _flush(frame)
            above.cells.append(Cell(frame.blocks, tag == "th", _span(frame, "colspan"), _span(frame, "rowspan")))
            return
        elif tag == "tr":
            above.rows.append((above.tag == "thead", frame.cells))
            blocks = _leftover(frame)
        elif tag in ("thead", "tbody", "tfoot"):
            above.rows += frame.rows
            blocks = _leftover(frame)
        elif tag == "table":
            blocks = [*_leftover(frame), *table_blocks(frame.rows)]
        elif tag == "li" and above.tag in _LISTS:
            _flush(frame)
            above.items.append(frame.blocks)
            return
        elif tag in _LISTS:
            _flush(frame)
            _give(frame.blocks, frame)
            blocks = _list(frame)
        else:
            _flush(frame)
            blocks = _marked(frame)
        _give(blocks, above)


def _add_lines(frame: _Frame, above: _Frame) -> None:
    """Add the blocks inside a `pre` as separate lines."""
    if frame.inline and above.inline and not above.inline[-1].endswith("\n"):
        above.inline.append("\n")
    above.inline += frame.inline


def _give(blocks: list[str], above: _Frame) -> None:
    """Add blocks to the parent frame; in a list, blocks outside items are added to the preceding item."""
    if above.tag not in _LISTS:
        above.blocks += blocks
    elif blocks and above.items:
        above.items[-1] += blocks
    elif blocks:
        above.items.append(blocks)
    if above.tag in _LISTS and blocks is above.blocks:
        above.blocks = []


def _flush(frame: _Frame) -> None:
    """Turn the collected inline text into paragraphs, separated at two consecutive line breaks."""
    if not frame.inline or frame.tag == "pre":
        return
    lines = [_SPACES.sub(" ", line).strip(" ") for line in "".join(frame.inline).split("\n")]
    frame.inline = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line:
            paragraph.append(_LINE_START.sub(_escape_start, line, count=1) if _LINE_START.match(line) else line)
        elif paragraph:
            frame.blocks.append("  \n".join(paragraph))
            paragraph = []


def _escape_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _code_lines(inline: list[str]) -> list[list[str]]:
    """Return the pieces of each line of code."""
    lines: list[list[str]] = [[]]
    for piece in inline:
        if piece == "\n":
            lines.append([])
        else:
            lines[-1].append(piece)
    return lines


def _has_text(line: list[str]) -> bool:
    return any(piece.strip() for piece in line)


def _fenced(code: str, element: _Element) -> list[str]:
    """Return code as a fenced block with the language of its element."""
    text = code.replace("\xa0", " ").strip("\r\n").rstrip()
    if not text:
        return []
    inner = element.find("code")
    classes = element.get("class") or (inner.get("class") if inner is not None else None) or ""
    fence = "`" * max(3, 1 + max((len(run) for run in TICKS.findall(text)), default=0))
    return [f"{fence}{classes.removeprefix('language-')}\n{text}\n{fence}"]


def _leftover(frame: _Frame) -> list[str]:
    """Return the blocks of a table outside its cells, such as a caption."""
    _flush(frame)
    return frame.blocks


def _span(frame: _Frame, name: str) -> int:
    value = frame.element.get(name, "")
    return max(1, int(value)) if value.isdecimal() and len(value) < 4 else 1


def _marked(frame: _Frame) -> list[str]:
    """Return the blocks of a frame, with marks if it is a quote, term or definition."""
    blocks = frame.blocks
    if not blocks or frame.indent > MAX_INDENT:
        return blocks
    if frame.tag == "blockquote":
        text = "\n\n".join(blocks)
        return ["\n".join(f"> {line}" if line else ">" for line in text.split("\n"))]
    if frame.tag == "li":
        return [_indented("- ", blocks)]
    if frame.tag == "dd":
        return [_indented(":   ", blocks)]
    return blocks


def _list(frame: _Frame) -> list[str]:
    """Return a list as one block; it is tight if each item has only a text and lists."""
    items = [item for item in frame.items if item]
    if not items or frame.indent >= MAX_INDENT:
        return [block for item in items for block in item]
    number = frame.element.get("start", "1")
    first = int(number) if number.isdecimal() and len(number) < 9 else 1
    ordered = frame.tag == "ol"
    close = all(all(_is_list(block) for block in item[1:]) for item in items)
    between = "\n" if close else "\n\n"
    marks = [f"{first + i}. " if ordered else "- " for i in range(len(items))]
    return [between.join(_indented(mark, item, between) for mark, item in zip(marks, items, strict=True))]


def _is_list(block: str) -> bool:
    return re.match(r"(?:- |\d+\. )", block) is not None


def _indented(mark: str, blocks: list[str], between: str = "\n\n") -> str:
    lines = between.join(blocks).split("\n")
    space = " " * len(mark)
    return "\n".join([f"{mark}{lines[0]}", *(f"{space}{line}" if line else "" for line in lines[1:])])
