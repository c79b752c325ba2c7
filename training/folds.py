"""Divides sites into folds; sites that look alike are in one fold."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from training_sites import Site

OWN_MARKUP: Final = ("WordPress", "Hugo", "hand", "custom", "static", "Python", "SSI")
"""First words of generators whose sites do not look alike, since each theme has its own markup."""
SAME: Final = {"jupyter": "sphinx", "boostbook": "docbook", "texi": "texinfo"}
"""The generator on which another one is built, by name."""


def group_of(site: Site) -> str:
    """Return the name of the group whose sites are in one fold: the generator, or the site itself."""
    word = re.split(r"[ /(\d]", site.generator)[0].lower()
    return site.host if not word or site.generator.startswith(OWN_MARKUP) else SAME.get(word, word)


def fold_numbers(groups: dict[str, str], count: int) -> dict[str, int]:
    """Return the number of the fold of each name, from its group: large groups first, each to the smallest fold."""
    names_of = defaultdict(list)
    for name in sorted(groups):
        names_of[groups[name]].append(name)
    shuffled = sorted(names_of.values())
    random.Random(0).shuffle(shuffled)
    folds: list[list[str]] = [[] for _ in range(count)]
    for names in sorted(shuffled, key=len, reverse=True):
        min(folds, key=len).extend(names)
    return {name: number for number, names in enumerate(folds) for name in names}


def split(sites: Iterable[Site], count: int) -> list[list[Site]]:
    """Return the sites of each fold. Folds are about equally large; a site in two page sets is in one fold."""
    sites = list(sites)
    fold_of: dict[tuple[bool, str], int] = {}
    for recorded in (True, False):
        groups = {site.host: group_of(site) for site in sites if site.is_recorded == recorded}
        fold_of |= {(recorded, host): number for host, number in fold_numbers(groups, count).items()}
    folds: list[list[Site]] = [[] for _ in range(count)]
    for site in sites:
        folds[fold_of[site.is_recorded, site.host]].append(site)
    return folds


def outside(sites: Iterable[Site], fold: Iterable[Site]) -> list[Site]:
    """Return the sites that are not in a fold."""
    inside = set(fold)
    return [site for site in sites if site not in inside]
