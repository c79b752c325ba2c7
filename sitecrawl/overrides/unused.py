"""Finds the parts of overrides that apply to none of the pages they were tried on: most are typing errors."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sitecrawl.overrides.extraction import Use
from sitecrawl.overrides.rules import Override, Rule
from sitecrawl.plurals import counted

NAMED: Final = 5
"""Maximum parts that a message names."""


class _Part(NamedTuple):
    """A selector of a file. Layouts inherit selectors, so it may belong to several rules."""

    source: str
    key: str
    selector: str


class OverrideUses:
    """Counts the pages on which the parts of overrides apply."""

    def __init__(self) -> None:
        self.pages = 0
        """Number of extracted pages, with an override or without."""
        self._tried: dict[_Part, int] = {}
        self._used: set[_Part] = set()
        self._rules: set[tuple[str, str]] = set()
        """(file, name of the layout) of the rules that applied to a page."""

    def add(self, rule: Rule | None, uses: Iterable[Use]) -> None:
        """Count an extracted page: its rule, None without an override, and the selectors that were tried on it."""
        self.pages += 1
        if rule is None:
            return
        self._rules.add((rule.source, rule.name))
        for use in uses:
            part = _Part(rule.source, use.key, use.selector)
            self._tried[part] = self._tried.get(part, 0) + 1
            if use.nodes:
                self._used.add(part)

    def unused(self, overrides: Iterable[Override]) -> list[str]:
        """Return, in words, the selectors that selected nothing, and the layouts whose URL matched no page.

        Files that applied to no page are left out.
        """
        found = [
            f"{one.source}: {one.key}: {one.selector} selected nothing on {counted(pages, 'page')}"
            for one, pages in self._tried.items()
            if one not in self._used
        ]
        applied = {source for source, _ in self._rules}
        for override in overrides:
            if override.source in applied:
                names = [one.name for one in override.layouts if (one.source, one.name) not in self._rules]
                found += [f"{override.source}: layout {name}: its url matched no page" for name in names]
        return found


def warning(unused: Sequence[str]) -> str:
    """Return the one line about the unused parts of overrides, with at most `NAMED` of them."""
    more = f"; and {len(unused) - NAMED} more" if len(unused) > NAMED else ""
    named = "; ".join(unused[:NAMED])
    return f"{named}{more}; correct the file, and try it with: sitecrawl extract URL --override FILE --explain"
