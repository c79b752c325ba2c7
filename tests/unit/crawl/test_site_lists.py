import pytest

from sitecrawl.crawl.site_lists import MOST_PAGES, BadLine, ListedSite, read_sites, site_options
from sitecrawl.errors import ConfigError


def read(text, **given):
    return list(read_sites(text.splitlines(), "host", given))


def test_one_url_a_line():
    found = read("\ufeffhttps://A.example/start\n\n# a comment\n  http://www.b.example:8080 \n")
    assert found == [
        ListedSite(1, "a.example", "https://a.example/start", {}),
        ListedSite(4, "b.example:8080", "http://www.b.example:8080/", {}),
    ]


def test_a_url_with_commas_is_no_csv():
    (found,) = read("https://a.example/1,2,3")
    assert found.start_url == "https://a.example/1,2,3"


def test_csv_with_a_header_in_any_order():
    text = (
        "every,URL,max_pages,include,exclude\n"
        '6h-2d,https://a.example/,500,/news/,"/tag/ a{1,2}b"\n'
        ",https://b.example/,,,\n"
        "1d,https://c.example/\n"
    )
    found = read(text, recrawl_min_interval=60, recrawl_max_interval=120)
    assert [one.line for one in found] == [2, 3, 4]
    assert found[0].options == {
        "recrawl_min_interval": 21_600,
        "recrawl_max_interval": 172_800,
        "max_pages": 500,
        "include": ["/news/"],
        "exclude": ["/tag/", "a{1,2}b"],
    }
    assert found[1].options == {"recrawl_min_interval": 60, "recrawl_max_interval": 120}
    assert found[2].options == {"recrawl_min_interval": 86_400, "recrawl_max_interval": 86_400}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("https://,1d,,,", "give a start URL"),
        ("ftp://a.example/,1d,,,", "not an absolute http or https URL"),
        ("https://a.example/,often,,,", "is not an interval"),
        ("https://a.example/,2d-1d,,,", "the shortest first"),
        ("https://a.example/,,many,,", "max_pages 'many' cannot be used"),
        ("https://a.example/,,-1,,", "max_pages '-1' cannot be used"),
        ("https://a.example/,,,(,", r"include '\(' is not a regular expression"),
        ("https://a.example/,,,,*", r"exclude '\*' is not a regular expression"),
        ("https://a.example/,,,,,more", "6 cells for 5 columns"),
        ('https://a.example/,,,"x,', "not CSV"),
        ("", ""),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_harms_no_other(line, reason):
    header = "url,every,max_pages,include,exclude"
    found = read(f"{header}\nhttps://first.example/\n{line}\nhttps://last.example/\n")
    assert [one.host for one in found if isinstance(one, ListedSite)] == ["first.example", "last.example"]
    bad = [one for one in found if isinstance(one, BadLine)]
    if line:
        assert [one.line for one in bad] == [3]
        with pytest.raises(ConfigError, match=reason):
            raise ConfigError(bad[0].reason)
    else:
        assert bad == []


def test_an_unknown_column_is_no_guess():
    with pytest.raises(ConfigError, match="the column 'maxpages' is unknown; the columns are url, every"):
        read("url,maxpages\nhttps://a.example/,5\n")


def test_sites_of_a_domain():
    found = list(read_sites(["https://blog.a.example.co.uk/"], "domain", {}))
    assert [one.host for one in found] == ["example.co.uk"]


def test_empty_columns_are_no_options():
    assert site_options(None, None, None, None) == {}
    assert site_options("", "", " ", "") == {}


@pytest.mark.parametrize(
    ("pages", "allowed"), [("0", True), (MOST_PAGES, True), (MOST_PAGES + 1, False), ("-1", False)]
)
def test_a_site_may_have_so_many_pages(pages, allowed):
    if allowed:
        assert site_options(None, str(pages), None, None) == {"max_pages": int(pages)}
    else:
        with pytest.raises(ConfigError, match="a whole number from 0 to"):
            site_options(None, str(pages), None, None)


@pytest.mark.parametrize(
    ("header", "word"), [("url;every", "semicolons"), ("every\turl", "tabs"), ('"url";"every"', "semicolons")]
)
def test_a_list_with_other_separators_than_commas_adds_no_site_with_a_cell_in_its_url(header, word):
    with pytest.raises(ConfigError, match=f"separated by {word}; separate the cells of the list by commas"):
        read(f"{header}\nhttps://a.example/;1d")


def test_a_url_with_a_semicolon_is_no_header():
    (found,) = read("https://a.example/url;url")
    assert found.start_url == "https://a.example/url;url"


def test_a_column_that_is_there_twice_is_refused():
    with pytest.raises(ConfigError, match="the column 'url' is there twice"):
        read("url,url\nhttps://a.example/,https://b.example/")


def test_a_line_that_is_not_utf8_is_refused_and_not_guessed():
    lines = b"# caf\xe9\nhttps://a.example/caf\xe9\nhttps://b.example/\n".decode(errors="surrogateescape")
    bad, good = read(lines)
    assert bad == BadLine(2, "not text in UTF-8; save the list in this encoding, or write the URL with %XX")
    assert good.start_url == "https://b.example/"
