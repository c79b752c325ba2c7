import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.extractors.combined.page_features import PAGE_NAMES, page_figures, url_figures

from ...dom.trees import page

PAGE = page(
    "<ul><li><a href=/1>One</a></li><li><a href=/2>Two</a></li></ul>"
    "<div><h2>Head</h2><p>First paragraph of the text.</p><p>Second paragraph of the text.</p></div>"
)
CHANCES = [0.1, 0.2, 0.6, 0.9, 0.8]


def test_figures_of_a_page():
    blocks = text_blocks(PAGE.flat)
    found = dict(zip(PAGE_NAMES, page_figures(PAGE, blocks, CHANCES, 0.5, [1.0, 1.0, 0.5, 0.0, 0.0], 9), strict=True))
    assert found["block_share"] == 3 / 5
    assert found["link_share"] == 0
    assert found["page_link_share"] == 6 / sum(blocks.chars)
    assert found["headings"] == 1 / 3
    assert found["switches"] == 1 / 5
    assert found["repeated"] == 0.5 * 4 / sum(blocks.chars[2:])
    assert found["anchors"] == found["linked_headings"] == 0
    nothing = dict(zip(PAGE_NAMES, page_figures(PAGE, blocks, [0.0] * 5, 0.5, [-1.0] * 5, 0), strict=True))
    assert nothing["log_kept"] == nothing["kept_share"] == nothing["log_repeats"] == 0


def test_teasers_repeat_and_paragraphs_do_not():
    def repeats(html):
        parsed = page(html)
        blocks = text_blocks(parsed.flat)
        figures = page_figures(parsed, blocks, [0.9] * len(blocks), 0.5, [-1.0] * len(blocks), 0)
        return figures[PAGE_NAMES.index("log_repeats")]

    teaser = "<div class=t><h3><a href=/x>Head</a></h3><p>A few words.</p></div>"
    assert repeats(teaser * 8) > 2 > repeats(f"<div><h1>Head</h1>{'<p>A few words.</p>' * 8}</div>")


def test_what_a_url_says():
    def said(url):
        found = dict(zip(PAGE_NAMES[PAGE_NAMES.index("url_root") :][:11], url_figures(url), strict=True))
        return {name for name, value in found.items() if value}

    assert said("https://example.org/") == {"url_root", "url_folder"}
    assert {"url_listing", "url_folder"} <= said("https://example.org/tag/boats/")
    assert {"url_page", "url_listing"} <= said("https://example.org/blog/page/3")
    assert "url_listing" not in said("https://example.org/pages/about-us")
    assert "url_listing" not in said("https://example.org/manual/page-3")
    assert {"url_query", "url_article"} <= said("https://example.org/viewtopic.php?t=12")
    assert {"url_date", "url_hyphens"} <= said("https://example.org/2024/05/a-long-title.html")


@pytest.mark.parametrize(("url", "front"), [("https://a.example/", 1.0), ("https://page.invalid/", 0.0), ("", 0.0)])
def test_a_page_without_url_is_no_front_page(url, front):
    assert url_figures(url)[0] == front
