"""Moves the readings of a word (furigana, pinyin) behind the word.

In HTML they are between its characters: `漢<rt>かん</rt>字<rt>じ</rt>` would have the text "漢かん字じ", and no search
would find the word. It becomes "漢字(かんじ)", as browsers without ruby show it.
"""

from typing import Final

from lxml.etree import SubElement, _Element

MOST: Final = 20_000
"""Maximum words of a page whose readings are moved."""
_PARTS: Final = frozenset(("rb", "rp", "rt", "rtc"))
"""Elements of a `ruby`; one with others, such as links, stays as it is."""


def read_readings(root: _Element) -> None:
    """Put the readings in each `ruby` behind its text, in brackets."""
    for word in list(root.iter("ruby"))[:MOST]:
        parts = list(word)
        if not parts or any(one.tag not in _PARTS or len(one) for one in parts):
            continue
        texts = [word.text, *(text for one in parts for text in (one.text if one.tag == "rb" else "", one.tail))]
        base = "".join(filter(None, texts))
        reading = "".join((one.text or "").strip() for one in parts if one.tag in ("rt", "rtc"))
        if not base.strip() or not reading:
            continue
        for one in parts:
            word.remove(one)
        word.text = "".join(base.split("\n")).strip()
        for tag, text in (("rp", "("), ("rt", reading), ("rp", ")")):
            SubElement(word, tag).text = text
