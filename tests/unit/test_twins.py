"""Every function with a compiled twin: the twin is built, can be switched off, and returns what the reference returns."""

import pkgutil
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

import sitecrawl
from sitecrawl import twins
from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.forest import load_model
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate, TemplateNode

GOLDEN = sorted(Path(__file__).parents[1].joinpath("golden").glob("*/*.html"))
SETUP = Path(__file__).parents[2] / "setup.py"

COMPILED = ("_block_classifier", "_digest", "_flat", "_places", "_trees", "_trie")
ABSENT = ("mitmproxy_addon",)
"""Modules whose extra cannot be installed on every Python that is supported."""

for module in pkgutil.walk_packages(sitecrawl.__path__, "sitecrawl."):
    if module.name.rpartition(".")[2] not in (*COMPILED, *ABSENT):
        import_module(module.name)

TWINS = twins.registered()


def flatten(page):
    return [(page.root,)]


def telling_elements(page):
    return [(page.root,), *((one,) for one in page.root)]


def atomic_blocks(page):
    return [(page.flat,)]


def count_page(page):
    return [(page.flat, {}, 1)]


def small_site(page):
    template = SiteTemplate()
    template.learn(page.flat)
    template.learn(Page.from_html("<p>another page", "https://example.org/2").flat)
    return site_statistics(snapshot(template, 1))


def judge(page):
    site, blocks = small_site(page), text_blocks(page.flat)
    return [(page.flat, blocks, known, learned) for known, learned in ((None, False), (site, True), (site, False))]


def judge_blind(page):
    return [(page.flat, text_blocks(page.flat))]


def kept_from(page):
    chars = text_blocks(page.flat).chars
    return [(chars, [i * step % 97 / 96 for i in range(len(chars))]) for step in (0, 1, 7, 31, 96)] + [
        ([], []),
        (chars, [0.5] * len(chars)),
    ]


def chance(page):
    size = len(page.flat)
    return [(name, [(size * i) % 7 / 3 for i in range(len(forest.names))]) for name, forest in load_model().items()]


def read_words(page):
    return [(page.text((0,)).lower(),)]


def majority(page):
    return [
        (read[1],) for read in [TWINS["sitecrawl.crawl.digest.read_words"](*read_words(page)[0])] if len(read[1]) > 2
    ]


GIVEN = {
    "sitecrawl.dom.flat.flatten": flatten,
    "sitecrawl.dom.telling_elements.telling_elements": telling_elements,
    "sitecrawl.dom.atomic.atomic_blocks": atomic_blocks,
    "sitecrawl.templates.trie.count_page": count_page,
    "sitecrawl.extractors.combined.block_classifier.judge": judge,
    "sitecrawl.extractors.combined.block_classifier.judge_blind": judge_blind,
    "sitecrawl.extractors.combined.block_classifier.chance": chance,
    "sitecrawl.extractors.combined.choice.kept_from": kept_from,
    "sitecrawl.crawl.digest.read_words": read_words,
    "sitecrawl.crawl.digest.majority": majority,
}
"""Functions that make the arguments of each twin from a page."""


def plain(found):
    """Return a value that can be compared."""
    if isinstance(found, tuple) and found and isinstance(found[0], list):
        return [plain(one) for one in found]
    if isinstance(found, list) and found and isinstance(found[0], TemplateNode):
        return [[getattr(node, name) for name in TemplateNode.__slots__] for node in found]
    if is_dataclass(found):
        return {field.name: getattr(found, field.name) for field in fields(found)}
    return found


@pytest.fixture(autouse=True)
def _switched_on():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(twins.VARIABLE, raising=False)
        twins.choose()
        yield
    twins.choose()


def test_all_functions_with_a_twin_are_tested_here():
    assert set(GIVEN) == set(TWINS)
    assert {f'"{one.module}"' for one in TWINS.values()} <= set(SETUP.read_text("utf-8").replace(",", " ").split())


@pytest.mark.parametrize("name", GIVEN)
def test_the_twin_is_built_and_runs(name):
    one = TWINS[name]
    assert one.problem is None
    assert one.is_compiled
    assert list(signature(one.compiled).parameters) == list(signature(one.reference).parameters)
    one(*GIVEN[name](Page.from_html(GOLDEN[0].read_bytes(), "https://example.org/"))[0])
    assert one.runs is one.compiled


@pytest.mark.parametrize("name", GIVEN)
def test_it_is_switched_off(name, monkeypatch):
    one = TWINS[name]
    given = GIVEN[name](Page.from_html(GOLDEN[0].read_bytes(), "https://example.org/"))[0]
    assert not twins.choose("off")
    one(*given)
    assert one.runs is one.reference
    assert not one.is_compiled
    monkeypatch.setenv(twins.VARIABLE, "off")
    assert not twins.choose()
    one(*given)
    assert one.runs is one.reference
    monkeypatch.delenv(twins.VARIABLE)
    assert twins.choose()
    one(*given)
    assert one.runs is one.compiled


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_agrees_on_golden_pages(path):
    page = Page.from_html(path.read_bytes(), "https://example.org/")
    for name, given in GIVEN.items():
        for one, other in zip(given(page), given(page), strict=True):
            assert plain(TWINS[name].compiled(*one)) == plain(TWINS[name].reference(*other)), name


def test_a_twin_that_is_not_there_is_no_failure(monkeypatch):
    monkeypatch.setattr(twins, "_TWINS", {})

    @twins.twin("sitecrawl._nothing")
    def doubled(number):
        """Return twice a number."""
        return 2 * number

    assert doubled(2) == 4
    assert not doubled.is_compiled
    assert "cannot be loaded" in doubled.problem
    assert doubled.__doc__ == "Return twice a number."


def test_a_twin_that_fails_its_check_does_not_run(monkeypatch):
    monkeypatch.setattr(twins, "_TWINS", {})

    @twins.twin("math", lambda found: "it disagrees" if found(4) == 2 else None)
    def sqrt(number):
        return -number

    assert sqrt(4) == -4
    assert sqrt.problem == "it disagrees"
