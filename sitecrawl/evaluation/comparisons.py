"""Published methods that are measured against only: no crawl can use them, and `--methods all` leaves them out."""

from collections.abc import Mapping
from typing import Final

from sitecrawl.evaluation.mdr import Mdr
from sitecrawl.evaluation.shingles import Shingles
from sitecrawl.extractors.base import Extractor, checked_options, get_extractor

COMPARISONS: Final[Mapping[str, type[Extractor]]] = {Mdr.name: Mdr, Shingles.name: Shingles}
"""Classes by name."""


def method(name: str, options: Mapping[str, object]) -> Extractor:
    """Return a method, or one of those to compare with, ready for use.

    Raises UnknownExtractorError, and ExtractorError naming the options that it does not take.
    """
    if name in COMPARISONS:
        checked_options(COMPARISONS[name], options)
        return COMPARISONS[name](**options)
    return get_extractor(name, **options)
