"""The rows of an evaluation: a method with its options, under a name that contains both (`webconex size=2`)."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product

from sitecrawl.errors import ConfigError
from sitecrawl.evaluation.comparisons import method as made
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.extractors.base import Extractor
from sitecrawl.extractors.options import read_options


def row_names(methods: Sequence[str], given: Iterable[str]) -> list[str]:
    """Return the names of the rows for some methods and options `METHOD.OPTION=VALUE`.

    An option that is given several times adds a row for each of its values; several such options add a row for each
    combination. Raises ConfigError for an option in another form, or of a method that is not among `methods`.
    """
    options: dict[str, dict[str, list[str]]] = {}
    for one in given:
        name, equals, value = one.partition("=")
        method, dot, option = name.partition(".")
        if not (equals and dot and option):
            raise ConfigError(f"-o {one!r} cannot be used; give METHOD.OPTION=VALUE: -o webconex.size=2")
        if method not in methods:
            raise ConfigError(f"-o {one!r}: {method!r} is not among the methods; add it to --methods")
        options.setdefault(method, {}).setdefault(option, []).append(value)
    return [name for method in methods for name in _combined(method, options.get(method, {}))]


def _combined(method: str, options: Mapping[str, Sequence[str]]) -> list[str]:
    names = sorted(options)
    return [
        shlex.join([method, *(f"{name}={value}" for name, value in zip(names, values, strict=True))])
        for values in product(*(options[name] for name in names))
    ]


def extractor_of(row: str) -> Extractor:
    """Return the method of a row with its options. Raises ConfigError or ExtractorError for invalid options."""
    method, *options = shlex.split(row)
    return made(method, read_options(options))


def chosen_sites(sites: Sequence[GoldSite], patterns: str | None, fold: str | None) -> list[GoldSite]:
    """Return the sites in fold `I/N` of those whose names match one of the patterns `a,b*`.

    Fold I of N is every N-th site by name, beginning with the I-th. Raises ConfigError for a pattern that matches no
    site, and for a malformed fold.
    """
    chosen = list(sites)
    if patterns is not None:
        wanted = [pattern.strip() for pattern in patterns.split(",")]
        for pattern in wanted:
            if not any(fnmatchcase(site.name, pattern) for site in sites):
                raise ConfigError(f"--sites {pattern!r}: no site has such a name")
        chosen = [site for site in sites if any(fnmatchcase(site.name, pattern) for pattern in wanted)]
    if fold is None:
        return chosen
    first, slash, count = fold.partition("/")
    if not (slash and first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise ConfigError(f"--fold {fold!r} cannot be used; give a part of the sites, such as 1/2")
    names = sorted((site.collection, site.name) for site in chosen)[int(first) - 1 :: int(count)]
    return [site for site in chosen if (site.collection, site.name) in names]
