"""OP-25 to OP-35 and OP-37: crawls of a site that changes, fails or lies, and what is fed from them; the project's tests."""

import random

from tests.drill.cases import case, check, tested
from tests.drill.crawls import Crawling
from tests.drill.site import DrillSite

DRIFT, RECRAWL = "tests/integration/test_drift.py", "tests/integration/test_recrawl.py"

tested("OP-25", "a redesign, and back", "found, relearnt, nothing lost", DRIFT)
tested(
    "OP-26",
    "a template of few pages, then many more",
    "no wrong template is kept",
    "tests/unit/templates/test_learner.py",
    "tests/unit/templates/test_layouts.py",
)
tested(
    "OP-27",
    "outages in recrawls, whole and short",
    "0 deleted, the rest is done later",
    "tests/integration/test_defences.py",
    "tests/unit/crawl/test_host_health.py",
    "tests/unit/crawl/test_hosts.py",
)
tested(
    "OP-28",
    "16 kinds of walls, soft 404s, truncated and empty answers over 3 recrawls",
    "0 texts replaced or deleted",
    "tests/integration/test_badweb.py::test_no_good_text_is_replaced_or_deleted_by_a_bad_answer",
)
tested(
    "OP-30",
    "30 % of a site is gone at once",
    "held, said, 0 deleted",
    f"{RECRAWL}::test_30_percent_gone_at_once_are_held_until_they_are_released",
)
tested(
    "OP-31",
    "frames that change on every visit",
    "0 changed beyond the 5 edited",
    f"{RECRAWL}::test_of_60_pages_exactly_the_5_edited_ones_are_changed",
)
tested(
    "OP-32",
    "ETags",
    "304s and no bodies",
    f"{RECRAWL}::test_a_site_that_did_not_change_is_asked_with_validators_and_sends_no_body",
)
tested(
    "OP-33",
    "recrawl while a crawl runs",
    "passed over, said",
    "tests/integration/test_schedule.py::test_what_goes_wrong_is_said_and_the_rest_done",
)
tested(
    "OP-34",
    "a search server that is down",
    "the index is whole once it is back",
    "tests/integration/test_index.py",
    "tests/unit/index/test_feeder.py",
)
tested(
    "OP-35",
    "the feed to the index is killed again and again",
    "the index is what the database says",
    "tests/integration/test_index.py::test_the_server_holds_what_the_database_says_whatever_is_killed",
)
tested(
    "OP-37",
    "feeds and files of the index",
    "one JSON value a line, UTF-8",
    "tests/unit/index/test_files.py",
    "tests/unit/fleet/test_joined_feed.py",
)


@case(
    "OP-29", "30 % of the answers of a recrawl are 500 (seeded)", "no text lost; all pages current after 2 more crawls"
)
def random_failures(room):
    with DrillSite(200) as site:
        crawling = Crawling(site.url, room.folder)
        check(crawling.run().code == 0, "the first crawl failed")
        luck, plain = random.Random(room.random.random()), site.answer
        site.size = 5  # every page has changed
        site.answer = lambda path: (500, {}, "oops") if luck.random() < 0.3 else plain(path)
        bad = crawling.run(200).clean()
        check(bad.code in (0, 3), f"status {bad.code}: {bad.said[-300:]}")
        texts = crawling.value("SELECT count(*) FROM content WHERE text <> ''")
        check(texts == 200, f"{texts} of 200 texts are left")
        failed = crawling.states().get("ERROR", 0)
        site.answer = plain
        for _ in range(2):
            last = crawling.run(200).clean()
        check(last.code == 0, f"status {last.code}: {last.said[-300:]}")
        crawling.whole(200)
        current = crawling.value("SELECT count(*) FROM content WHERE text LIKE '%paragraph 4 tells%'")
        check(current == 200, f"{current} of 200 texts are current")
    return f"{failed} pages failed, 0 texts lost; 200/200 current after 2 more crawls"
