"""The language of a page: what it declares, where that agrees with the language of its main text, else the latter."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

SAMPLED: Final = 600
"""Characters of the main text that are looked at: more change no answer, and cost more (docs/metadata.md)."""
LEAST: Final = 80
"""Characters below which the declared language is believed: names and code are in no language."""
SURE: Final = 0.5
"""Probability from which a detected language beats a declared one."""
_TAG: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_GROUPS: Final = (
    frozenset(("no", "nb", "nn", "da")),
    frozenset(("sr", "hr", "bs", "sh", "me")),
    frozenset(("id", "ms", "jv")),
    frozenset(("zh", "yue", "wuu", "cmn")),
    frozenset(("fa", "prs")),
    frozenset(("tl", "fil")),
    frozenset(("gl", "pt")),
    frozenset(("he", "iw")),
)
"""Languages that a detector mixes up, or that have two codes: a page that declares one of them is believed."""
_PLAIN: Final = re.compile(r"[\d\W_]+")


def page_language(declared: Iterable[str], text: str) -> str | None:
    """Return a language tag, lower case: `en`, `pt-br`."""
    tags = [tag for raw in declared if (tag := _tag(raw))]
    sample = _sample(text)
    if len(sample) < LEAST:
        return tags[0] if tags else None
    detected, probability = _detector().classify(sample)
    for tag in tags:
        if _same(tag.partition("-")[0], detected):
            return tag
    return str(detected) if probability >= SURE else next(iter(tags), None)


def _same(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _GROUPS)


def _tag(raw: str) -> str | None:
    found = _TAG.fullmatch(raw.strip())
    return (
        found.group().replace("_", "-").lower()
        if found and found.group().lower() not in ("und", "mul", "zxx")
        else None
    )


def _sample(text: str) -> str:
    """Return the longest lines of the beginning of a text: menus, names and code are short."""
    lines = sorted(text[: 10 * SAMPLED].split("\n"), key=len, reverse=True)
    return " ".join(_PLAIN.sub(" ", " ".join(lines)[: 2 * SAMPLED]).split())[:SAMPLED]


@cache
def _detector() -> Any:
    """Load the model when it is first asked: half a second and 100 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages([name for name in detector.labels if len(name) == len("en")])  # others are guesses mostly
    return detector
