"""Traps of the bad web that are crawls of their own: they cost no more than their limit, and honest folders are read."""

import pytest
from sqlalchemy import text

from sitecrawl.links.infinite_spaces import is_invented
from sitecrawl.links.same_answers import WAYS_BACK
from tests import fork
from tests.badweb.answers import random_links
from tests.badweb.server import ANY, BadWeb, Expect
from tests.badweb.traps import calendar, facets_text
from tests.integration.test_badweb import Crawl
from tests.integration.test_crawl import MODULE, environment, read

pytestmark = pytest.mark.badweb


def deeper(visit):
    visit.answer(visit.page("".join(f'<a href="{visit.random.getrandbits(48):x}/">l{i}</a> ' for i in range(40))))


@pytest.mark.parametrize("trap", [random_links, deeper])
def test_a_folder_that_answers_any_url_with_new_links_is_closed_and_the_site_is_whole(trap, tmp_path):
    with BadWeb({"random-links": (trap, Expect(ANY))}, articles=120) as web:
        crawl = Crawl(web, tmp_path)
        asked = web.asked("random-links")
        assert len(asked) <= 150
        assert sum(target.startswith("sitecrawl-asks-") for target in asked) == 1
        lists = ("/random-links/", "/cases-")
        assert {path for path in crawl.texts if not path.startswith(lists)} == web.good - {"/"}
    assert crawl.code == 0, crawl.log[-2000:]
    left = [reason for _, _, reason in crawl.pages if reason and reason.startswith("a trap: ")]
    assert len(left) > 1000
    assert len(set(left)) == 1


LIMITS = {"random-links": 150, "deeper": 150, "calendar": 250, "facets-text": 300}
"""Most requests into each trap, with the settings as they come, over three runs together."""


def trapped_web():
    cases = {"random-links": random_links, "deeper": deeper, "calendar": calendar, "facets-text": facets_text}
    return BadWeb({name: (answer, Expect(ANY)) for name, answer in cases.items()}, articles=60)


def asked_of_traps(web):
    return {name: len(web.asked(name)) for name in LIMITS}


def closed(folder):
    with read(f"sqlite:///{folder}/bad.db") as connection:
        found = connection.execute(text("SELECT place, reason FROM closed ORDER BY place")).all()
    return {place.removeprefix("http://").partition("/")[2]: reason for place, reason in found}


def test_traps_cost_no_more_than_their_limit_over_three_runs_together(tmp_path):
    told = ("-s", "SITECRAWL_MAX_QUERY_VARIANTS=200")
    with trapped_web() as web:
        runs = [Crawl(web, tmp_path, *told)]
        first = asked_of_traps(web)
        known = closed(tmp_path)
        runs += [Crawl(web, tmp_path, *told) for _ in range(2)]
        asked = asked_of_traps(web)
        assert all(asked[name] <= most for name, most in LIMITS.items()), (first, asked)
        database = f"SITECRAWL_DATABASE_URL=sqlite:///{tmp_path}/bad.db"
        line = [*MODULE, "pages", f"127.0.0.1:{web.port}", "--closed", "-s", database]
        listed = fork.run(line, capture_output=True, text=True, env=environment())
    assert [run.code for run in runs] == [0, 0, 0], runs[-1].log[-2000:]
    assert set(known) == {"random-links/", "deeper/", "facets-text/?"}  # the calendar ends by the limit of depth
    assert closed(tmp_path) == known
    good = web.good - {"/"}
    assert all(good <= set(run.texts) for run in runs)
    assert all(reason in listed.stdout for reason in known.values()), listed


def test_runs_that_are_cut_short_do_not_pay_for_a_trap_again(tmp_path):
    """A run ends after 45 answers, fewer than it takes to know a trap; two of them know it."""
    with BadWeb({"deeper": (deeper, Expect(ANY))}, articles=12) as web:
        cuts = [Crawl(web, tmp_path, "-s", "CLOSESPIDER_PAGECOUNT=45") for _ in range(4)]
        assert "resuming crawl 1 of" in cuts[1].log
        whole = Crawl(web, tmp_path)
        assert len(web.asked("deeper")) <= 150
    assert whole.code == 0, whole.log[-2000:]
    assert set(closed(tmp_path)) == {"deeper/"}


