"""A correction in progress: the elements that the user chose before, and the current one. All functions are pure."""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from sitecrawl.errors import InputError
from sitecrawl.overrides.selectors import Selector, selector_of_key
from sitecrawl.ui.override_files import Correction
from sitecrawl.ui.responses import with_query

ACTS: Final = {
    "content": "This is the content",
    "include": "This too",
    "exclude": "Never this",
    "title": "This is the title",
    "published": "This is the date",
}
"""The roles that the user can give an element: the label of each by its key in the override."""
CONTAINING: Final = frozenset(("content", "include"))
"""Roles that make a whole element main content, including everything inside it."""
JOINED: Final = frozenset(("content", "include", "exclude"))
"""Roles for which the user may click several blocks one after the other, which are saved as one selector."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One state of the page for corrections; the address of the page contains all of it."""

    here: str
    """Path of the page for corrections."""
    row: int | None = None
    """Row of the clicked element; None if there is none."""
    act: str | None = None
    """Its role, a key of `ACTS`; None before the choice."""
    also: str = ""
    """Selector of the elements clicked before with the same role; saved together with the element of `row`."""
    before: tuple[Correction, ...] = ()
    """Finished corrections; they are saved together with this one."""

    @property
    def lines(self) -> str:
        """The finished corrections as text, one per line."""
        return "\n".join(f"{one.key} {one.selector}" for one in self.before)

    @property
    def address(self) -> str:
        """The address of the page in this state."""
        row = None if self.row is None else str(self.row)
        return with_query(self.here, row=row, act=self.act, also=self.also, before=self.lines)

    def frame(self, selector: str) -> str:
        """Return the address of the frame in this state; `selector` is that of the correction."""
        row = None if self.row is None else str(self.row)
        return with_query(f"{self.here}/frame", row=row, act=self.act, selector=selector, before=self.lines)

    def trying(self, selector: str) -> str:
        """Return the address of this state with a selector instead of the best one."""
        return f"{self.address}&{urlencode({'selector': selector})}"

    def at(self, row: int) -> "Draft":
        """Return the state after the choice was changed to another element."""
        return replace(self, row=row)

    def clicked(self, row: int, selector: str) -> "Draft":
        """Return the state after a click on another block; `selector` was that of the correction so far."""
        return replace(self, row=row, also=selector if self.act in JOINED else "")

    def taken_out(self, row: int, selector: str) -> "Draft":
        """Return the state after a click on a block inside the element that `selector` selects as content.

        The block and others like it are excluded; the previous selection stays content.
        """
        return self.clicked(row, selector).called("exclude")

    def called(self, act: str) -> "Draft":
        """Return the state after the user gave the element of `row` the role `act`.

        Elements clicked before keep their roles. If other elements already have this role, the element joins them.
        """
        if act == self.act:
            return self
        before = self._with(self.also)
        same = [one for one in before if one.key == act and act in JOINED]
        also = same[-1].selector if same else ""
        return replace(self, act=act, also=also, before=tuple(one for one in before if one not in same[-1:]))

    def another(self, selector: str) -> "Draft":
        """Return the state for a further correction; `selector` is that of this one."""
        return Draft(self.here, before=self._with(selector))

    def without(self, taken: Correction) -> "Draft":
        """Return the state without one of the finished corrections."""
        return replace(self, before=tuple(one for one in self.before if one != taken))

    def _with(self, selector: str) -> tuple[Correction, ...]:
        if not selector or self.act is None:
            return self.before
        made = Correction(self.act, selector)
        return (*(one for one in self.before if one != made), made)


def finished(lines: str, layout: str = "") -> tuple[Correction, ...]:
    """Return the corrections in a text of the form of `Draft.lines`. Raises InputError for an invalid line."""
    found = []
    for line in filter(None, lines.split("\n")):
        act, _, selector = line.strip().partition(" ")
        if act not in ACTS:
            raise InputError(f"{act[:40]}: there is no such role; go back and choose again")
        checked(act, selector)
        found.append(Correction(act, selector, layout))
    return tuple(found)


def checked(act: str, text: str) -> Selector:
    """Return the compiled selector of a correction. Raises InputError."""
    try:
        return selector_of_key(act, text)
    except ValueError as error:
        raise InputError(f"{error}; go back and choose again") from error
