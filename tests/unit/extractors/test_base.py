"""Tests of the registry of extraction methods."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import ClassVar

import pytest

from sitecrawl.errors import ExtractorError, UnknownExtractorError
from sitecrawl.extractors import base
from sitecrawl.extractors.base import (
    Extraction,
    Kind,
    Need,
    SiteContext,
    extractor_class,
    extractor_names,
    get_extractor,
    no_content,
    register,
)

from ..dom.trees import page

BUILT_IN = {"cnr", "combined", "density", "everything", "fastce", "sst", "webconex"}


class Other:
    """A method of another package."""

    name: ClassVar[str] = "other"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, depth: int = 1) -> None:
        self.depth = depth

    def extract(self, found, site=None):
        return Extraction((self.depth,), self.name, 0.5)


@pytest.fixture
def registry(monkeypatch):
    """The registry, put back afterwards."""
    monkeypatch.setattr(base, "_CLASSES", dict(base._CLASSES))
    yield base
    base._entry_points.cache_clear()


@pytest.fixture
def installed(registry, monkeypatch):
    """Return a function that pretends that a package with these methods is installed."""

    def install(**values):
        points = [EntryPoint(name, value, base.ENTRY_POINT_GROUP) for name, value in values.items()]
        monkeypatch.setattr(base, "entry_points", lambda group: points if group == base.ENTRY_POINT_GROUP else [])
        base._entry_points.cache_clear()

    return install


def test_all_built_in_methods_can_be_built():
    assert set(extractor_names()) >= BUILT_IN
    for name in BUILT_IN:
        assert get_extractor(name).name == name


def test_names_by_need():
    assert "sst" in extractor_names(Need.TEMPLATE)
    assert extractor_names(Need.BLOCKS) == []  # fastce needs them with an option
    assert "fastce" in extractor_names(Need.NEIGHBOURS)
    assert "webconex" in extractor_names(Need.NEIGHBOURS)
    assert "cnr" not in {name for need in Need for name in extractor_names(need)}


def test_methods_without_what_they_need_find_nothing():
    found = page("<div><p>Some text</p></div>")
    for need in Need:
        for name in extractor_names(need):
            for site in (None, SiteContext()):
                assert get_extractor(name).extract(found, site) == no_content(name)


def test_everything_is_the_whole_page():
    found = page("<div><p>Some text</p></div>")
    extraction = get_extractor("everything").extract(found)
    assert found.text(extraction.nodes) == "Some text"
    assert get_extractor("everything").extract(page("<div></div>")) == no_content("everything")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UnknownExtractorError, match=r"'nothing'.*cnr, .*webconex"):
        get_extractor("nothing")


def test_wrong_options_are_named():
    with pytest.raises(ExtractorError, match=r"'sst' has no option colour, size; it takes threshold, gamma"):
        get_extractor("sst", size=3, colour="red", gamma=0.5)
    with pytest.raises(ExtractorError, match=r"'everything' has no option size; it takes none"):
        get_extractor("everything", size=3)


def test_a_name_is_taken_once(registry):
    register(Other)
    assert register(Other) is Other
    assert extractor_class("other") is Other
    same = type("Same", (), {"name": "other", "needs": frozenset()})
    with pytest.raises(ExtractorError, match="'other'"):
        register(same)


def test_methods_of_other_packages_are_found_by_entry_point(installed, monkeypatch):
    module = ModuleType("other_package")
    module.Other = Other
    monkeypatch.setitem(sys.modules, "other_package", module)
    installed(other="other_package:Other", cnr="other_package:Other")
    assert "other" in extractor_names()
    assert get_extractor("other", depth=3).extract(page("<p>x</p>")).nodes == (3,)
    assert extractor_class("cnr") is not Other


def test_methods_that_cannot_be_imported_are_named(installed):
    installed(missing="no_such_package:Method")
    with pytest.raises(ExtractorError, match=r"'missing' cannot be imported: No module named 'no_such_package'"):
        get_extractor("missing")


def test_extractions_are_values():
    extraction = Extraction((1, 2), "cnr", 0.5, evidence={"ratio": 2.0})
    assert extraction == Extraction((1, 2), "cnr", 0.5, Kind.CONTENT, {"ratio": 2.0})
    assert len({extraction, Extraction((1, 2), "cnr", 0.5, evidence={"ratio": 2.0})}) == 1
    assert str(Kind.LISTING) == "listing"
