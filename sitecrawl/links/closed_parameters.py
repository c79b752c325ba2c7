"""The closed query parameters of one site: base of the classes that close parameters by the pages with them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from sitecrawl.links.closed_trap import Closed


class ClosedParameters(ABC):
    """The closed query parameters, with the reasons; no further URLs with them are requested."""

    def __init__(self, start_url: str = "") -> None:
        """Begin without closed parameters. `start_url` is always allowed."""
        self.start_url = start_url
        self.closed: dict[int, str] = {}
        """Reasons by the key of the parameter."""

    def refusal(self, url: str) -> str | None:
        """Return the reason why a URL is not requested, or None if it may be."""
        if not self.closed or url == self.start_url:
            return None
        return next((why for key in self.keys_of(url) if (why := self.closed.get(key))), None)

    def restore(self, closed: Iterable[Closed]) -> None:
        """Restore the parameters that an earlier run closed."""
        self.closed.update((one.key, one.reason) for one in closed)

    @abstractmethod
    def keys_of(self, url: str) -> list[int]:
        """Return the keys of the parameters of a URL."""
