"""Folders that answer every URL with a page of new links: a trap that no single URL shows.

In such a folder nearly every page leads to pages of the folder that no page before led to, however many are read. Large
honest sites begin like that as well. What tells them apart is a URL that no page has ever named: an honest site has no
page there, or one without new links; a trap has one like all others. So a folder that breeds is *suspected*, the crawl
asks for one invented URL in it, and by that answer the folder is *cleared* or *closed*. Own method. What was closed
stays closed in later crawls; after a long time one invented URL is asked for again.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.variants import hash_of

LEVELS: Final = 4
"""Folders above a page that are watched, the site's root among them."""
BRED: Final = 2
"""Links to new pages of the folder by which a page breeds."""
BREEDERS: Final = 0.9
"""Share of the pages read that must breed. Recorded sites: see docs/links.md."""
GROWTH: Final = 5
"""New pages of the folder that were named, for each page read."""
MAX_FOLDERS: Final = 2_000
"""Folders remembered by one crawl; the one that no page was read of for the longest time goes first."""
INVENTED: Final = "sitecrawl-asks-"
"""How the last segment of invented URLs begins: whoever reads the server's log should know what asked."""


@dataclass(slots=True)
class _Folder:
    window: int
    """Pages to read before it is judged; doubled each time that it is cleared."""
    pages: int = 0
    breeders: int = 0
    named: int = 0


class Breeding:
    """Judges the folders of one site."""

    def __init__(self, window: int = 50, start_url: str = "") -> None:
        """A folder is judged by each `window` pages read; 0 for never. `start_url` is asked for in any case."""
        self.window, self.start_url = window, start_url
        self.closed: dict[str, str] = {}
        """Folders (URLs that end with a slash) in which nothing more is asked for, each with the reason."""
        self._folders: OrderedDict[str, _Folder] = OrderedDict()
        self._suspected: set[str] = set()
        self._due: list[str] = []
        """Suspected folders of which no invented URL was asked for yet."""
        self._doubted: set[str] = set()
        """Folders that an earlier run closed, long enough ago to ask again."""

    def read(self, url: str, new: Iterable[str]) -> None:
        """Count a page and the URLs that it was the first to name."""
        if not self.window:
            return
        named, suspected = list(new), []
        for folder in folders(url):
            one = self._folders.get(folder)
            if one is None:
                one = self._folders[folder] = _Folder(self.window)
            self._folders.move_to_end(folder)
            bred = sum(target.startswith(folder) for target in named)
            one.pages += 1
            one.breeders += bred >= BRED
            one.named += bred
            if one.pages >= one.window:
                if one.breeders >= BREEDERS * one.pages and one.named >= GROWTH * one.pages:
                    suspected.append(folder)
                one.pages = one.breeders = one.named = 0
        while len(self._folders) > MAX_FOLDERS:
            self._folders.popitem(last=False)
        for folder in suspected:
            if folder not in self._suspected and self.refusal(folder) is None:
                self._suspect(folder)

    def take(self) -> list[str]:
        """Return the suspected folders of which an invented URL is to be asked for now."""
        due = [folder for folder in self._due if self.refusal(folder) is None]
        self._due.clear()
        return due

    def clear(self, folder: str) -> None:
        """Note that an invented URL of a folder led nowhere: it is honest so far."""
        self._suspected.discard(folder)
        self._doubted.discard(folder)
        if folder in self._folders:
            self._folders[folder].window *= 2

    def close(self, folder: str) -> Closed:
        """Note that an invented URL of a folder was answered like all others; return what is closed."""
        self._doubted.discard(folder)
        self.closed[folder] = reason = f"a trap: {folder[:200]} answers any URL with a page of new links"
        return Closed(hash_of(folder) >> 1, ClosedKind.FOLDER, folder, reason)

    def unanswered(self, folder: str) -> None:
        """Note that an invented URL of a folder had no answer: a folder that was closed stays so, others are open."""
        if folder in self._doubted:
            self.close(folder)
        self.clear(folder)

    def restore(self, closed: Iterable[Closed], doubted: Iterable[Closed] = ()) -> None:
        """Take up the folders that an earlier run closed; one invented URL is asked for in each doubted one."""
        self.closed.update((one.place, one.reason) for one in closed)
        for one in doubted if self.window else ():
            self._doubted.add(one.place)
            self._suspect(one.place)

    def refusal(self, url: str) -> str | None:
        """Return why a URL is not asked for, None when it may be."""
        if self.closed and url != self.start_url:
            for folder in folders(url):
                if folder in self.closed:
                    return self.closed[folder]
        return None

    def _suspect(self, folder: str) -> None:
        self._suspected.add(folder)
        self._due.append(folder)


def folders(url: str) -> list[str]:
    """Return the URLs of the uppermost folders that a page lies in, its site's root first."""
    parts = urlsplit(url)
    found, path = [f"{parts.scheme}://{parts.netloc}/"], parts.path
    end = 0
    while len(found) < LEVELS and (end := path.find("/", end + 1)) > 0:
        found.append(f"{parts.scheme}://{parts.netloc}{path[: end + 1]}")
    return found


def invented(folder: str) -> str:
    """Return a URL in a folder that no page names; the same each time."""
    return f"{folder}{INVENTED}{blake2b(folder.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def is_invented(url: str) -> bool:
    """Say whether a URL was invented here: a page of the trap itself, or of a search, may name it later."""
    return f"/{INVENTED}" in url
