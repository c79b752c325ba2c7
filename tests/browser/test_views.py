"""Each view in a real browser: it shows the expected content, sends no request elsewhere, and fits its window."""

import re
import time

import pytest
from playwright.sync_api import expect

from sitecrawl.storage.db.engine import open_database
from sitecrawl.ui.report import report, write_report
from tests.browser.conftest import Served, Visitor
from tests.browser.screenshots import keep
from tests.unit.ui.test_progress import begin, end
from tests.unit.ui.views import PAGE, VIEWS, fill, run

SCHEMES = ("light", "dark")
PHONE, DESK = 360, 1280


@pytest.mark.parametrize(("width", "scheme", "other"), [(PHONE, *SCHEMES), (DESK, *SCHEMES[::-1]), (2560, *SCHEMES)])
def test_every_view_fits_and_asks_for_nothing_elsewhere(chromium, served, width, scheme, other):
    """Each view is loaded in one colour scheme and then shown in the other: to load it in both costs twice the time."""
    fill(served.ui)
    visitor = Visitor(chromium, served, viewport={"width": width, "height": 800}, color_scheme=scheme)
    for name, path in VIEWS.items():
        answer = visitor.go(path)
        assert answer.status == (404 if name == "problem" else 200), path
        for shown in (scheme, other):
            visitor.page.emulate_media(color_scheme=shown)
            wide = visitor.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (path, shown, wide)
            if width in (PHONE, DESK):
                keep(visitor.page, name, width, shown)
        visitor.page.emulate_media(color_scheme=scheme)
        assert len(answer.body()) <= 150_000
    errors = [one for one in visitor.errors if "404" not in one]
    assert (visitor.outside, errors, visitor.dialogs) == ([], [], [])
    visitor.context.close()


CONTRAST = """() => {
  const box = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => { box.clearRect(0, 0, 1, 1); box.fillStyle = colour; box.fillRect(0, 0, 1, 1);
    return [...box.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const box = one.getBoundingClientRect();
    if (!own || !box.width || one.closest("svg")) continue;
    let behind = one, paper;
    while (behind && !(paper = rgb(getComputedStyle(behind).backgroundColor))[3]) behind = behind.parentElement;
    const a = light(rgb(getComputedStyle(one).color).slice(0, 3)), b = light((behind ? paper : [255, 255, 255]).slice(0, 3));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push([one.className, one.textContent.trim().slice(0, 30), ratio.toFixed(2)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_aa(chromium, served, scheme):
    fill(served.ui)
    visitor = Visitor(chromium, served, viewport={"width": DESK, "height": 800}, color_scheme=scheme)
    for path in VIEWS.values():
        visitor.go(path)
        assert visitor.page.evaluate(CONTRAST) == [], path
    visitor.context.close()


def test_sites_that_need_a_look_come_first(served, visitor):
    run(served.ui, "UPDATE page SET deletion = 1 WHERE url LIKE '%/5'")
    visitor.go("/")
    assert visitor.page.locator(".troubles li").all_inner_texts() == [
        "1 deletion held as too many: release or keep them"
    ]
    visitor.click(visitor.page.get_by_role("link", name="example.org"))
    expect(visitor.page.get_by_role("heading", name="example.org")).to_be_visible()


def test_a_site_shows_its_charts_layouts_and_template(visitor):
    visitor.go("/sites/example.org")
    expect(visitor.page.get_by_role("img", name="URLs by status")).to_be_visible()
    expect(visitor.page.get_by_role("heading", name="Layout 1")).to_be_visible()
    visitor.click(visitor.page.get_by_role("link", name="Template").first)
    expect(visitor.page.get_by_text("div.menu").first).to_be_visible()


def told(frame):
    """The reason that is shown at the bottom of the frame, for what has the focus or the pointer."""
    return frame.locator(":is([data-why]:hover, [data-why]:focus)").first.evaluate(
        "e => getComputedStyle(e, '::after').content"
    )


def test_each_block_has_its_reason_by_pointer_and_by_keyboard(visitor):
    visitor.go(PAGE)
    frame = visitor.page.frame_locator("iframe").first
    kept = frame.get_by_text("Paragraph 2 of story 3")
    kept.hover()
    assert told(frame).startswith('"Kept: ')
    assert visitor.page.locator("iframe").get_attribute("sandbox") == ""
    visitor.page.locator("iframe").focus()
    reached = []
    for _ in range(3):
        visitor.page.keyboard.press("Tab")
        block = frame.locator("[data-why]:focus")
        reached.append((block.inner_text(), block.get_attribute("data-why").partition(":")[0], told(frame)[:10]))
    assert reached == [(name, "Template", '"Template:') for name in ("Home", "News", "About")]


def below(page):
    """Pixels of the frame below the end of the window."""
    return page.evaluate("document.querySelector('iframe').getBoundingClientRect().bottom - innerHeight")


def wait_until_within(page):
    """Wait until the frame fits into the window, since focus and size of the window change with a delay."""
    deadline = time.monotonic() + 20
    while below(page) >= 1:  # a part of a pixel
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1366, 700), (400, 800)])
def test_the_reason_of_a_block_is_within_the_window(chromium, served, width, height):
    visitor = Visitor(chromium, served, viewport={"width": width, "height": height})
    page = visitor.page
    for path in (PAGE, f"{PAGE}/correct"):
        visitor.go(path)
        assert below(page) <= 0, path
    page.set_viewport_size({"width": width, "height": height - 100})
    wait_until_within(page)
    visitor.context.close()


def test_a_frame_that_does_not_fit_is_scrolled_to_as_a_block_is_tapped(chromium, served):
    title = "A title of many words " * 6
    run(served.ui, f"UPDATE content SET title = '{title}' WHERE url_key = {PAGE.rpartition('/')[2]}")
    visitor = Visitor(chromium, served, viewport={"width": PHONE, "height": 500})
    visitor.go(PAGE)
    assert below(visitor.page) > 0
    visitor.page.frame_locator("iframe").get_by_text("Home").click()
    wait_until_within(visitor.page)
    assert told(visitor.page.frame_locator("iframe")).startswith('"Template: ')
    visitor.context.close()


FOCUS = """() => {
  const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  one.dataset.reached = "";
  const seen = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
  const framed = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return [one.tagName, one.textContent.trim().slice(0, 30), one.tagName === "IFRAME" || (seen && framed)];
}"""
LEFT = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, iframe")]
  .filter((one) => one.checkVisibility() && !("reached" in one.dataset)).map((one) => one.outerHTML.slice(0, 120))"""


