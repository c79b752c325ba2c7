"""Converts site patterns of Full-Text RSS (the ftr-site-config text format) to override files.

A line is `directive: value` or, with a parameter, `directive(name): value`; `#` begins a comment. Expressions are
XPath 1.0. Lines of `body` and `title` are tried in order and the first match counts, as in overrides; all `strip` lines
apply. Source: the documentation of the format, "Site Patterns",
help.fivefilters.org/full-text-rss/site-patterns.html.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import yaml

from sitecrawl.dom.text import printable
from sitecrawl.overrides.selectors import BEGINS_XPATH, selector_of_key

_LINE: Final = re.compile(r"([A-Za-z_]+(?:\([^)]*\))?)\s*:\s*(.*)")
_QUOTES: Final = str.maketrans("", "", "'\"\\")
"""Removes quotes, which the format drops from plain strings, and backslashes, which have a meaning only in CSS."""
_SELECTORS: Final = {"title": "title", "date": "published", "body": "content", "strip": "exclude"}
"""Key of the override by directive."""
_TESTS: Final = frozenset(("test_url", "test_urls", "test_contains"))
_NEEDLESS: Final = frozenset(
    (
        *("tidy: yes", "tidy: no", "prune: no", "autodetect_on_failure: yes", "strip_comments: no"),
        *("skip_json_ld: yes", "insert_detected_image: no", "autodetect_next_page: no"),
    )
)
"""Lines that request the default behaviour of sitecrawl, or disable a feature that it does not have."""


@dataclass(slots=True)
class SitePatterns:
    """The part of a file of site patterns that an override can express, and the lines that it cannot."""

    keys: dict[str, list[str]] = field(default_factory=lambda: {key: [] for key in _SELECTORS.values()})
    comments: str | None = None
    tests: list[str] = field(default_factory=list)
    needless: list[str] = field(default_factory=list)
    unmapped: list[tuple[str, str]] = field(default_factory=list)
    """(line, reason); the reason is "" for a directive without a counterpart."""

    @property
    def mapped(self) -> int:
        """Number of lines that became part of the override."""
        return sum(map(len, self.keys.values())) + (self.comments is not None)

    def unmapped_names(self) -> str:
        """Return the unmapped directives with their numbers of lines: `next_page_link, strip (2)`."""
        counts = Counter(line.partition(":")[0].strip() for line, _ in self.unmapped)
        return ", ".join(name if count == 1 else f"{name} ({count})" for name, count in sorted(counts.items()))

    def yaml(self, source: str) -> str:
        """Return the override file; lines that could not be expressed are comments at its top."""
        lines = [f"From {source}, in the site pattern format of Full-Text RSS."]
        lines += [f"Not mapped: {line}" + (f"  [{why}]" if why else "") for line, why in self.unmapped]
        lines += [f"Not needed: {line}" for line in self.needless]
        lines += [f"Test: {line}" for line in self.tests]
        data: dict[str, object] = {key: texts for key, texts in self.keys.items() if texts}
        if self.comments is not None:
            data["comments"] = self.comments
        head = "".join(f"# {printable(line)}\n" for line in lines)
        return head + (yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10_000) if data else "")


def read_site_patterns(text: str) -> SitePatterns:
    """Read a file of site patterns; lines that an override cannot express are recorded."""
    patterns = SitePatterns()
    for raw in text.replace("\ufeff", "").splitlines():
        line = " ".join(raw.split())
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            patterns.unmapped.append((line, "not of the form directive: value"))
        elif match[2]:
            _add(patterns, match[1].lower(), match[2], line)
    return patterns


def _add(patterns: SitePatterns, directive: str, value: str, line: str) -> None:
    """Convert one line and add it to the patterns."""
    if directive in _TESTS:
        patterns.tests.append(value)
    elif f"{directive}: {value.lower()}" in _NEEDLESS or directive == "parser":
        patterns.needless.append(line)
    elif directive == "strip_comments" and value.lower() == "yes":
        patterns.comments = "drop"
    elif directive in _SELECTORS:
        key = _SELECTORS[directive]
        _add_selector(patterns, key, value if BEGINS_XPATH.match(value) else f"xpath:{value}", line)
    elif directive == "strip_id_or_class":
        part = value.translate(_QUOTES)
        _add_selector(patterns, "exclude", f'[class*="{part}"], [id*="{part}"]' if part else "", line)
    elif directive == "strip_image_src":
        part = value.translate(_QUOTES)
        _add_selector(patterns, "exclude", f'img[src*="{part}"]' if part else "", line)
    else:
        patterns.unmapped.append((line, ""))


def _add_selector(patterns: SitePatterns, key: str, selector: str, line: str) -> None:
    try:
        selector_of_key(key, selector)
    except ValueError as error:
        patterns.unmapped.append((line, str(error).rpartition("; ")[0] or str(error)))
        return
    if selector not in patterns.keys[key]:
        patterns.keys[key].append(selector)
