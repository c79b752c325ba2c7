"""Training reads pages without their trees, labels their blocks by their gold, and divides sites into folds."""

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "training"


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Return a function that imports a module of the training, whose modules are no package."""
    monkeypatch.syspath_prepend(TRAINING)
    yield importlib.import_module
    for file in TRAINING.glob("*.py"):
        sys.modules.pop(file.stem, None)


def test_a_stored_page_has_the_facts_that_combined_reads(training):
    modules = (ROOT / "sitecrawl/extractors/combined").glob("*.py")
    read = {name for module in modules for name in re.findall(r"\bpage\.([a-z_]+)", module.read_text("utf-8"))}
    facts = {"url", *training("training_sites").FACTS}
    assert "stated_texts" in read
    assert read <= facts, f"FACTS of training/training_sites.py lacks {sorted(read - facts)}"


def test_new_entries_of_manuals_replace_those_of_the_same_name(training):
    manuals = training("manuals")
    blog, old, new = {"name": "blog"}, {"name": "ant", "pages": 9}, {"name": "ant", "pages": 70}
    assert manuals.with_entries([blog, old], [new]) == [blog, new]
    assert manuals.with_entries([], [new]) == [new]


def test_a_manual_that_the_table_does_not_have_is_a_usage_error(training, monkeypatch, capsys, tmp_path):
    manuals = training("manuals")
    monkeypatch.setattr(sys, "argv", ["manuals.py", str(tmp_path / "sites"), "no_such_manual"])
    with pytest.raises(SystemExit) as stopped:
        manuals.main()
    assert stopped.value.code == 2
    assert "manuals.toml has no manual no_such_manual" in capsys.readouterr().err
    assert not (tmp_path / "sites").exists()


def test_blocks_are_labelled_by_their_words_and_short_ones_by_the_words_beside_them(training):
    gold = "The first paragraph of the story is here. Read more. The second paragraph ends it."
    texts = [
        "Home and more links of the menu",
        "The first paragraph of the story is here.",
        "Read more",  # in the gold after the first paragraph
        "The second paragraph ends it.",
        "Another story of the same day, which is elsewhere",
        "Read more",
    ]
    assert training("labels").labels_of_text(texts, gold).tolist() == [False, True, True, True, False, False]


def test_blocks_of_scripts_without_spaces_are_labelled_by_runs_of_characters(training):
    gold = "これは最初の段落で、ここに長い本文があります。次の段落もあります。"
    texts = ["ホームとメニューの項目です", "これは最初の段落で、ここに長い本文があります。", "次の段落"]
    assert training("labels").labels_of_text(texts, gold).tolist() == [False, True, True]


def test_sites_of_one_generator_are_in_one_fold_but_not_those_of_themes(training):
    def site(name: str, generator: str, collection: str = "sites"):
        return training("training_sites").Site(name, collection, [], {}, {}, generator=generator)

    folds = training("folds")
    assert folds.group_of(site("a", "Sphinx 7.2")) == folds.group_of(site("b", "jupyter 5")) == "sphinx"
    assert folds.group_of(site("a", "WordPress 6")) == "a"
    manuals = [site(name, "Sphinx 7") for name in "abc"]
    blogs = [site(name, "WordPress") for name in "xyz"]
    found = folds.split([*manuals, *blogs], 2)
    assert sorted(len(fold) for fold in found) == [3, 3]
    assert manuals in found


def test_a_site_of_two_page_sets_is_in_one_fold(training):
    def site(name: str, collection: str):
        return training("training_sites").Site(name, collection, [], {}, {})

    sites = [site(name, collection) for collection in ("one", "two") for name in ("a.example", "b.example")]
    for fold in training("folds").split(sites, 2):
        assert len(fold) == 2
        assert len({site.name for site in fold}) == 1
