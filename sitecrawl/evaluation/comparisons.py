"""Published methods that are measured against only: no crawl can use them, and `--methods all` leaves them out."""

from collections.abc import Mapping
from typing import Final

from sitecrawl.evaluation.mdr import Mdr
from sitecrawl.evaluation.shingles import Shingles
from sitecrawl.extractors.base import Extractor, get_extractor
from sitecrawl.extractors.options import check_options

COMPARISONS: Final[Mapping[str, type[Extractor]]] = {Mdr.name: Mdr, Shingles.name: Shingles}
"""Classes by name."""


def method(name: str, options: Mapping[str, object]) -> Extractor:
    """Return an extraction method, or a method for comparison, ready for use.

    Raises UnknownExtractorError, ExtractorError naming the options that it does not take, or ConfigError for a value of
    another type.
    """
    if name in COMPARISONS:
        check_options(name, COMPARISONS[name], options)
        return COMPARISONS[name](**options)
    return get_extractor(name, **options)
