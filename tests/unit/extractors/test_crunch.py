from math import inf

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, get_extractor
from sitecrawl.extractors.crunch import Crunch, filtered, is_listed, link_ratio
from sitecrawl.extractors.crunch_settings import CrunchSettings, read_settings

TEXT = "The quick brown fox jumps over the lazy dog, and does so again on the next day. "
PAGE = Page.from_html(
    f"""<html><body>
<table><tr><td><a href=/1>Home</a> <a href=/2>News</a> <a href=/3>Help</a></td>
<td><p>{TEXT * 3}<a href=/fox>More on foxes</a></p></td></tr></table>
<table><tr><td><form><input name=q><button>Search now, please</button></form></td></tr></table>
<div><p>{TEXT}</p><a href="https://ad.doubleclick.net/x">Buy two foxes</a><p data-ad=1>Our sponsor speaks to you.</p></div>
</body></html>""",
    "https://example.org/",
)


def text(**switches):
    method = get_extractor("crunch", **switches)
    return PAGE.text(method.extract(PAGE).nodes)


def test_the_ratio_of_links_to_words():
    """The vector of ALGORITHMS 13."""
    assert link_ratio(6, 100) == pytest.approx(0.3)
    assert link_ratio(2, 500) == pytest.approx(0.02)
    assert link_ratio(3, 0) == inf
    assert link_ratio(0, 0) == 0


def test_each_filter_is_a_switch():
    everything = {"link_lists": False, "advertisements": False, "empty_tables": False, "ignored_tags": ()}
    assert "Home" in text(**everything)
    assert "Buy two foxes" in text(**everything)
    assert "Search now" in text(**everything)
    assert "Home" not in text(**{**everything, "link_lists": True})
    assert "More on foxes" in text(**{**everything, "link_lists": True})
    assert "Buy two foxes" not in text(**{**everything, "advertisements": True})
    assert "Search now" not in text(**{**everything, "ignored_tags": ["form"]})
    assert "Our sponsor" in text()
    assert "Our sponsor" not in text(ignored_attributes=["data-ad"])
    few = {**everything, "empty_tables": True, "table_chars": 20}
    assert "Search now" not in text(**{**few, "substantive_tags": []})
    assert "Search now" in text(**few)  # the input gives the table substance


def test_the_link_ratio_decides_which_cells_go():
    kept = text(link_ratio=0.0)
    assert "quick brown fox" in kept  # a paragraph is no cell, but the cell around it is
    assert "More on foxes" not in kept or "Home" not in kept
    assert "Home" in text(link_ratio=1e9, cells=["td"]) or "Home" not in text()


def test_removed_links_are_kept_at_the_end():
    found = filtered(PAGE, CrunchSettings())
    body, _, kept = found.rpartition("<ul>")
    assert "Home" not in body
    assert '<li><a href="/1">Home</a></li>' in kept
    assert "<ul>" not in filtered(PAGE, CrunchSettings(retain_links=False))
    lines = filtered(PAGE, CrunchSettings(output="text")).splitlines()
    assert lines[-1] == "Buy two foxes <https://ad.doubleclick.net/x>"
    assert "Home </1>" in lines


@pytest.mark.parametrize(
    ("address", "listed"),
    [
        ("https://doubleclick.net/x", True),
        ("//ad.doubleclick.net:80/x", True),
        ("https://notdoubleclick.net/", False),
        ("https://net/", False),
        ("/doubleclick.net", False),
        ("http://[", False),
    ],
)
def test_hosts_are_found_by_their_domain(address, listed):
    assert is_listed(address, {"doubleclick.net"}) is listed


def test_settings_come_from_a_file_and_by_name(tmp_path):
    file = tmp_path / "crunch.toml"
    file.write_text('link_lists = false\nlink_ratio = 1\nadvertisers = ["ads.example"]\noutput = "text"\n')
    found = read_settings(str(file), {"link_ratio": 2})
    assert (found.link_lists, found.link_ratio, found.advertisers) == (False, 2.0, frozenset({"ads.example"}))
    assert Crunch(settings=str(file)).settings.output == "text"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("link_lists = 1", "link_lists is 1"),
        ("link_ratio = -1", "link_ratio is -1"),
        ('cells = "td"', "give a list of names"),
        ('output = "pdf"', "output is 'pdf'"),
        ("colour = 1", "no setting 'colour'; there are ignored_tags"),
        ("link_lists", "cannot be read"),
    ],
)
def test_bad_settings_name_the_file_and_the_setting(tmp_path, content, message):
    file = tmp_path / "crunch.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=r"crunch\.toml") as error:
        Crunch(settings=str(file))
    assert message in str(error.value)


def test_a_missing_file_and_a_wrong_name_are_errors():
    with pytest.raises(ConfigError, match="no-such-file"):
        Crunch(settings="no-such-file")
    with pytest.raises(ConfigError, match="no setting 'color'"):
        get_extractor("crunch", color=1)


def test_nothing_left_is_no_content():
    page = Page.from_html("<body><ul><li><a href=/1>One</a></li></ul>", "https://example.org/")
    assert get_extractor("crunch").extract(page).kind is Kind.NONE
