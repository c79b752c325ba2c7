"""The views of the UI, and a database in which each of them has something to show."""

import json
from pathlib import Path

from sqlalchemy import text

from sitecrawl.dom.page import Page
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.storage.second_fetches import SecondFetchRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.templates.volatile import VolatileBlocks, VolatilePlace
from tests.unit.ui.conftest import article
from tests.unit.ui.test_progress import begin

SHOWN = Page.from_html(article(3), "https://example.org/3").flat
SIDE, FOOT = (SHOWN.names.index(name) for name in ("side", "foot"))
SITE = "/sites/example.org"
PAGE = f"{SITE}/page/{url_key('https://example.org/3')}"
VIEWS = {
    "sites": "/",
    "site": SITE,
    "pages": f"{SITE}/pages",
    "template": f"{SITE}/template",
    "corrections": f"{SITE}/rules",
    "page": PAGE,
    "page-plain": f"{PAGE}?plain=1",
    "correct": f"{PAGE}/correct",
    "correct-effect": f"{PAGE}/correct?row={SIDE}&act=content&also=div.foot",
    "search": "/search?q=story",
    "search-nothing": "/search?q=nowhere",
    "decide": "/decide",
    "decide-site": "/decide/example.org",
    "compare": f"/decide/example.org/compare/{url_key('https://example.org/4')}",
    "problem": "/nowhere",
}


def run(ui, sql, **values):
    with ui.writing() as session:
        session.execute(text(sql), values)


def past_figures(number):
    """Figures of an earlier crawl, as they are stored."""
    return {
        "pages": 9 + number // 2,
        "known": {"fetched": 2 + number, "unchanged": 7, "error": 2, "redirected": 1, "discovered": 6 - number},
        "kinds": {"content": 6 + number // 2, "listing": 2, "none": 1},
        "rows": {"new": 3, "changed": 1 + number % 3, "unchanged": 5, "gone": number % 2},
    }


def fill(ui):
    """Give the views something to show: a running crawl, a held deletion, a duplicate, volatile blocks, a correction."""
    begin(ui)
    run(ui, "UPDATE page SET deletion = 1, reason = 'HTTP 404' WHERE url LIKE '%/5'")
    original = {"id": url_id("https://example.org/3"), "key": url_key("https://example.org/3")}
    run(
        ui,
        "UPDATE content SET duplicate_of = :id WHERE url_key = :key",
        **{**original, "key": url_key("https://example.org/4")},
    )
    for column in ("simhash", "band1", "band2", "band3", "band4"):
        run(
            ui,
            f"UPDATE content SET {column} = (SELECT {column} FROM content WHERE url_key = :key)",
            key=original["key"],
        )
    for number in range(6):
        run(
            ui,
            "INSERT INTO crawl (id, site_id, started_at, finished_at, reason, stats)"
            " SELECT :id, id, :at, :at, 'finished', :stats FROM site WHERE host = 'example.org'",
            id=number - 6,
            at=f"2024-03-{number + 1:02} 04:00:00.000000",
            stats=json.dumps(past_figures(number)),
        )
    with ui.writing() as session:
        place = VolatilePlace(SHOWN.path[FOOT], "div.foot", 3, 4)
        site = SiteRepository(session).get("example.org")
        SecondFetchRepository(session).revise(site.id, 1, VolatileBlocks(paths={place.key: place}))
    Path(ui.config.overrides[0], "example.org.yaml").write_text("exclude:\n- div.advertisement\n", "utf-8")
