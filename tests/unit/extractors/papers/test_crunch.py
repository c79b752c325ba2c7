"""Tests of the Crunch filters and their settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, get_extractor
from sitecrawl.extractors.papers.crunch import Crunch
from sitecrawl.extractors.papers.crunch_filters import filtering, is_listed
from sitecrawl.extractors.papers.crunch_output import filtered_page
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
    assert "Our sponsor" in text(ignored_attributes=["data-ad"])
    few = {**everything, "empty_tables": True, "table_chars": 20}
    assert "Search now" not in text(**{**few, "substantive_tags": []})
    assert "Search now" in text(**few)  # the input gives the table substance


def test_the_link_ratio_decides_which_cells_go():
    """Home, News and Help are alone in a cell; one link is in a cell of 42 words."""
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
    found = filtered_page(PAGE, CrunchSettings())
    body, _, kept = found.rpartition("<ul>")
    assert "Home" not in body
    assert '<li><a href="https://example.org/1">Home</a></li>' in kept
    assert "Buy two foxes" not in found
    assert "<ul>" not in filtered_page(PAGE, CrunchSettings(retain_links=False))
    lines = filtered_page(PAGE, CrunchSettings(output="text")).splitlines()
    assert lines[-3:] == [f"{name} <https://example.org/{i}>" for i, name in enumerate(("Home", "News", "Help"), 1)]


def test_removed_links_are_safe_and_lead_somewhere():
    hrefs = ("javascript:alert(1)", "data:text/html,x", "http://[", "/a?b=1&c='2'", "mailto:a@example.org")
    items = "".join(f'<li><a href="{href}">1 &lt; 2</a></li>' for href in hrefs)
    page = Page.from_html(
        f"<body><p>{TEXT}</p><ul>{items}<li><a href=/x><img src=x></a></li></ul>", "https://example.org/"
    )
    kept = filtered_page(page, CrunchSettings()).partition("<ul>")[2]
    assert kept == (
        "<li><a href=\"https://example.org/a?b=1&amp;c='2'\">1 &lt; 2</a></li>"
        '<li><a href="mailto:a@example.org">1 &lt; 2</a></li></ul></body></html>'
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
    with pytest.raises(ConfigError, match="settings is 3; give a text"):
        get_extractor("crunch", settings=3)
    with pytest.raises(ConfigError, match="no setting 'color'"):
        get_extractor("crunch", color=1)


def test_nothing_left_is_no_content():
    page = Page.from_html("<body><ul><li><a href=/1>One</a></li></ul>", "https://example.org/")
    assert get_extractor("crunch", leave_portals=False).extract(page).kind is Kind.NONE
    assert get_extractor("crunch").extract(page).kind is Kind.LISTING


@given(pages(), st.booleans(), st.sampled_from((0.0, 0.25, 10.0)))
def test_texts_are_kept_or_removed_and_never_both(page, empty_tables, ratio):
    method = Crunch(link_ratio=ratio, empty_tables=empty_tables)
    flat, gone = page.flat, filtering(page, method.settings).gone
    nodes = method.extract(page).nodes
    assert is_disjoint_and_sorted(flat, nodes)
    assert all(gone[i] for i in range(1, len(flat)) if gone[flat.parent[i]])
    kept = {i for node in nodes for i in range(node, flat.end[node]) if flat.tag[i] == "#text"}
    assert kept == {i for i, name in enumerate(flat.tag) if name == "#text" and not gone[i]}


LAID_OUT = Page.from_html(
    f"""<!DOCTYPE html><html><head><title>Foxes</title><link rel=stylesheet href=/s.css>
<style>p {{ color: red }}</style><script src=/app.js></script></head><body class=wide>
<table><tr><td width=100 class=menu><a href=/1>Home</a> <a href=/2>News</a></td>
<td width=500><p class=lead>{TEXT * 3}<img src=/fox.png> and <a href=//zedo.com/x><b>an ad</b></a> so on.</p>
<iframe src=https://ad.doubleclick.net/frame></iframe></td></tr></table></body></html>""",
    "https://example.org/foxes/",
)


def test_the_output_is_the_page_itself_without_what_was_removed():
    found = filtered_page(LAID_OUT, CrunchSettings(retain_links=False))
    for kept in ("<title>Foxes</title>", 'rel="stylesheet"', "color: red", '<body class="wide">', '<p class="lead">'):
        assert kept in found
    assert '<base href="https://example.org/foxes/">' in found
    for gone in ("Home", "menu", "fox.png", "zedo.com", "an ad", "doubleclick", "app.js"):
        assert gone not in found
    assert " and  so on.</p>" in found  # the text after a removed element stays
    assert found.startswith("<!DOCTYPE html>")
    assert "Home" in LAID_OUT.text((0,))  # the page itself is not touched


def test_attributes_are_removed_and_their_elements_stay():
    assert 'width="500"' in filtered_page(LAID_OUT, CrunchSettings())
    for name, left in (("width", 0), ("td.width", 0), ("th.width", 1)):
        found = filtered_page(LAID_OUT, CrunchSettings(ignored_attributes=frozenset((name,))))
        assert found.count("width=") == left
        assert "The quick brown fox" in found


def test_a_cell_is_emptied_if_it_is_to_stay():
    found = filtered_page(LAID_OUT, CrunchSettings(remove_cells=False, retain_links=False))
    assert '<td width="100" class="menu"></td>' in found


def test_a_form_around_the_page_stays_and_its_fields_go():
    body = f"<form action=/p><input name=state><div><p>{TEXT * 3}</p></div><button>Go on, reader</button></form>"
    page = Page.from_html(f"<body>{body}<p>Imprint</p></body>", "https://example.org/")
    method = get_extractor("crunch")
    assert page.text(method.extract(page).nodes) == f"{TEXT * 3}".strip() + "\nImprint"
    assert "<form" in method.filtered(page)
    assert "<input" not in method.filtered(page)
    assert get_extractor("crunch", frame_share=1).extract(page).kind is Kind.CONTENT
    assert page.text(get_extractor("crunch", frame_share=0.99).extract(page).nodes) == "Imprint"


def test_a_portal_of_links_is_left_as_it_is():
    links = "".join(f"<li><a href=/{i}>A page about the number {i}</a></li>" for i in range(30))
    page = Page.from_html(f"<body><div><ul>{links}</ul></div><p>Links</p></body>", "https://example.org/")
    assert "A page about the number 7" in page.text(get_extractor("crunch").extract(page).nodes)
    assert get_extractor("crunch").filtered(page).count("<li>") == 30
    bare = get_extractor("crunch", leave_portals=False)
    assert page.text(bare.extract(page).nodes) == "Links"
    assert bare.filtered(page).count("<li>") == 30  # the list of removed links