def test_a_folder_that_was_closed_long_ago_is_asked_for_once(tmp_path):
    honest = []

    def trap(visit):
        if honest and visit.rest:
            visit.answer("<h1>Not found</h1>", 404)
        else:
            deeper(visit)

    keep = ("-s", "SITECRAWL_TRAP_KEEP=0")  # whatever is closed was closed long ago
    with BadWeb({"deeper": (trap, Expect(ANY))}, articles=12) as web:
        Crawl(web, tmp_path)
        before = len(web.asked("deeper"))
        Crawl(web, tmp_path, *keep)
        again = web.asked("deeper")[before:]
        assert sum(is_invented(f"/{target}") for target in again) == 1
        assert len(again) <= 1 + 8  # what was under way with the answer
        assert set(closed(tmp_path)) == {"deeper/"}
        honest.append(True)
        Crawl(web, tmp_path, *keep)
    assert closed(tmp_path) == {}


def test_an_honest_folder_whose_pages_all_name_new_ones_is_read_to_its_end(tmp_path):
    def honest(visit):
        number = int(visit.rest or 0) if (visit.rest or "0").isdigit() else -1
        if not 0 <= number < 300:
            visit.answer("<h1>Not found</h1>", 404)
            return
        names = range(10 * number + 1, min(10 * number + 11, 300))
        visit.answer(visit.page("".join(f'<a href="{name}">l{name}</a> ' for name in names)))

    with BadWeb({"honest": (honest, Expect(ANY))}, articles=12) as web:
        crawl = Crawl(web, tmp_path, "-s", "SITECRAWL_TRAP_PAGES=3")
        asked = [target for target in web.asked("honest") if target.startswith("sitecrawl-asks-")]
    assert crawl.code == 0, crawl.log[-2000:]
    assert 1 <= len(asked) <= 4
    assert sum(path.startswith("/honest/") for path in crawl.texts) == 300
    assert not any("sitecrawl-asks-" in path for path, _, _ in crawl.pages)


def test_pages_without_end_are_bounded_by_max_pages(tmp_path):
    with BadWeb({"random-links": (random_links, Expect(ANY))}, articles=12) as web:
        crawl = Crawl(web, tmp_path, "-s", "SITECRAWL_MAX_PAGES=100", "-s", "SITECRAWL_TRAP_PAGES=0")
    assert crawl.code == 0, crawl.log[-2000:]
    assert 100 <= len(web.log) <= 120


def test_a_page_to_log_in_with_a_way_back_on_every_page_is_asked_for_a_few_times(tmp_path):
    def talks(visit):
        number = int(visit.rest) if visit.rest.isdigit() else 0
        names = range(5 * number + 1, min(5 * number + 6, 60))
        links = "".join(f'<a href="/talks/{name}">talk {name}</a> ' for name in names)
        visit.answer(visit.page(f'{links}<a href="/login/?next=%2Ftalks%2F{visit.rest}">Log in</a>'))

    def login(visit):
        visit.answer('<title>Log in</title><h1>Log in</h1><form><input name=user><input type="password"></form>')

    cases = {"talks": (talks, Expect(ANY)), "login": (login, Expect(ANY))}
    with BadWeb(cases, articles=12) as web:
        crawl = Crawl(web, tmp_path, "-s", "SITECRAWL_MAX_QUERY_VARIANTS=200")
        first = [target for target in web.asked("login") if target]
        Crawl(web, tmp_path)
        again = [target for target in web.asked("login") if target][len(first) :]
    assert crawl.code == 0, crawl.log[-2000:]
    assert sum(path.startswith("/talks/") for path in crawl.texts) == 60
    assert WAYS_BACK <= len(first) <= WAYS_BACK + 8  # what was under way with the last of them
    assert again == []
    assert [place.rpartition("?")[2] for place in closed(tmp_path)] == ["next="]
