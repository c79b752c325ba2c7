"""Chooses, for each function that has two versions, between its compiled twin and its Python reference.

`@twin(module)` marks a Python function as a reference whose twin has the same name in a compiled module. A call runs
the twin if it is built, passes its check and is not disabled; otherwise the reference. Both return equal values.
"""

import os
from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeAlias, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")
Check: TypeAlias = Callable[[Any], str | None]
"""A function that returns why a compiled function cannot be used; None if it can."""

VARIABLE: Final = "SITECRAWL_EXTENSION"
"""Environment variable; `off` disables the twins in this process and in those that it starts."""


class Twin(Generic[Given, Found]):
    """A function that runs as its compiled twin or as its Python reference."""

    def __init__(
        self,
        reference: Callable[Given, Found],
        module: str,
        check: Check | None = None,
    ) -> None:
        update_wrapper(self, reference)
        self.name = f"{reference.__module__}.{reference.__name__}"
        self.reference = reference
        """The Python version."""
        self.module = module
        """The compiled module."""
        self.runs: Callable[Given, Found] = self._first
        """The version that a call runs; `choose` sets it."""
        self._check = check
        self._loaded: tuple[Callable[Given, Found] | None, str | None] | None = None
        _TWINS[self.name] = self

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        """Return the result of the chosen version."""
        return self.runs(*args, **kwargs)

    @property
    def compiled(self) -> Callable[Given, Found] | None:
        """The compiled version; None if it cannot be used."""
        return self._load()[0]

    @property
    def problem(self) -> str | None:
        """The reason why the compiled version cannot be used; None if it can."""
        return self._load()[1]

    @property
    def is_compiled(self) -> bool:
        """Whether a call runs the compiled version."""
        return allowed() and self.compiled is not None

    def _first(self, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        """Choose a version at the first call, not earlier, since the compiled module may import this one."""
        compiled = self.compiled if allowed() else None
        self.runs = self.reference if compiled is None else compiled
        return self.runs(*args, **kwargs)

    def _load(self) -> tuple[Callable[Given, Found] | None, str | None]:
        if self._loaded is None:
            self._loaded = self.load()
        return self._loaded

    def load(self) -> tuple[Callable[Given, Found] | None, str | None]:
        """Return the compiled version, or None and the reason why it cannot be used."""
        try:
            compiled: Callable[Given, Found] = getattr(import_module(self.module), self.__name__)
            problem = self._check(compiled) if self._check is not None else None
        except Exception as error:  # noqa: BLE001 - whatever it is, the reference does the same work
            return None, f"it cannot be loaded: {error}"
        return (compiled, None) if problem is None else (None, problem)

    def reset(self) -> None:
        """Choose the version again at the next call."""
        self.runs = self._first

    __name__: str


_TWINS: Final[dict[str, "Twin[Any, Any]"]] = {}


class _Switch:
    """Whether compiled twins may run; one per process."""

    on: bool = os.environ.get(VARIABLE, "").lower() != "off"


class Marking(Protocol):
    """The type of a decorator of references."""

    def __call__(self, reference: Callable[Given, Found], /) -> Twin[Given, Found]:
        """Return the function as a `Twin`."""


def twin(module: str, check: Check | None = None) -> Marking:
    """Return a decorator of a Python function that has a twin of the same name in the compiled `module`.

    `check` is called with the twin before it first runs, and returns why it cannot be used, or None.
    """

    def mark(reference: Callable[Given, Found], /) -> Twin[Given, Found]:
        return Twin(reference, module, check)

    return mark


def registered() -> dict[str, "Twin[Any, Any]"]:
    """Return the functions of all imported modules that have a twin, by dotted name."""
    return dict(_TWINS)


def choose(extension: str = "auto") -> bool:
    """Let compiled twins run in the whole process from now on (`auto`), or only the references (`off`).

    The value `off` of the environment variable SITECRAWL_EXTENSION takes precedence. Returns whether twins may run.
    """
    _Switch.on = extension != "off" and os.environ.get(VARIABLE, "").lower() != "off"
    for one in _TWINS.values():
        one.reset()
    return _Switch.on


def allowed() -> bool:
    """Return whether compiled twins may run."""
    return _Switch.on
