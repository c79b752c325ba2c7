"""Conditions on the due sites that a process may take."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class DueFilter:
    """The conditions on the sites that `lease_due` may take; by default every site is allowed."""

    hosts: Collection[str] | None = None
    """Hosts of the allowed sites; None for all."""
    excluded: Collection[int] = ()
    """Numbers of sites that are left out."""
    holder: str | None = None
    """Name of a worker's process: sites whose address another process holds are left out (`AddressSlots`)."""
    suspects: bool = True
    """Whether sites with `leases.DEATHS` dead crawls in a row are allowed."""
    died: bool = True
    """Whether sites with a dead crawl are allowed. After a jump of the clock an expired lease proves nothing."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the holder of an address excludes sites."""
        return self.hosts is None and not self.excluded and self.suspects and self.died


ANY_DUE: Final = DueFilter()
