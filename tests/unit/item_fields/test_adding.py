"""Fields are added to items of every kind; existing values of an item stay."""

import dataclasses

import attrs
import pydantic
import pytest
import scrapy
from itemadapter import ItemAdapter

from sitecrawl.errors import ItemFieldError
from sitecrawl.item_fields.adding import add_fields

VALUES = {"body": "Twelve boats came in.", "title": "Boats"}


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    title = scrapy.Field()
    body = scrapy.Field()


@dataclasses.dataclass
class DataclassItem:
    url: str
    title: str | None = None
    body: str = ""


@dataclasses.dataclass(slots=True)
class SlotsItem:
    url: str
    title: str | None = None
    body: str = ""


@attrs.define
class AttrsItem:
    url: str
    title: str | None = None
    body: str = ""


class PydanticItem(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_assignment=True)
    url: str
    title: str | None = None
    body: str = ""


KINDS = [dict, ScrapyItem, DataclassItem, SlotsItem, AttrsItem, PydanticItem]


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_are_added_to_those_of_the_item(kind):
    item = kind(url="https://example.org/1")
    assert add_fields(item, VALUES) == 0
    assert ItemAdapter(item).asdict() == {"url": "https://example.org/1", **VALUES}


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_the_item_has_filled_keeps_its_value(kind):
    item = kind(url="https://example.org/1", title="The spider's title", body="")
    assert add_fields(item, VALUES) == 1
    assert ItemAdapter(item).asdict() == {
        "url": "https://example.org/1",
        "title": "The spider's title",
        "body": VALUES["body"],
    }


def test_a_value_that_is_false_is_a_value():
    item = {"words": 0, "kept": False}
    assert add_fields(item, {"words": 7, "kept": True}) == 2
    assert item == {"words": 0, "kept": False}


class PriceItem(scrapy.Item):
    title = scrapy.Field()


@dataclasses.dataclass
class PriceDataclass:
    title: str | None = None


@attrs.define
class PriceAttrs:
    title: str | None = None


class PriceModel(pydantic.BaseModel):
    title: str | None = None


@pytest.mark.parametrize("kind", [PriceItem, PriceDataclass, PriceAttrs, PriceModel])
def test_a_class_without_a_field_is_named_with_it_and_the_item_is_as_before(kind):
    item = kind()
    before = ItemAdapter(item).asdict()
    with pytest.raises(ItemFieldError, match=f"^{kind.__name__} has no field 'body'; add it to the class") as raised:
        add_fields(item, VALUES)
    assert "\n" not in str(raised.value)
    assert ItemAdapter(item).asdict() == before


@dataclasses.dataclass(frozen=True)
class FrozenItem:
    title: str | None = None
    body: str = ""


class CountedModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_assignment=True)
    body: str | None = None
    title: int | None = None


@attrs.define
class ShortAttrs:
    body: str = ""
    title: str = attrs.field(default="", validator=attrs.validators.max_len(3))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FrozenItem, "FrozenItem.body cannot be set: cannot assign to field 'body'"),
        (CountedModel, "CountedModel.title cannot be set: 1 validation error"),
        (ShortAttrs, "ShortAttrs.title cannot be set"),
    ],
)
def test_a_class_that_refuses_a_value_is_one_line_and_the_item_is_as_before(kind, words):
    item = kind()
    with pytest.raises(ItemFieldError, match=words) as raised:
        add_fields(item, VALUES)
    assert "\n" not in str(raised.value)
    assert item == kind()


def test_a_field_that_a_refused_dict_did_not_have_is_taken_away_again():
    class Strict(dict):
        def __setitem__(self, name, value):
            if name == "title":
                raise ValueError("no titles\nhere")
            super().__setitem__(name, value)

    item = Strict(url="https://example.org/1")
    with pytest.raises(ItemFieldError, match=r"Strict.title cannot be set: no titles here;"):
        add_fields(item, VALUES)
    assert item == {"url": "https://example.org/1"}
