"""The bad web's sick hosts, pages and folders: one host's trouble is its own, and an outage costs no page."""

import pytest
from sqlalchemy import text

from sitecrawl.storage.pages import PageStatus
from tests.badweb.server import BadWeb
from tests.badweb.sick import BROKEN, FOLDER, HIDDEN, VARIANTS, sick_web
from tests.integration.test_badweb import Crawl
from tests.integration.test_crawl import read

pytestmark = pytest.mark.badweb

ONE_AT_ONCE = ("-s", "CONCURRENT_REQUESTS=1", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
RUNS = 3


@pytest.fixture(scope="module")
def sick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sick")
    with sick_web() as web:
        runs = [Crawl(web, folder, "-s", "SITECRAWL_TRAP_PAGES=3", "-s", "RETRY_TIMES=1") for _ in range(RUNS)]
    return web, runs


def ends(crawl, begin):
    return {path: (status, reason or "") for path, status, reason in crawl.pages if path.startswith(begin)}


def test_a_healthy_site_with_sick_things_ends_with_all_that_is_healthy(sick):
    web, runs = sick
    assert [run.code for run in runs] == [0] * RUNS, runs[-1].log[-2000:]
    for run in runs:
        assert web.good - {"/"} - set(run.texts) == set()
        assert "Traceback" not in run.log
        assert "has not answered since" not in run.log
    assert not {row["url"] for run in runs[1:] for row in run.rows if row["status"] == "gone"}
    assert web.forbidden.connects == 0


def test_sick_variants_fail_alone(sick):
    web, runs = sick
    for run in runs:
        found = ends(run, "/sick-variant/")
        assert found.pop("/sick-variant/")[0] is PageStatus.FETCHED or "/sick-variant/" in run.texts
        assert len(found) == VARIANTS + 1
        assert {status for status, _ in found.values()} == {PageStatus.ERROR}
    assert web.hosts == {f"{web.host}:{web.port}"}


def test_pages_that_a_sick_variant_hides_are_stored(sick):
    web, runs = sick
    for run in runs:
        assert len(run.below("sick-spelling")) == 1 + HIDDEN
    assert all(web.asked("sick-spelling").count(f"hidden-{i}") <= RUNS for i in range(HIDDEN))


def test_a_year_of_patience_is_kept(sick):
    web, _ = sick
    assert len(web.asked("sick-page")) == 1
    assert len([one for one in web.asked("sick-folder") if one]) == FOLDER


def test_broken_pages_behind_a_trap_are_no_outage(sick):
    web, runs = sick
    found = ends(runs[0], "/sick-broken/")
    assert len(found) == BROKEN
    assert {status for status, _ in found.values()} == {PageStatus.ERROR}
    assert len(web.asked("sick-after-trap")) <= 150


@pytest.mark.parametrize(("more", "most"), [(ONE_AT_ONCE, 10), ((), 10 + 7)], ids=["one at once", "eight at once"])
def test_an_outage_opens_the_breaker_after_ten_requests_and_changes_no_page(tmp_path, more, most):
    settings = ("-s", "RETRY_TIMES=0", "-s", "SITECRAWL_OUTAGE_PATIENCE=1", *more)
    with BadWeb({}, articles=60) as web:
        assert Crawl(web, tmp_path, *settings).code == 0
        before = states(tmp_path)
        web.down = True
        web.log.clear()
        down = Crawl(web, tmp_path, *settings)
        asked = [target for target in web.log if target != "/robots.txt"]
        tests = down.stat("sitecrawl/outage/probes")
        assert 10 <= len(asked) - tests <= most, asked
        assert 1 <= tests <= 3
        assert down.code == 1
        assert "has not answered since" in down.log
        assert states(tmp_path) == before
        web.down = False
        assert Crawl(web, tmp_path, *settings).code == 0
    assert states(tmp_path).keys() == before.keys()


def states(folder):
    with read(f"sqlite:///{folder}/bad.db") as connection:
        found = connection.execute(text("SELECT url, status, reason, errors, strikes FROM page"))
        return {url: tuple(rest) for url, *rest in found}
