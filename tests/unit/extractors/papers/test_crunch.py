"""Tests of the Crunch filters and their settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, get_extractor
from sitecrawl.extractors.papers.crunch import Crunch, filtered, is_listed, removed_nodes
from sitecrawl.extractors.papers.crunch_settings import CrunchSettings, read_settings

from ...dom.trees import is_disjoint_and_sorted, pages

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
    """Home, News and Help stand alone in a cell; one link stands in a cell of 42 words."""
    alone, beside = "Home", "More on foxes"
    assert (alone in text(link_ratio=0.02), beside in text(link_ratio=0.02)) == (False, False)
    assert (alone in text(link_ratio=0.03), beside in text(link_ratio=0.03)) == (False, True)
    assert alone in text(link_ratio=float("inf"))
    assert (alone in text(cells=["th"]), beside in text(cells=["th"])) == (True, True)
    assert beside not in text(link_ratio=0.03, word_length=10)


def test_the_cell_with_the_links_goes_not_the_one_around_it():
    page = Page.from_html(
        f"<table><tr><td><table><tr><td>{'<a href=/x>Menu</a> ' * 40}</td><td>{TEXT}</td></tr></table></td></tr></table>",
        "https://example.org/",
    )
    assert page.text(get_extractor("crunch").extract(page).nodes) == TEXT.strip()


def test_removed_links_are_kept_at_the_end():
    found = filtered(PAGE, CrunchSettings())
    body, _, kept = found.rpartition("<ul>")
    assert "Home" not in body
    assert '<li><a href="https://example.org/1">Home</a></li>' in kept
    assert "<ul>" not in filtered(PAGE, CrunchSettings(retain_links=False))
    lines = filtered(PAGE, CrunchSettings(output="text")).splitlines()
    assert lines[-1] == "Buy two foxes <https://ad.doubleclick.net/x>"
    assert "Home <https://example.org/1>" in lines


def test_removed_links_are_safe_and_lead_somewhere():
    hrefs = ("javascript:alert(1)", "data:text/html,x", "http://[", "/a?b=1&c='2'", "mailto:a@example.org")
    items = "".join(f'<li><a href="{href}">1 &lt; 2</a></li>' for href in hrefs)
    page = Page.from_html(
        f"<body><p>{TEXT}</p><ul>{items}<li><a href=/x><img src=x></a></li></ul>", "https://example.org/"
    )
    kept = filtered(page, CrunchSettings()).partition("<ul>")[2]
    assert kept == (
        '<li><a href="https://example.org/a?b=1&amp;c=&#x27;2&#x27;">1 &lt; 2</a></li>'
        '<li><a href="mailto:a@example.org">1 &lt; 2</a></li></ul>'
    )


@pytest.mark.parametrize(
    ("address", "listed"),
    [
        ("https://doubleclick.net/x", True),
        ("//ad.doubleclick.net:80/x", True),
        ("https://notdoubleclick.net/", False),
        ("https://net/", False),
        ("/doubleclick.net", False),
        ("http://[", False),
        ("HTTPS://Ad.DoubleClick.NET./x", True),
    ],
)
def test_hosts_are_found_by_their_domain(address, listed):
    assert is_listed(address, {"doubleclick.net"}) is listed


def test_more_hosts_stand_beside_the_list_or_replace_it():
    page = Page.from_html(
        f"<p>{TEXT}</p><p><a href=//ads.example/x>One</a> <a href=//zedo.com/>Two</a></p>", "https://example.org/"
    )
    both = [
        get_extractor("crunch", **more)
        for more in ({"more_advertisers": ["Ads.Example"]}, {"advertisers": [".ads.example"]})
    ]
    found = [page.text(method.extract(page).nodes).replace(TEXT.strip(), "").strip() for method in both]
    assert found == ["", "Two"]


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
        ("link_ratio = nan", "link_ratio is nan"),
        ("link_ratio = true", "link_ratio is True"),
        ("word_length = 0", "word_length is 0"),
        ("table_chars = 2.5", "table_chars is 2.5"),
        ("table_chars = inf", "table_chars is inf"),
        ("cells = [1]", "give a list of names"),
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
    with pytest.raises(ConfigError, match="3 cannot be read"):
        get_extractor("crunch", settings=3)
    with pytest.raises(ConfigError, match="no setting 'color'"):
        get_extractor("crunch", color=1)


def test_nothing_left_is_no_content():
    page = Page.from_html("<body><ul><li><a href=/1>One</a></li></ul>", "https://example.org/")
    assert get_extractor("crunch").extract(page).kind is Kind.NONE


@given(pages(), st.booleans(), st.sampled_from((0.0, 0.25, 10.0)))
def test_texts_are_kept_or_removed_and_never_both(page, empty_tables, ratio):
    method = Crunch(link_ratio=ratio, empty_tables=empty_tables)
    flat, gone = page.flat, removed_nodes(page, method.settings)
    nodes = method.extract(page).nodes
    assert is_disjoint_and_sorted(flat, nodes)
    assert all(gone[i] for i in range(1, len(flat)) if gone[flat.parent[i]])
    kept = {i for node in nodes for i in range(node, flat.end[node]) if flat.tag[i] == "#text"}
    assert kept == {i for i, name in enumerate(flat.tag) if name == "#text" and not gone[i]}
