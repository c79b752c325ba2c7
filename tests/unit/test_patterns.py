"""Every regular expression of the package takes long texts in time that grows with their length alone."""

import importlib
import itertools
import pkgutil
import re
import time

import pytest

import sitecrawl

LENGTH = 12_000
"""Characters. What is quadratic takes a quarter of a second or more."""
LIMIT = 0.15
"""CPU seconds; linear ones take some thousandths."""
FIRST = 3_000
"""Characters that are tried first."""
QUICK = 0.002
"""CPU seconds: a search of FIRST characters that takes less takes less than LIMIT for LENGTH, were it cubic."""
BOUNDED = {
    "shell.addresses._ALLOWANCE": "only as a full match",
    "dom.images._ADDRESS": "only as a full match",
    "dom.images._PLACEHOLDER": "images.MAX_SET",
    "dom.markdown._LINE_START": "only at the beginning of a line",
    "dom.markdown_tables._NUMBERS": "cells of code; crawl.sandbox",
    "extractors.combined.listing_words._LAST": "only as a full match",
    "extractors.combined.notices._POSTED": "only at the beginning of a text",
    "extractors.combined.notices._SPONSORED": "only at the beginning of a text",
    "extractors.combined.listing_words._PARTS": "listing_words.MAX_TITLE",
    "links.meta_refresh._CONTENT": "only as a full match",
    "links.directives._NAMED": "only at the beginning of a header",
    "links.sitemap_entries.WEB_HOST": "only at the beginning of a URL",
    "links.sitemaps.WEB_HOST": "only at the beginning of a URL",
    "links.parameters._HASH": "urls.MAX_URL_LENGTH",
    "metadata.bylines._BYLINE": "row_texts.row_text",
    "extractors.combined.comment_headings._SURE": "comment_headings.LONGEST",
    "extractors.combined.related_headings._HEADING": "related_headings.LONGEST",
    "metadata.byline_ends._REST": "declared._AUTHOR_LENGTH",
    "dom.jsonld._BEFORE": "jsonld._ENDS",
    "dom.jsonld._BEHIND": "jsonld._ENDS",
    "metadata.title_pieces._CUT": "page._TITLE_LENGTH, white space folded",
    "metadata.headline_ends.NUMBERED": "only as a full match",
    "metadata.headline_ends._NOTE": "only at the beginning of a text",
    "metadata.title_pieces.NUMBERED": "only as a full match",
    "metadata.titles.NUMBERED": "only as a full match",
    "metadata.titles._NAMELESS": "only at the beginning of a title",
    "metadata.visible._STEP": "row_texts.row_text",
    "overrides.site_patterns._LINE": "files of the operator",
}
"""Patterns that are quadratic when they search any text, and what bounds the texts that they are given."""


def patterns():
    for module in pkgutil.walk_packages(sitecrawl.__path__, "sitecrawl."):
        if module.name.startswith(("sitecrawl.commands", "sitecrawl.evaluation", "sitecrawl.spiders.site")):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:
            continue
        for name, value in vars(loaded).items():
            for number, one in enumerate(value if isinstance(value, tuple) else (value,)):
                one = next((part for part in one if isinstance(part, re.Pattern)), one) if type(one) is tuple else one
                if isinstance(one, re.Pattern):
                    short = f"{module.name.removeprefix('sitecrawl.')}.{name}"
                    if short not in BOUNDED:
                        yield f"{short}.{number}", one


PATTERNS = dict(sorted(patterns()))
PIECES = (" ", "\n", "a", "0", "-", "_", "/", "<", "&", "=", '"', "'", "(", ";", ",", ".", ":", "%", "`", "*", "|",
          "a ", "a.", "1.", "1 ", "1/", "20", "<a ", "='", '="', "/*", "\u00e9", "\u65b0", "\u0301")  # fmt: skip


def literals(pattern):
    """Words from the pattern itself: they are likely to begin a match."""
    return set(re.findall(r"[A-Za-z]{3,}", pattern if isinstance(pattern, str) else "")[:12])


def seconds(pattern, begin, piece, length):
    """Return the CPU seconds of a search in a text of one piece, repeated."""
    attack = (begin + piece * (length // len(piece)))[:length] + "\x00"
    given = attack if isinstance(pattern.pattern, str) else attack.encode()
    started = time.thread_time()
    pattern.search(given)
    return time.thread_time() - started


def slow_on(pattern):
    """Return (how the text began, its piece, seconds) of a text that takes too long, or None."""
    pieces = (*PIECES, *(f"{word} " for word in literals(pattern.pattern)))
    for begin, piece in itertools.product(("", "<a "), pieces):
        if seconds(pattern, begin, piece, FIRST) > QUICK and (spent := seconds(pattern, begin, piece, LENGTH)) > LIMIT:
            return begin, piece, round(spent, 2)
    return None


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_is_slow_on_a_long_text(name):
    assert slow_on(PATTERNS[name]) is None


def test_a_slow_pattern_is_found():
    assert slow_on(re.compile(r"(\w+)-(\w+)!"))
