"""The worked example of RBM-TD: the pages of RTDM's example."""

from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.rbm_td import common_subtrees, template_roots

from .test_rtdm_td import MENU, A, B


def _positions(flat, common):
    """The maximal template subtrees as places among the children of `body`."""
    children = [i for i in range(len(flat)) if flat.parent[i] == 0]
    return [f"/{children.index(root)}" for root in template_roots(flat, common)]


def test_menu_and_footer_are_template():
    common = common_subtrees([A, B])
    assert _positions(A, common) == _positions(B, common) == ["/0", "/2"]


def test_a_banner_moves_everything():
    banner = flatten(etree.fromstring(f"<body><div>ad</div>{MENU}<div><h1>B7</h1></div><p>foot</p></body>"))
    common = common_subtrees([A, banner])
    assert _positions(A, common) == _positions(banner, common) == []
