"""Text and links in declarative shadow roots, which are templates that browsers show."""

import pytest

from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Kind, get_extractor

TEXT = "".join(f"<p>Paragraph {i} of the article is long enough to be prose, and it has a stop.</p>" for i in range(6))


def page(body):
    return Page.from_html(f"<html><head><title>Snow</title></head><body>{body}</body></html>", "https://a.example/b")


@pytest.mark.parametrize("root", ["shadowrootmode=open", 'shadowrootmode="closed"', "shadowroot=OPEN"])
def test_the_text_and_the_links_of_a_shadow_root_are_read(root):
    one = page(f"<my-article><template {root}><h1>Snow</h1>{TEXT}<a href=/more>More</a></template></my-article>")
    found = get_extractor("combined").extract(one)
    assert found.kind is Kind.CONTENT
    assert "Paragraph 5 of the article" in one.text(found.nodes)
    assert "<p>Paragraph 0 of the article" in one.html(found.nodes)
    assert "# Snow" in markdown(one.html(found.nodes))
    assert [href for _, href, _ in one.flat.anchors] == ["/more"]


def test_shadow_roots_inside_shadow_roots_are_read():
    inner = "<b-c><template shadowrootmode=open><p>Deep</p></template></b-c>"
    one = page(f"<a-b><template shadowrootmode=open><p>High</p>{inner}</template><p>Light</p></a-b>")
    assert one.text((0,)) == "High\nDeep\nLight"


def test_a_shadow_root_that_begins_the_body_without_tags_is_read():
    one = Page.from_html(
        "<title>Snow</title><a-b><template shadowrootmode=open><p>Snow</p></template></a-b>", "http://a.b"
    )
    assert one.text((0,)) == "Snow"


@pytest.mark.parametrize("mark", ["", "shadowrootmode", "shadowrootmode=other", "id=open"])
def test_other_templates_are_never_shown(mark):
    one = page(f"<p>Shown</p><template {mark}><p>Not shown</p><a href=/c>c</a></template>")
    assert one.text((0,)) == "Shown"
    assert not one.flat.anchors


def test_a_shadow_root_inside_another_template_is_not_shown():
    assert page("<template><a-b><template shadowrootmode=open>No</template></a-b></template>").text((0,)) == ""
