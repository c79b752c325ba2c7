"""Names whose addresses change between crawls or within one: only public addresses are connected to.

`tests/rebinding` has the cases. They need a network namespace, as root or another user may make it; without one this
test fails, for then nobody knows. CI plays some 65 crawls; `make drill ONLY=OP-17` plays 100 and all forms of addresses.
"""

from tests.rebinding import namespace


def test_a_name_that_changes_leads_a_crawl_nowhere_inside(tmp_path):
    played = namespace.play(tmp_path)
    assert played["wrong"] == {}
    assert played["crawls"] >= 60
