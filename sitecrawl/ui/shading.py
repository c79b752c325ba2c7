"""The verdict on a block in words and as a colour. Pure."""

from sitecrawl.extractors.explanation import SHARED, BlockVerdict


def why(verdict: BlockVerdict) -> str:
    """Return in words why a block was kept or dropped."""
    shared = verdict.shared or 0.0
    word = "Kept" if verdict.kept else "Template" if shared >= SHARED else "Dropped"
    facts = [verdict.reason] if verdict.reason else []
    if verdict.chance is not None:
        facts.append(f"main content with a probability of {verdict.chance:.0%}")
    if verdict.shared is not None:
        facts.append(f"on {verdict.shared:.0%} of the other pages")
    if verdict.links:
        facts.append(f"{verdict.links:.0%} links")
    return f"{word}: {'; '.join(facts) or 'by the method'} ({verdict.place})"


def shade(verdict: BlockVerdict) -> str:
    """Return the class of a block: kept, template or dropped."""
    return "sc-k" if verdict.kept else "sc-t" if (verdict.shared or 0.0) >= SHARED else "sc-d"
