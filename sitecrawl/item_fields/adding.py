"""Adds values to an item of any kind: dict, Scrapy Item, dataclass, attrs or pydantic."""

from collections.abc import Mapping
from typing import Any, Final

from itemadapter import ItemAdapter

from sitecrawl.errors import ItemFieldError

_LENGTH: Final = 200
"""Maximum characters of a library's message that an error quotes."""
_MISSING: Final = object()


def add_fields(item: Any, values: Mapping[str, object]) -> int:
    """Set the named fields of an item; return the number of those that were already filled, which keep their values.

    A field is filled if its value is neither None nor "".

    Raises:
        ItemFieldError: The class of the item has no such field, or refuses the value. The item is unchanged.
    """
    adapter = ItemAdapter(item)
    name = type(item).__name__
    declared = ItemAdapter.get_field_names_from_class(type(item))
    undeclared = [field for field in values if declared is not None and field not in declared]
    if undeclared:
        raise ItemFieldError(
            f"{name} has no field {', '.join(map(repr, undeclared))}; add it to the class, or correct"
            " SITECRAWL_ITEM_FIELDS"
        )
    before = {field: adapter.get(field, _MISSING) for field in values}
    empty = [field for field, value in before.items() if value is _MISSING or value is None or value == ""]
    done: list[str] = []
    for field in empty:
        try:
            adapter[field] = values[field]
        except Exception as error:
            _take_back(adapter, {field: before[field] for field in done})
            reason = " ".join(str(error).split())[:_LENGTH]
            raise ItemFieldError(
                f"{name}.{field} cannot be set: {reason or type(error).__name__}; change the class, or"
                " SITECRAWL_ITEM_FIELDS"
            ) from error
        done.append(field)
    return len(before) - len(empty)


def _take_back(adapter: ItemAdapter, before: Mapping[str, object]) -> None:
    for field, value in before.items():
        if value is _MISSING:
            del adapter[field]
        else:
            adapter[field] = value
