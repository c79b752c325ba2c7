"""Versions of a site: only changed chunks are sent again, even if processes are killed in between."""

import random

from tests.integration.chunk_versions import Site, versions
from tests.integration.server import SiteServer, small_site


def test_exactly_the_chunks_that_changed_are_sent_again(tmp_path, sqlite_url):
    with SiteServer(small_site(14)) as server:
        site = Site(server, "/index.html")
        second, third = versions(site, tmp_path, sqlite_url, random.Random(4), kill_after=8)
    for one in (second, third):
        assert (one.gone, one.kills) == (2, 2)
        assert one.changed == one.exported >= one.edits >= 3
        assert one.elsewhere == 0
        assert one.repeated > 0