def test_all_controls_are_reached_by_keyboard_and_show_the_focus(chromium, served):
    fill(served.ui)
    visitor = Visitor(chromium, served, viewport={"width": DESK, "height": 800})
    page = visitor.page
    for name, path in VIEWS.items():
        visitor.go(path)
        page.evaluate("document.activeElement.blur()")
        page.evaluate("document.querySelector('.skip').focus()")  # the first control: some views begin in a field
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        hidden = []
        for _ in range(150):
            tag, words, shown = page.evaluate(FOCUS)
            for _ in range(40):  # the focus goes into a frame, which is another process, in its own time
                if tag != "BODY" or not page.evaluate(LEFT):
                    break
                page.wait_for_timeout(50)
                tag, words, shown = page.evaluate(FOCUS)
            if not shown and tag != "BODY":
                hidden.append((tag, words))
            if tag == "BODY" or not page.evaluate(LEFT):
                break
            page.keyboard.press("Tab")
        assert (page.evaluate(LEFT), hidden) == ([], []), name
    visitor.context.close()


def pass_time_until(page, sign):
    """Let the page's clock run in steps until the sign is seen: the next timer is only set when an answer is there."""
    deadline = time.monotonic() + 60
    while not sign.is_visible():
        assert time.monotonic() < deadline
        page.clock.run_for(6000)
        page.wait_for_timeout(20)


@pytest.mark.parametrize("path", ["/sites/example.org", "/"])
def test_a_running_crawl_is_followed_to_its_end(served, visitor, path):
    crawl = begin(served.ui)
    page = visitor.page
    page.clock.install()
    visitor.go(path)
    expect(page.get_by_text("Crawling", exact=True)).to_be_visible()
    height = page.evaluate("document.documentElement.scrollHeight")
    with page.expect_response(lambda answer: "/progress" in answer.url):
        page.clock.run_for(6000)
    expect(page.get_by_text("Crawling", exact=True)).to_be_visible()
    end(served.ui, crawl)
    pass_time_until(page, page.get_by_text("The crawl has ended"))
    assert page.evaluate("document.documentElement.scrollHeight") == height
    if path != "/":
        asked = len(visitor.requests)
        page.clock.run_for(60_000)
        assert len(visitor.requests) == asked
    assert (visitor.outside, visitor.errors) == ([], [])


def test_a_crawl_that_begins_later_appears_in_the_list_of_sites(served, visitor):
    page = visitor.page
    page.clock.install()
    visitor.go("/")
    expect(page.get_by_role("link", name="example.org")).to_be_visible()
    begin(served.ui)
    pass_time_until(page, page.get_by_text("Crawling", exact=True))
    assert (visitor.outside, visitor.errors) == ([], [])


def test_a_layout_is_corrected_and_taken_back_by_clicks(served, visitor, overrides):
    visitor.go(PAGE)
    page = visitor.page
    visitor.click(page.get_by_role("link", name="Correct it"))
    visitor.click(page.frame_locator("iframe").get_by_text("Read also"))
    visitor.click(page.get_by_role("link", name="This is the content"))
    expect(page.get_by_role("heading", name="12 of 12 pages change")).to_be_visible()
    assert page.frame_locator("iframe").locator("#sc-picked").inner_text() == "Read also"
    visitor.click(page.get_by_role("button", name="Save, and extract the site again"))
    page.get_by_text("12 pages were extracted again; 12 have changed").wait_for()
    assert visitor.clicks == 4
    assert (overrides / "example.org.yaml").read_text() == "content:\n- div.side > h3\n"
    visitor.click(page.get_by_role("button", name="Take back"))
    served.ui.jobs.wait("example.org")
    page.get_by_text("12 pages were extracted again; 12 have changed").wait_for()
    assert list(overrides.iterdir()) == []
    assert (visitor.outside, visitor.errors) == ([], [])


