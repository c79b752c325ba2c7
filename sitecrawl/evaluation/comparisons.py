"""Published methods for comparison only: no crawl can use them, and `--methods all` does not include them."""

from collections.abc import Mapping
from typing import Final

from sitecrawl.evaluation.mdr import Mdr
from sitecrawl.evaluation.shingles import Shingles
from sitecrawl.extractors.base import Extractor, get_extractor
from sitecrawl.extractors.options import check_options

COMPARISONS: Final[Mapping[str, type[Extractor]]] = {Mdr.name: Mdr, Shingles.name: Shingles}
"""Classes of the methods by name."""


def method(name: str, options: Mapping[str, object]) -> Extractor:
    """Return a new extraction method, or a method for comparison.

    Raises UnknownExtractorError, ExtractorError naming the unknown options, or ConfigError for a value of the wrong
    type.
    """
    if name in COMPARISONS:
        check_options(name, COMPARISONS[name], options)
        return COMPARISONS[name](**options)
    return get_extractor(name, **options)
