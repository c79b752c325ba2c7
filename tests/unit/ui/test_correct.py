import html
import re
import threading

import pytest
from sqlalchemy import update

from sitecrawl.clock import now
from sitecrawl.errors import SiteLeasedError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT
from sitecrawl.ui import jobs
from tests.unit.ui.views import SIDE

PAGE = f"/sites/example.org/page/{url_key('https://example.org/3')}"
HERE = f"{PAGE}/correct"


def rows(client, text):
    """The rows that a click on this text leads to."""
    found = re.findall(r'href="([^"]*)">([^<]*)</a>', client.get(f"{HERE}/frame").text)
    return [int(re.search(r"row=(\d+)", link)[1]) for link, shown in found if text in shown]


def hidden(page):
    return {name: html.unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', page.text)}


def stored(ui, number):
    with ui.reading() as session:
        site = SiteRepository(session).get("example.org")
        return ContentRepository(session).get(site.id, url_key(f"https://example.org/{number}")).record


def test_the_frame_for_corrections_runs_nothing(client):
    answer = client.get(f"{HERE}/frame")
    assert answer.headers["content-security-policy"].startswith("sandbox allow-top-navigation-by-user-activation; ")
    assert f'href="{HERE}?row=' in answer.text


def test_a_click_shows_the_element_and_those_around_it(client):
    (row,) = rows(client, "Read also")
    page = client.get(f"{HERE}?row={row}").text
    assert "<code>h3</code>" in page and "<code>div.side</code>" in page and "Never this" in page
    assert "Click in the page" in client.get(f"{HERE}?row=99999").text


def test_the_effect_is_shown_before_anything_is_saved(client, overrides):
    (row,) = rows(client, "Read also")
    page = client.get(f"{HERE}?row={row}&act=content").text
    assert "12 of 12 pages change" in page
    assert "The selector matches 12 of 12 sampled pages of this layout" in page
    assert list(overrides.iterdir()) == []


def test_content_that_is_too_short_to_be_stored_is_shown_as_none(ui, client, overrides):
    (row,) = rows(client, "Read also")
    page = client.get(f"{HERE}?row={row}&act=content").text
    assert "content becomes none" in page and '<b class="plus">+0</b>' in page
    save(client, row, "content")
    ui.jobs.wait("example.org")
    assert (stored(ui, 3).text, stored(ui, 3).kind) == ("", "none")


def test_a_selector_that_meets_one_page_alone_is_not_one_of_the_layout(client):
    (row,) = rows(client, "Read also")
    page = client.get(HERE, params={"row": row, "act": "include", "selector": "a[href='/4']"}).text
    assert "1 of 12 pages change" in page and "on one of these pages alone" in page
    assert "on one of these pages alone" not in client.get(f"{HERE}?row={row}&act=exclude").text


def test_a_selector_may_be_typed(client):
    (row,) = rows(client, "Read also")
    assert "0 of 12 pages change" in client.get(f"{HERE}?row={row}&act=exclude&selector=.nowhere").text
    assert "is not a valid CSS selector" in client.get(f"{HERE}?row={row}&act=exclude&selector=%3E%3E").text
    assert "is not a valid CSS selector" in client.get(f"{HERE}?row={row}&act=title&selector=%3E%3E").text


def test_the_title_of_all_pages(client):
    (row,) = rows(client, "Read also")
    page = client.get(f"{HERE}?row={row}&act=title").text
    assert "12 of 12 pages change" in page and "Read also" in page


def test_the_date_of_all_pages(ui, client, overrides):
    no_date, date = rows(client, "Read also") + rows(client, "1 May 2024")
    assert "0 of 12 pages change" in client.get(f"{HERE}?row={no_date}&act=published").text
    with ui.writing() as session:
        session.execute(update(CONTENT).values(published="2020-02-02"))
    page = client.get(f"{HERE}?row={date}&act=published").text
    assert "12 of 12 pages change" in page and "2024-05-01" in page
    save(client, date, "published")
    ui.jobs.wait("example.org")
    assert stored(ui, 3).published == "2024-05-01"


def test_blocks_that_are_clicked_one_after_the_other_become_one_selector(ui, client, overrides):
    first, second = rows(client, "Read also") + rows(client, "1 May 2024")
    page = client.get(f"{HERE}?row={first}&act=exclude").text
    source = html.unescape(re.search(r'<iframe[^>]* src="([^"]*)"', page)[1])
    shown = client.get(source.partition("#")[0]).text
    (link,) = re.findall(r'href="([^"]*)">[^<]*1 May 2024</a>', shown)
    assert html.unescape(link) == f"{HERE}?row={second}&act=exclude&also=div.side+%3E+h3#clicked"
    page = client.get(html.unescape(link))
    wider = html.unescape(re.findall(r'href="([^"]*)"[^>]*><code>div.foot</code>', page.text)[0])
    assert "also=div.side" in wider
    assert "also" not in re.search(r'href="([^"]*)">This is the content</a>', page.text)[1]
    form = hidden(client.get(wider))
    assert form["selector"] == "div.side > h3, div.foot"
    shown = client.get(f"{HERE}/frame", params={"row": first, "act": "exclude", "selector": form["selector"]}).text
    assert re.search(r'<div class="foot[^"]* sc-met">', shown)
    assert re.search(r'<h3 id="sc-picked" class="[^"]*sc-picked"', shown)
    assert client.post(HERE, data=form).status_code == 303
    assert ui.jobs.wait("example.org").error == ""
    assert (overrides / "example.org.yaml").read_text() == "exclude:\n- div.side > h3, div.foot\n"


def test_several_corrections_are_shown_and_saved_together(ui, client, overrides):
    (first,) = rows(client, "Copyright")
    page = client.get(f"{HERE}?row={first}&act=include")
    assert "12 of 12 pages change" in page.text
    source = html.unescape(re.search(r'<iframe[^>]* src="([^"]*)"', page.text)[1])
    shown = client.get(source.partition("#")[0]).text
    (clicked,) = re.findall(r'href="([^"]*)">Paragraph 2 of story 3', shown)
    page = client.get(html.unescape(clicked))
    never = html.unescape(re.search(r'href="([^"]*)">Never this</a>', page.text)[1])
    page = client.get(never)
    assert "This too: <code>div.foot &gt; p</code>" in page.text
    added, taken = re.search(r'<b class="plus">\+(\d+)</b> <b class="minus">−(\d+)</b>', page.text).groups()
    assert (added, taken) == ("1", "6")
    shown = client.get(html.unescape(re.search(r'<iframe[^>]* src="([^"]*)"', page.text)[1]).partition("#")[0]).text
    assert re.search(r'<p class="[^"]* sc-met"', shown)
    another = html.unescape(re.search(r'href="([^"]*)">Correct something else too</a>', page.text)[1])
    assert hidden(client.get(another))["before"] == "include div.foot > p"
    form = hidden(page)
    assert client.post(HERE, data=form).status_code == 303
    assert ui.jobs.wait("example.org").error == ""
    saved = (overrides / "example.org.yaml").read_text()
    assert saved == f"include:\n- div.foot > p\nexclude:\n- {form['selector']}\n"
    assert stored(ui, 3).text.startswith("Copyright of the Journal")
    assert "belongs to it too" in client.get("/sites/example.org/rules").text


def links(client, page, text):
    """The addresses that a click on this text leads to, in the frame of a page for corrections."""
    source = html.unescape(re.search(r'<iframe[^>]* src="([^"]*)"', page.text)[1]).partition("#")[0]
    found = re.findall(r'href="([^"]*)">([^<]*)</a>', client.get(source).text)
    return [html.unescape(link) for link, shown in found if text in shown]


def test_a_click_inside_what_is_selected_takes_out_the_block_and_its_like(client):
    (row,) = rows(client, "Read also")
    page = client.get(HERE, params={"row": SIDE, "act": "include"})
    assert "excludes that block" in page.text
    (inside,) = links(client, page, "Read also")
    assert inside == f"{HERE}?row={row}&act=exclude&before=include+div.side#clicked"
    out = client.get(inside)
    assert "This too: <code>div.side</code>" in out.text
    form = hidden(out)
    assert (form["act"], form["selector"], form["before"]) == ("exclude", "div.side > h3", "include div.side")
    (outside,) = links(client, page, "Copyright")
    assert "act=include" in outside and "also=div.side" in outside
    never = client.get(HERE, params={"row": SIDE, "act": "exclude"})
    assert "excludes that block" not in never.text
    (same,) = links(client, never, "Read also")
    assert same == f"{HERE}?row={row}&act=exclude&also=div.side#clicked"


@pytest.mark.parametrize("before", ["kind x", "exclude [", "exclude"])
def test_a_finished_correction_that_is_none(client, overrides, before):
    answer = client.get(HERE, params={"before": before})
    assert (answer.status_code, "go back" in answer.text) == (400, True)
    assert f'href="{PAGE}">Back to the page</a>' in answer.text
    (row,) = rows(client, "Read also")
    assert save(client, row, "exclude", {"before": before}).status_code == 400
    assert list(overrides.iterdir()) == []


def test_of_titles_and_dates_the_last_click_counts(client):
    first, second = rows(client, "Read also") + rows(client, "1 May 2024")
    page = client.get(f"{HERE}?row={second}&act=title&also=h3")
    assert hidden(page)["selector"] != hidden(client.get(f"{HERE}?row={first}&act=title"))["selector"]
    assert "," not in hidden(page)["selector"]
    frame = client.get(f"{HERE}/frame?row={first}&act=title&selector=h3").text
    assert "also=" not in frame
    unusable = client.get(f"{HERE}/frame?selector=%3E%3E")
    assert unusable.status_code == 200 and "sc-met" not in unusable.text.partition("<body")[2]


def save(client, row, act, changed=()):
    form = hidden(client.get(f"{HERE}?row={row}&act={act}"))
    return client.post(HERE, data={**form, **dict(changed)})


def test_saved_and_extracted_again_and_taken_back(ui, client, overrides):
    (row,) = rows(client, "Read also")
    answer = save(client, row, "content")
    assert answer.headers["location"] == "/sites/example.org/rules"
    assert (overrides / "example.org.yaml").read_text() == "content:\n- div.side > h3\n"
    job = ui.jobs.wait("example.org")
    assert (job.error, job.pages, job.of, job.ended) == ("", 12, 12, True)
    assert stored(ui, 3).method == "override"
    page = client.get("/sites/example.org/rules")
    assert "12 pages were extracted again; 12 have changed" in page.text
    assert "12 pages were extracted again" in client.get("/sites/example.org/job").text
    answer = client.post("/sites/example.org/rules", data=hidden(page))
    assert answer.status_code == 303
    assert ui.jobs.wait("example.org").error == ""
    assert list(overrides.iterdir()) == []
    assert stored(ui, 3).method == "combined"
    assert "Nobody has corrected this site" in client.get("/sites/example.org/rules").text


def test_of_two_people_who_save_the_second_is_told(client, overrides):
    (row,) = rows(client, "Read also")
    form = hidden(client.get(f"{HERE}?row={row}&act=exclude"))
    (overrides / "example.org.yaml").write_text("content: main\n")
    answer = client.post(HERE, data=form)
    assert (answer.status_code, "Somebody was faster" in answer.text) == (409, True)
    assert 'href="/sites/example.org/rules">See the corrections</a>' in answer.text
    assert (overrides / "example.org.yaml").read_text() == "content: main\n"


@pytest.mark.parametrize(
    ("changed", "status"), [({"form_token": "x"}, 403), ({"selector": ""}, 400), ({"act": "kind"}, 400)]
)
def test_a_form_that_cannot_be_used(client, overrides, changed, status):
    (row,) = rows(client, "Read also")
    assert save(client, row, "exclude", changed).status_code == status
    assert list(overrides.iterdir()) == []


def test_a_site_that_is_being_crawled_is_not_extracted(ui, client):
    with ui.writing() as session:
        site = SiteRepository(session).get("example.org")
        SiteRepository(session).lease(site.id, "another", now(), 60)
    token = hidden(client.get("/sites/example.org/rules"))
    client.post("/sites/example.org/job", data=token)
    assert "is being crawled by another" in ui.jobs.wait("example.org").error
    assert (
        "The pages were not extracted again: example.org is being crawled" in client.get("/sites/example.org/job").text
    )


def test_a_file_that_has_changed_since_its_extraction_is_told(ui, client, overrides):
    (row,) = rows(client, "Read also")
    save(client, row, "exclude")
    ended = ui.jobs.wait("example.org").ended_at
    paths, file = ("/sites/example.org/rules", "/sites/example.org/job"), overrides / "example.org.yaml"
    for path in paths:
        assert f"have changed. <time>{ended:%Y-%m-%d %H:%M} UTC</time>" in client.get(path).text
    file.write_text("exclude: div.foot\n")
    for path in paths:
        page = client.get(path).text
        assert "The file has changed since the pages were last extracted" in page and "have changed" not in page
    client.post("/sites/example.org/job", data=hidden(client.get("/sites/example.org/rules")))
    ui.jobs.wait("example.org")
    assert "12 pages were extracted again" in client.get("/sites/example.org/rules").text
    file.unlink()
    assert "The file has changed" in client.get("/sites/example.org/rules").text


def test_one_job_a_site(ui, monkeypatch):
    monkeypatch.setattr(jobs, "PROCESS", ("cat",))
    ui.jobs._jobs["example.org"] = jobs.Job("example.org")
    with pytest.raises(SiteLeasedError, match="are being extracted again; wait"):
        ui.jobs.extract_again(ui.config, "example.org")


def test_a_process_that_ends_badly_is_told(ui, monkeypatch):
    monkeypatch.setattr(jobs, "PROCESS", ("false",))
    ui.jobs.extract_again(ui.config, "example.org")
    job = ui.jobs.wait("example.org")
    assert job.ended and ("status 1" in job.error or "cannot be followed" in job.error)


def test_without_a_folder_for_corrections_it_says_what_to_do(url):
    from sitecrawl.config import Config
    from sitecrawl.ui.access import new_access
    from sitecrawl.ui.server import new_ui
    from tests.unit.ui.conftest import client_of

    made = new_ui(Config(database_url=url), new_access("127.0.0.1", 8765, None))
    client = client_of(made)
    client.get(f"/?token={made.access.token}")
    for path in (HERE, "/sites/example.org/rules"):
        assert "SITECRAWL_OVERRIDES names no folder for corrections" in client.get(path).text
    made.engine.dispose()


def test_a_correction_during_an_extraction_is_extracted_afterwards(ui, monkeypatch):
    begun, may_end = [], [threading.Event(), threading.Event()]

    def run(job, given):
        may_end[len(begun)].wait(10)
        begun.append(given["host"])
        job.pages = len(begun)

    monkeypatch.setattr(jobs, "_run", run)
    job = ui.jobs.extract_again(ui.config, "example.org", corrected=True)
    assert ui.jobs.extract_again(ui.config, "example.org", corrected=True) is job
    with pytest.raises(SiteLeasedError):
        ui.jobs.extract_again(ui.config, "example.org")
    for event in may_end:
        event.set()
    assert ui.jobs.wait("example.org") is job
    assert (begun, job.pages, job.ended, job.again) == (["example.org"] * 2, 2, True, False)


def test_a_title_or_a_date_may_be_an_attribute(client):
    (row,) = rows(client, "Read also")
    for act, selector in (("title", "//meta[@name]/@content"), ("published", "//time/@datetime")):
        page = client.get(f"{HERE}?row={row}&act={act}&selector={selector}").text
        assert "pages change</h2>" in page and "selects no elements" not in page
    page = client.get(f"{HERE}?row={row}&act=content&selector=//div/@class").text
    assert "selects no elements" in page and "The selector cannot be used" in page and "pages change" not in page