@pytest.mark.parametrize("keys", [False, True], ids=["taps", "keys"])
def test_each_choice_leads_to_what_it_brought(chromium, served, keys):
    visitor = Visitor(chromium, served, viewport={"width": 400, "height": 800})
    page = visitor.page

    def choose(found):
        if keys:
            found.focus()
            page.keyboard.press("Enter")
        else:
            found.click()

    visitor.go(f"{PAGE}/correct")
    choose(page.frame_locator("iframe").get_by_role("link", name="Read also"))
    expect(page.locator("#clicked")).to_be_focused()
    expect(page.get_by_role("heading", name="What you clicked")).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(page.locator("#clicked a").first).to_be_focused()
    choose(page.get_by_role("link", name="div.side"))
    expect(page.locator("#clicked")).to_be_focused()
    choose(page.get_by_role("link", name="This too"))
    expect(page.locator("#effect")).to_be_focused()
    expect(page.get_by_role("button", name="Save, and extract the site again")).to_be_in_viewport()
    visitor.context.close()


def test_held_deletions_are_decided(served, visitor):
    run(served.ui, "UPDATE page SET deletion = 1, reason = 'HTTP 404' WHERE url LIKE '%/5'")
    visitor.go("/decide")
    visitor.click(visitor.page.locator("main").get_by_role("link", name="example.org"))
    expect(visitor.page.get_by_text("https://example.org/5")).to_be_visible()
    visitor.click(visitor.page.get_by_role("button", name="Delete 1 page"))
    expect(visitor.page.get_by_text("https://example.org/5")).to_be_visible()  # nobody has said to be sure
    visitor.click(visitor.page.get_by_role("button", name="Keep these pages"))
    expect(visitor.page.get_by_text("1 page kept.")).to_be_visible()
    expect(visitor.page.get_by_text("None.")).to_have_count(2)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_site_without_a_crawl_has_no_room_for_its_progress(chromium, served, width):
    visitor = Visitor(chromium, served, viewport={"width": width, "height": 800})
    visitor.go("/")
    expect(visitor.page.locator("tr.progress")).to_have_count(1)
    expect(visitor.page.locator("tr.progress")).to_be_hidden()
    visitor.context.close()


def test_a_search_leads_to_a_page(visitor):
    visitor.page.get_by_role("searchbox", name="Search all pages").fill("matter7x1")
    visitor.page.keyboard.press("Enter")
    assert visitor.page.locator("mark").first.inner_text() == "matter7x1"
    visitor.click(visitor.page.get_by_role("link", name=re.compile("Story 7")).first)
    expect(visitor.page.frame_locator("iframe").get_by_text("Paragraph 0 of story 7")).to_be_visible()


def test_a_report_is_read_without_the_server(chromium, served, tmp_path):
    path = tmp_path / "report.html"
    write_report(report(served.ui, "example.org"), str(path))
    context = chromium.new_context(reduced_motion="reduce", viewport={"width": PHONE, "height": 800}, offline=True)
    asked, said = [], []
    context.on("request", lambda request: asked.append(request.url))
    context.on("console", lambda message: said.append(message.text))
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("heading", name="example.org")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        keep(page, "report", PHONE, scheme)
    assert (asked, said) == ([path.as_uri()], [])
    context.close()


def test_a_wrong_token_has_a_page_with_the_way_back(chromium, served):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{served.address}/?token=wrong")
    expect(page.get_by_role("heading", name="The token is missing or wrong")).to_be_visible()
    expect(page.get_by_role("link", name="Try again")).to_be_visible()
    context.close()


def test_an_empty_database_behind_a_password(chromium, tmp_path, overrides):
    url = f"sqlite:///{tmp_path / 'empty.db'}"
    open_database(url).dispose()
    served = Served(url, overrides, "a long password")
    context = chromium.new_context(reduced_motion="reduce", viewport={"width": PHONE, "height": 800})
    page = context.new_page()
    try:
        page.goto(served.address)
        page.get_by_label("Password").fill("a wrong password")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("The password is wrong.")).to_be_visible()
        keep(page, "login", PHONE, "light")
        page.get_by_label("Password").fill("a long password")
        page.get_by_role("button", name="Log in").click()
        for name, path, said in (
            ("sites", "/", "No site yet"),
            ("decide", "/decide", "None."),
            ("search", "/search", "Search"),
        ):
            page.goto(served.address + path)
            expect(page.get_by_text(said).first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
            keep(page, f"empty-{name}", PHONE, "light")
    finally:
        context.close()
        served.stop()
