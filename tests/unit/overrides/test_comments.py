import pytest

from sitecrawl.overrides.comments import comment_nodes
from tests.unit.dom.trees import page


@pytest.mark.parametrize(
    "names",
    [
        "id=comments",
        "class='a comment-list'",
        "class=commentlist",
        "id=post_comments",
        "class=Comments-Area",
        "id=comment-12",
        "id=disqus_thread",
        "id=respond",
        "class=wp-block-comments",
    ],
)
def test_names_of_comments(names):
    flat = page(f"<p>a<div {names}><p class=comment-body>b</div><p>c").flat
    assert [flat.tag[i] for i in comment_nodes(flat)] == ["div"]


@pytest.mark.parametrize(
    "html",
    [
        "<div class='post comments-open'>a</div>",
        "<div class=no-comments>a</div>",
        "<body class=comments>a</body>",
        "<pre><span class=comment># a</span></pre>",
        "<div class=comments-link>a</div>",
        "<div class=commentary>a</div>",
    ],
)
def test_names_that_only_resemble_comments_are_none(html):
    assert comment_nodes(page(html).flat) == []
