"""Detects infinite spaces: folders that answer every URL with a page of new links. No single URL shows such a trap.

In such a folder nearly every page links to pages of the folder that no earlier page linked to, however many are read.
The first pages of a large normal site look the same. An invented URL distinguishes them: a normal site has no page
there, or one without new links; a trap has a page like all others. A folder that keeps producing new links is
*suspected*, and the crawl requests one invented URL in it. The response either *clears* or *closes* the folder. Own
method. A closed folder stays closed in later crawls; after a long time it is tested again.
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
"""Maximum folders above a page that are watched, the site's root included."""
BRED: Final = 2
"""Minimum new links into the folder on a page that counts as breeding."""
BREEDERS: Final = 0.9
"""Share of breeding pages among the pages read that makes a folder suspected. Measured on recorded sites:
see docs/links.md."""
GROWTH: Final = 5
"""New URLs of the folder per page read that make it suspected."""
MAX_FOLDERS: Final = 2_000
"""Maximum folders remembered by one crawl; the folder whose last page was read longest ago is forgotten first."""
INVENTED: Final = "sitecrawl-asks-"
"""Prefix of the last segment of invented URLs; in a server's log it identifies the crawler."""


@dataclass(slots=True)
class _Folder:
    window: int
    """Number of pages to read before the folder is judged; doubled each time that it is cleared."""
    pages: int = 0
    breeders: int = 0
    named: int = 0


class InfiniteSpaces:
    """Judges the folders of one site."""

    def __init__(self, window: int = 50, start_url: str = "") -> None:
        """Judge each folder after every `window` pages read; 0 means never. `start_url` is always allowed."""
        self.window, self.start_url = window, start_url
        self.closed: dict[str, str] = {}
        """Closed folders (URLs that end with a slash) by URL; nothing more is requested in them."""
        self._folders: OrderedDict[str, _Folder] = OrderedDict()
        self._suspected: set[str] = set()
        self._due: list[str] = []
        """Suspected folders that have not been tested yet."""
        self._doubted: set[str] = set()
        """Folders that an earlier run closed long enough ago to be tested again."""

    def read(self, url: str, new: Iterable[str]) -> None:
        """Count a page and the URLs that it was the first to link to."""
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
        """Return the suspected folders to be tested now."""
        due = [folder for folder in self._due if self.refusal(folder) is None]
        self._due.clear()
        return due

    def clear(self, folder: str) -> None:
        """Clear a folder: its invented URL did not exist."""
        self._suspected.discard(folder)
        self._doubted.discard(folder)
        if folder in self._folders:
            self._folders[folder].window *= 2

    def close(self, folder: str) -> Closed:
        """Close a folder whose invented URL gave a page like all others; return the closed trap."""
        self._doubted.discard(folder)
        self.closed[folder] = reason = f"a trap: {folder[:200]} answers any URL with a page of new links"
        return Closed(hash_of(folder) >> 1, ClosedKind.FOLDER, folder, reason)

    def unanswered(self, folder: str) -> None:
        """Handle a failed request of an invented URL: a folder that was closed before stays closed, others open."""
        if folder in self._doubted:
            self.close(folder)
        self.clear(folder)

    def restore(self, closed: Iterable[Closed], doubted: Iterable[Closed] = ()) -> None:
        """Restore the folders that an earlier run closed; those in `doubted` are tested again."""
        self.closed.update((one.place, one.reason) for one in closed)
        for one in doubted if self.window else ():
            self._doubted.add(one.place)
            self._suspect(one.place)

    def refusal(self, url: str) -> str | None:
        """Return the reason why a URL may not be requested, or None if it may."""
        if self.closed and url != self.start_url:
            for folder in folders(url):
                if folder in self.closed:
                    return self.closed[folder]
        return None

    def _suspect(self, folder: str) -> None:
        self._suspected.add(folder)
        self._due.append(folder)


def folders(url: str) -> list[str]:
    """Return the URLs of the uppermost folders of a page, beginning with the site's root."""
    parts = urlsplit(url)
    found, path = [f"{parts.scheme}://{parts.netloc}/"], parts.path
    end = 0
    while len(found) < LEVELS and (end := path.find("/", end + 1)) > 0:
        found.append(f"{parts.scheme}://{parts.netloc}{path[: end + 1]}")
    return found


def invented(folder: str) -> str:
    """Return a URL in a folder that no page links to; always the same one for a folder."""
    return f"{folder}{INVENTED}{blake2b(folder.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def is_invented(url: str) -> bool:
    """Return whether a URL was invented by this module: a trap or a search page may link to it later."""
    return f"/{INVENTED}" in url
