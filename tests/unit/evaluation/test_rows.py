"""Tests of the rows of an evaluation, and of the sites that it takes."""

import pytest

from sitecrawl.errors import ConfigError, ExtractorError
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.evaluation.rows import chosen_sites, extractor_of, row_names

SITES = [GoldSite("sites", name, ()) for name in ("delta", "alpha", "charlie", "bravo", "echo")]


def test_a_method_without_options_is_one_row():
    assert row_names(("cnr", "webconex"), ()) == ["cnr", "webconex"]


def test_each_value_of_an_option_is_a_row_and_several_options_are_combined():
    given = ("webconex.size=2", "webconex.branch=False", "webconex.size=8", "cnr.share=0.2")
    assert row_names(("cnr", "temex", "webconex"), given) == [
        "cnr share=0.2",
        "temex",
        "webconex branch=False size=2",
        "webconex branch=False size=8",
    ]


def test_the_name_of_a_row_makes_its_method():
    method = extractor_of("webconex branch=False equality=tag+children size=8")
    assert (method.branch, method.equality.children, method.size) == (False, True, 8)
    (name,) = row_names(("crunch",), ("crunch.settings=my own.toml",))
    with pytest.raises(ConfigError, match=r"my own\.toml"):
        extractor_of(name)
    with pytest.raises(ExtractorError, match="sized"):
        extractor_of("webconex sized=8")


@pytest.mark.parametrize("given", ["size=2", "webconex.size", "webconex.=2", "temex.size=2"])
def test_an_option_of_another_form_is_an_error(given):
    with pytest.raises(ConfigError, match="-o"):
        row_names(("webconex",), (given,))


@pytest.mark.parametrize(
    ("patterns", "fold", "names"),
    [
        (None, None, ["delta", "alpha", "charlie", "bravo", "echo"]),
        ("alpha,*o", None, ["alpha", "bravo", "echo"]),
        (None, "1/2", ["alpha", "charlie", "echo"]),
        (None, "2/2", ["delta", "bravo"]),
        ("*a*", "2/3", ["bravo"]),
    ],
)
def test_sites_are_chosen_by_name_and_by_fold(patterns, fold, names):
    """Folds are chosen by name: alpha, bravo, charlie, delta, echo."""
    assert [site.name for site in chosen_sites(SITES, patterns, fold)] == names


@pytest.mark.parametrize(("patterns", "fold"), [("zulu", None), (None, "3/2"), (None, "0/2"), (None, "half")])
def test_a_choice_without_a_site_is_an_error(patterns, fold):
    with pytest.raises(ConfigError, match=r"--sites|--fold"):
        chosen_sites(SITES, patterns, fold)
