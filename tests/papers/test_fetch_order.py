"""The comparison of a crawl's order with that of selection, on a small recorded site."""

import gzip
import json

from tests.integration.test_order import SELECTED, tiny_site

from .fetch_order import main, selected


def test_the_order_of_selection_by_the_pages_alone():
    order = selected(tiny_site(), "http://example.org/index.html")
    assert order.paths == ["/index.html", *SELECTED]
    assert order.waiting == len(SELECTED)


def test_a_recorded_site_is_crawled_and_compared(tmp_path, capsys):
    rows = [{"url": f"http://example.org{path}", "html": html} for path, html in tiny_site().items()]
    with gzip.open(tmp_path / "tiny.jsonl.gz", "wt") as lines:
        lines.writelines(f"{json.dumps(row)}\n" for row in rows)
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ("tiny: 8 URLs asked for, 7 waited at the most: the order is that of selection\n")
