"""Describes the verdict on a block in words and as a colour, with pure functions."""

from typing import Final

from sitecrawl.extractors.explanation import SHARED, BlockVerdict

KEPT: Final = "sc-k"
TEMPLATE: Final = "sc-t"
VOLATILE: Final = "sc-v"
DROPPED: Final = "sc-d"
NAMES: Final = {KEPT: "kept", TEMPLATE: "template", VOLATILE: "volatile", DROPPED: "dropped"}
"""The word for each class."""


def why(verdict: BlockVerdict) -> str:
    """Return the reason why a block was kept or dropped, in words."""
    word = NAMES[shade(verdict)].capitalize()
    facts = [verdict.reason] if verdict.reason else []
    if verdict.chance is not None:
        facts.append(f"main content with a probability of {verdict.chance:.0%}")
    if verdict.shared is not None:
        facts.append(f"on {verdict.shared:.0%} of the other pages")
    if verdict.links:
        facts.append(f"{verdict.links:.0%} links")
    return f"{word}: {'; '.join(facts) or 'by the method'} ({verdict.place})"


def shade(verdict: BlockVerdict) -> str:
    """Return the class of a block, a key of `NAMES`. A dropped block in a volatile place counts as volatile."""
    if verdict.kept:
        return KEPT
    if verdict.volatile:
        return VOLATILE
    return TEMPLATE if (verdict.shared or 0.0) >= SHARED else DROPPED
