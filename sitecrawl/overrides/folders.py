"""Folders of override files, one file per host: `example.org.yaml`."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Final

from sitecrawl.errors import ConfigError
from sitecrawl.links.scope import SiteScope, registrable_domain
from sitecrawl.links.urls import split_url, without_www
from sitecrawl.overrides.rules import Override, Rule

SUFFIXES: Final = (".yaml", ".yml")
ALIKE: Final = 0.8
"""Minimum likeness of two hosts that may be the same, one of them mistyped (difflib) [OWN]."""
DIGITS: Final = 16
"""Length of a digest."""


class Overrides:
    """The overrides in some folders; if several have a file for a host, the first folder counts."""

    def __init__(self, folders: Sequence[str | Path] = ()) -> None:
        """List the folders. Raises ConfigError for a missing folder, and for file names that are not hosts."""
        self._files: dict[str, Path] = {}
        self._read: dict[str, Override] = {}
        self.digest = ""
        """Hash of the files that `load` has read; empty without files."""
        for folder in reversed(folders):
            self._files.update(_files(Path(folder)))

    def load(self, scope: SiteScope) -> None:
        """Read every file that may apply to a page of a site. Raises ConfigError for an unusable file."""
        hosts = set(hosts_above(f"http://{scope.key}/"))
        read = sha256()
        for host in sorted(self._files):
            if host in hosts or (scope.scope == "domain" and scope.contains(f"http://{host}/")):
                read.update(f"{host}\n{self._override(host).text}\n".encode())
                self.digest = read.hexdigest()[:DIGITS]

    @property
    def read(self) -> tuple[Override, ...]:
        """The overrides that were read."""
        return tuple(self._read.values())

    def rule(self, url: str) -> Rule | None:
        """Return the rule for a page: of its host, else of the nearest parent domain that has a file; None without.

        Raises ConfigError for an unusable file.
        """
        for host in hosts_above(url) if self._files else ():
            if host in self._files:
                return self._override(host).rule(url)
        return None

    def _override(self, host: str) -> Override:
        if host not in self._read:
            from sitecrawl.overrides.reading import read_override  # noqa: PLC0415  (YAML: few sites have a file)

            self._read[host] = read_override(self._files[host])
        return self._read[host]


def override_files(folder: Path) -> list[Path]:
    """Return the override files of a folder. Raises ConfigError if it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and not path.name.startswith("."))
    except OSError as error:
        raise ConfigError(
            f"{folder}: not a folder of overrides: {error.strerror}; correct SITECRAWL_OVERRIDES"
        ) from error


def host_of(path: Path) -> str:
    """Return the host that a file is named after, without `www.`. Raises ConfigError if it is not a host."""
    parts = split_url(f"http://{path.stem}/")
    if parts is None or parts.port is not None or parts.path != "/" or parts.query:
        raise ConfigError(f"{path}: {path.stem!r} is not a host; name the file after one, such as example.org.yaml")
    return without_www(parts.host)


def without_site(hosts: Iterable[str], sites: Iterable[str]) -> dict[str, str]:
    """Return the hosts of files that apply to none of the `sites`, each with a like name of a site; "" without one.

    A file applies to the sites of its host and below it, and its host may be one of a site that is a whole domain.
    """
    above = [list(hosts_above(f"http://{site}/")) for site in sites]
    own, names = {one[0] for one in above if one}, {name for one in above for name in one}
    lost = [host for host in hosts if host not in names and own.isdisjoint(hosts_above(f"http://{host}/"))]
    return {host: next(iter(get_close_matches(host, own, 1, ALIKE)), "") for host in lost}


def _files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in override_files(folder):
        host = host_of(path)
        if host in found:
            raise ConfigError(f"{path}: {found[host].name} is for the same host; join them")
        found[host] = path
    return found


def hosts_above(url: str) -> Iterator[str]:
    """Yield the host of a URL without `www.`, and its parent domains up to the registrable one."""
    parts = split_url(url)
    if parts is None:
        return
    host = without_www(parts.host)
    yield host
    domain = registrable_domain(host)
    while domain is not None and host != domain:
        host = host.partition(".")[2]
        yield host
