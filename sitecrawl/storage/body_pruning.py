"""Deletes orphans of a body store: files that no row of the database refers to."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Engine, select

from sitecrawl.errors import ConfigError, StorageError
from sitecrawl.storage.body_files import SETTING, Files
from sitecrawl.storage.body_store import Outside, is_name, named, store_of
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import STREAMED
from sitecrawl.storage.tables.models import BODY

DAY: Final = 86_400.0
"""Minimum age in seconds of a file to be deleted: the transaction that refers to it may not be committed yet."""
FEW: Final = 10
"""Number of orphans up to which they are deleted, whatever their share of the files [OWN]."""
MOST: Final = 0.5
"""Share of orphans above which a store is probably that of another database [OWN]."""


class Pruned(NamedTuple):
    """Counts of the files of a store in one pruning."""

    files: int
    orphans: int
    """Files without a row that are old enough to be deleted."""
    young: int = 0
    """Files without a row that are not."""


def prune(engine: Engine, *, older: float = DAY, even_most: bool = False) -> Pruned:
    """Delete orphans that are older than `older` seconds; return the counts.

    If over half of all files are orphans, the store probably belongs to another database, and nothing is deleted unless
    `even_most` is set.

    Raises ConfigError if the engine has no body store, and StorageError.
    """
    store = store_of(engine)
    if not isinstance(store, Outside):
        raise ConfigError(f"the bodies are in the database: {SETTING} is not set")
    files = store.files
    try:
        found = _count(engine, files, older)
        if found.orphans > max(FEW, MOST * found.files) and not even_most:
            raise StorageError(
                f"{files.where}: {found.orphans} of {found.files} bodies belong to no page, so the store probably"
                " belongs to another database; nothing was deleted. If it is the right store, prune with --all"
            )
        for orphans in _orphans(engine, files, older):
            for name in orphans.names:
                _delete(files, name)
    except OSError as error:
        why = error.strerror or str(error)
        raise StorageError(f"{files.where}: the body store cannot be used ({why}); check {SETTING}") from error
    return found


class _Site(NamedTuple):
    files: int
    names: Sequence[str]
    young: int


def _count(engine: Engine, files: Files, older: float) -> Pruned:
    number = orphans = young = 0
    for site in _orphans(engine, files, older):
        number, orphans, young = number + site.files, orphans + len(site.names), young + site.young
    return Pruned(number, orphans, young)


def _orphans(engine: Engine, files: Files, older: float) -> Iterable[_Site]:
    """Yield the orphans of each site. Files are listed before rows are read: those of newer rows are not listed."""
    for listed in files.names():
        names = [name for name in listed if is_name(name)]
        kept = _kept(engine, int(names[0].split("/")[1])) if names else set[str]()
        alone = [name for name in names if name not in kept]
        ages = {name: age for name in alone if (age := _age(files, name)) is not None}
        old = [name for name, age in ages.items() if age >= older]
        yield _Site(len(names), old, len(ages) - len(old))


def _kept(engine: Engine, site_id: int) -> set[str]:
    """Return the names of files that the rows of a site refer to."""
    held = select(BODY.c.html, BODY.c.previous).where(BODY.c.site_id == site_id)
    with session_scope(engine, write=False) as session:
        rows = session.execute(held.execution_options(yield_per=STREAMED))
        return {name for row in rows for value in row if (name := named(value)) is not None}


def _age(files: Files, name: str) -> float | None:
    """Return the age of a file in seconds; None if another run deleted it."""
    try:
        return files.age(name)
    except FileNotFoundError:
        return None


def _delete(files: Files, name: str) -> None:
    try:
        files.delete(name)
    except FileNotFoundError:  # another run deleted it
        return
