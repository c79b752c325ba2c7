"""Tests of what is known of a page beside its main content."""

import datetime as dt
import html
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.page import Page
from sitecrawl.metadata.describe import describe, read
from sitecrawl.metadata.shared_values import Field, SiteValues
from tests.unit.dom.trees import pages

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
URL = "https://example.org/news/storm.html"
TEXT = "The storm came in from the west on Tuesday night, and by morning the harbour was under two metres of water."


def found(html, site=None, *, url=URL, text=TEXT, article=True, served=None):
    page = Page.from_html(html, url)
    tags = page.flat.tag
    nodes = tuple(i for i, tag in enumerate(tags) if tag == "article")[:1] or (len(tags) - 1,)
    return describe(page, read(page, NOW), site or SiteValues(), nodes, text, article=article, served=served)


def page(head="", body="", title="A storm"):
    return f"<html lang=en><head><title>{title}</title>{head}</head><body>{body}<article><p>{TEXT}</p></article></body>"


def ld(data):
    return f'<script type="application/ld+json">{data if isinstance(data, str) else json.dumps(data)}</script>'


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "A storm",
    "author": [{"@type": "Person", "name": "Ann Lee"}, {"name": "Bo Ek"}],
    "datePublished": "2025-09-04T12:50:36.123Z",
    "dateModified": "2025-09-05",
    "image": {"url": "/storm.jpg"},
    "articleSection": ["Weather"],
}


def test_json_ld_tells_all():
    one = found(page(ld(ARTICLE)))
    assert (one.author, one.published, one.modified) == ("Ann Lee, Bo Ek", "2025-09-04T12:50:36+00:00", "2025-09-05")
    assert (one.image, one.section, one.language) == ("https://example.org/storm.jpg", "Weather", "en")


@pytest.mark.parametrize(
    "data",
    [
        {"@graph": [{"@type": "Organization", "name": "Harbour"}, ARTICLE]},
        [ARTICLE],
        {"@type": "WebPage", "mainEntity": ARTICLE},
        "<!-- " + json.dumps(ARTICLE) + " -->",
        "//<![CDATA[\n" + json.dumps(ARTICLE) + "\n//]]>",
    ],
)
def test_json_ld_is_found_wherever_the_page_itself_is_described(data):
    assert found(page(ld(data))).author == "Ann Lee, Bo Ek"


@pytest.mark.parametrize(("types", "author"), [(["Person", "Organization"], "Ann Lee"), ("Organization", None)])
def test_a_person_who_owns_the_site_is_an_author_and_an_organization_is_none(types, author):
    article = {**ARTICLE, "author": {"@type": "Person", "name": "Ann Lee"}}
    assert found(page(ld({"@graph": [article, {"@type": types, "name": "Ann Lee"}]}))).author == author


def test_the_reviews_of_a_product_and_the_articles_of_a_list_are_not_the_page():
    product = {"@type": "Product", "name": "Boat", "review": {"@type": "Review", "datePublished": "2020-01-01"}}
    others = [{**ARTICLE, "headline": name} for name in ("One", "Two", "Three")]
    assert found(page(ld(product))).published is None
    assert found(page(ld(others))).author is None


def test_the_questions_of_a_page_do_not_name_it():
    questions = [{"@type": "Question", "name": f"How high is wave {i}?"} for i in range(5)]
    head = "<meta property=og:title content='The waves of the harbour'>"
    asked = ld({"@type": "FAQPage", "mainEntity": questions})
    assert found(page(asked + head, title="The waves of the harb…")).title == "The waves of the harbour"
    assert found(page(ld(questions) + head, title="The waves of the harb…")).title == "The waves of the harbour"
    one = ld({"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "How high is a wave?"}})
    assert found(page(one, title="")).title == "How high is a wave?"


def test_lower_headlines_name_a_page_whose_title_begins_with_them():
    body = "<h1>Wind News: all the news of the sea</h1><h2>A storm hits the mole</h2>"
    one = found(page(body=body, title="A storm hits the mole | Wind - News of the sea and harbour"))
    assert one.title == "A storm hits the mole"


def test_the_line_above_the_text_names_a_page_of_which_nothing_else_does():
    body = "<div>Wind of the north</div><div>A storm at sea</div>"
    assert found(page("", body, title="Wind of the north : A storm at sea")).title == "A storm at sea"
    listing = found(page("", body, title="Wind of the north : A storm at sea"), article=False)
    assert listing.title == "Wind of the north : A storm at sea"


def test_a_headline_that_leads_home_does_not_name_the_page():
    body = "<h1><a href='/'>Harbour Blog</a></h1>"
    head = '<meta property="og:title" content="A storm at sea">'
    assert found(page(head, body, title="Harbour Blog: A storm at sea")).title == "A storm at sea"


def test_a_headline_that_leads_home_and_is_repeated_without_a_link_names_the_page():
    body = "<h1><a href='/'>A storm</a></h1><h1>A storm</h1>"
    assert found(page("", body, title="A storm · Harbour Blog")).title == "A storm"


def test_a_headline_that_leads_home_counts_as_a_headline_of_its_page():
    one = Page.from_html("<title>A storm</title><h1><a href='/'>Harbour Blog</a></h1>", URL)
    values = SiteValues()
    for _ in range(4):
        values.add(read(one, NOW).values)
    assert values.repeated(Field.TITLE, "harbour blog")


def test_meta_elements_say_it_too():
    head = (
        '<meta name=description content="Water &amp;amp; wind"><meta name=author content="By Ann Lee">'
        '<meta property="article:published_time" content="2025-09-04T12:50:36+0200">'
        '<meta property=og:image content="/a.png"><meta property="article:section" content="Weather">'
    )
    one = found(page(head))
    assert (one.description, one.author, one.published) == ("Water & wind", "Ann Lee", "2025-09-04T12:50:36+02:00")
    assert (one.image, one.section) == ("https://example.org/a.png", "Weather")


ROWS = f"<tr><td>Bo<td>{TEXT}" * 9
"""Rows of a table that has most of the page's text."""


@pytest.mark.parametrize(
    "body",
    [
        "<h1>A storm</h1><time datetime=2025-09-04>today</time>",
        "<h1>A star is born</h1><time datetime=2025-09-04>today</time>",
        "<h1>A storm</h1><ul><li><time datetime=2025-09-04>today</time> at the harbour</ul>",
        f"<table><tr><td><h1>A storm</h1>2025-09-04<tr><td>{TEXT}<tr><td>Since 1998<tr><td>{TEXT}</table>",
        "<h1>A storm</h1><p class='byline'>By Ann Lee, September 4, 2025</p>",
        "<h1>A storm</h1><div>Veröffentlicht am 4. September 2025</div>",
        "<p>2025年9月4日 08:00</p><h1>A storm</h1>",
        "<h1>A storm</h1><ul><li class=post-date>4 September 2025<li>Harbour</ul>",
        "<h1>A storm</h1><p>04.09.2025</p><div class=related><time datetime=2026-01-01>x</time></div>",
        "<h1>A storm</h1><p class=author>Written by <a href=/staff/lee>Ann Lee</a> in <a>Sea</a> on 4 September 2025</p>",
        f"<h1>A storm</h1><div><p>{'A lead of many words. ' * 9}</p>by Ann Lee / September 4, 2025 / </div>",
        "<h1>A storm</h1><p>The Harbour – 4 September 2025</p>",
        "<h1>A storm</h1><aside class=left><time class=published>September 4, 2025</time></aside>",
        "<h1>A storm</h1><time class='published updated' datetime=2025-09-04>today</time>",
        f"<h1>A storm</h1>{'<i></i>' * 80}<p>September 4, 2025</p>",
    ],
)
def test_a_date_next_to_the_headline_is_the_page_s(body):
    assert found(page(body=body)).published == "2025-09-04"
    assert found(page(body=body), article=False).published is None


@pytest.mark.parametrize(
    "body",
    [
        "<h1>A storm</h1><p>In the year of the great flood, on 4 September 1998, the harbour was lost to the sea.</p>",
        "<h1>A storm</h1><div class=comments><time datetime=2025-09-04>x</time></div>",
        "<h1>Dates</h1><ul><li>The gates open: 4 September 2025<li>They close: 9 September 2025</ul>",
        "<h1>Storms</h1><p><b><a href=/storm>Report of 4 September 2025</a></b></p>",
        "<h1>Dates</h1><dl><dt>Gates<dd><p><i>4 September 2025</i></p></dl>",
        "<h1>A storm</h1><p>© 4 September 2025 Harbour</p>",
        f"<h1>Storms</h1>{'<div>Released 2025-09-04</div>' * 3}",
        "<h1>Storms</h1><div>Released 2025-09-04</div><div>Released 2025-08-02</div><div>Released 2025-08-01</div>",
        f"<h1>A tool</h1><h2>Thanks</h2><p><i>2025-09-04</i>: Thanks to Ann Lee for her original tool. {TEXT}</p>",
        "<h1>A tool</h1><p><i>2025-09-04</i>: Many thanks to Ann Lee for testing many versions of the harbour code",
        "<h1>Storms</h1><table><tr><th>Name<th>State<tr><td>Ann<td>Published 2025-09-04 (shop)" + ROWS + "</table>",
        "<h1>Storms</h1><table><tr><td>Bo<td>2025-09-03<tr><td>Ann<td>2025-09-04<tr><td>Cy<td>2025-09-01"
        + ROWS
        + "</table>",
        "<h1>A storm</h1><p>al 20 de septiembre de 2025</p>",
        "<h1>A storm</h1><p>2 – 4 September 2025</p>",
        f"<h1>A storm</h1><div><p>{'A lead of many words. ' * 9}</p>valid through <b></b>September 4, 2025</div>",
        "<h1>Hunden Storm</h1><p>Født: 04.09.2025</p>",
        "<h1>Ann Lee</h1><p>Born September 4, 2025</p>",
        "<h1>Rex</h1><p>Date of birth: <time datetime=2025-09-04>4 September</time></p>",
        "<h1>Рекс</h1><p>Дата рождения: <time datetime=2025-09-04>04.09.2025 г.</time></p>",
        "<h1>Shows</h1><ol><li><time datetime=2025-09-04>4 Sep</time> All breeds, in the harbour hall, open class, judged very good</ol>",
        "<h1>О больнице</h1><p>Лицензия ЛО-78 от 4.09.2025</p>",
        "<h1>О больнице</h1><p>Приказ № 12 от 4 сентября 2025</p>",
        "<h1>Imprint</h1><p>Licence of September 4, 2025</p>",
        "<h1>A storm</h1><aside><h3>Calm</h3><time class=published>September 4, 2025</time></aside>",
        f"<h1>A storm</h1><div><p>{'A lead of many words. ' * 9}</p>A flood on September 4, 2025 / </div>",
        "<h1>A storm</h1><p>3/4/2025</p>",
        "<h1>A storm</h1><time datetime=2031-01-01>later</time>",
        "<h1>A storm</h1><time datetime=1970-01-01>never</time>",
    ],
)
def test_other_dates_are_not(body):
    assert found(page(body=body)).published is None


@pytest.mark.parametrize(
    "event",
    [
        "<p>2025-09-04 <time datetime='2025-09-04 10:00'>10:00</time>–<time datetime='2025-09-04 10:30'>10:30</time>, Room 2</p>",
        "<p><time datetime=2025-09-04>4 September</time> - <time datetime=2025-09-06>6 September 2025</time></p>",
        "<p><span><time datetime=2025-09-04>4</time></span> to <span><time datetime=2025-09-06>6</time></span></p>",
        "<p class=meta>4 September 2025 <time>10:00</time> – <time>10:30</time></p>",
    ],
)
def test_two_times_that_a_dash_joins_are_those_of_an_event(event):
    assert found(page(body=f"<h1>A storm</h1>{event}")).published is None
    line = "<p class=byline>By Ann Lee, September 3, 2025</p>"
    assert found(page(body=f"<h1>A storm</h1>{line}{event}")).published == "2025-09-03"


def test_an_element_around_the_only_entry_is_about_the_page_whatever_its_name():
    """Short posts are a small part of the text of a page with a long side column."""
    entry = f"<div class='post hentry'><article><p>{TEXT}</p></article></div>"
    date, side = "<h2 class=date-header>June 3, 2025</h2>", f"<ul class=archive>{f'<li>{TEXT}' * 9}</ul>"
    html = (
        f"<html><head><title>A storm</title></head><body><div class='widget blog'>{date}{entry}{{}}</div>{side}</body>"
    )
    assert found(html.format("")).published == "2025-06-03"
    assert found(html.format(entry.replace("article", "div"))).published is None


@pytest.mark.parametrize(
    "line",
    [
        "<time datetime=2025-09-04>4 September</time>, <time datetime=2025-09-06>6 September 2025</time>",
        "<time class=published datetime=2025-09-04>4</time> – <time class=updated datetime=2025-09-06>6</time>",
        "<time datetime=2025-09-04>4 September</time> – <b>News</b>",
    ],
)
def test_other_times_are_those_of_the_page(line):
    assert found(page(body=f"<h1>A storm</h1><p>{line}</p>")).published == "2025-09-04"


@pytest.mark.parametrize("names", ["comment state-published", "event-date date", "time recent"])
def test_a_date_whose_element_is_named_after_a_comment_or_event_is_not_the_page_s(names):
    box = f"<div class='{names}'>Ana <small>4 September 2025</small></div>"
    assert found(page(body="<h1>A storm</h1>") + box).published is None
    assert found(page(body=f"<h1>A storm</h1>{box}")).published is None


NEWER = "".join(
    f"<section class=tile><h4><a href=/{n}>A calm</a></h4><em>2025-09-0{n}</em></section>" for n in (6, 5, 4)
)


def test_dates_of_a_list_of_pages_beside_the_text_are_those_of_others():
    """The page has its own date, which the list of all pages shows as well."""
    site = SiteValues()
    for number in range(9):
        other = Page.from_html(page(body=f"<h1>Storm {number}</h1>") + NEWER, URL)
        site.add(read(other, NOW).values)
    line = "<div class=meta><span>2025-09-06</span><span>Ann Lee</span></div>"
    assert found(page(body=f"<h1>A storm</h1>{line}") + NEWER, site).published == "2025-09-06"
    assert found(page(body="<h1>A storm</h1>") + NEWER).published is None


def test_a_date_behind_the_text_needs_a_word_that_it_is_the_page_s():
    assert found(page(body="<h1>A storm</h1>") + "<p><em>2025-09-04</em></p>").published is None
    assert found(page(body="<h1>A storm</h1>") + "<p>Published: 2025-09-04</p>").published == "2025-09-04"


@pytest.mark.parametrize(
    "line",
    [
        "<hr>Last modified: $Date: 2025/09/04 13:15:18 $ <br>",
        "<hr>Ann Lee<br>Page last updated 2025-09-04<br>Harbour and wind, all rights are free, and so is the sea",
        "<address>Last modified: 4 September 2025</address>",
        "<h4>Last updated</h4><p>4 September 2025</p>",
    ],
)
def test_the_date_of_change_may_stand_bare_behind_the_text(line):
    long = f"<html><body><h1>A storm</h1><article>{'<p>' + TEXT + '</p>'}{'<p>x</p>' * 60}</article>{line}"
    assert (found(long).published, found(long).modified) == (None, "2025-09-04")
    inside = f"<html><body><h1>A storm</h1><article><p>{TEXT}</p>{'<p>x</p>' * 60}{line}</article>"
    assert found(inside).modified == "2025-09-04"


@pytest.mark.parametrize(
    "line",
    [
        "Stand: 4. September 2025",
        "Stand vom 4.9.2025",
        "Vérifié le 4 septembre 2025 - Direction de l’information sur les ports, les môles et les bateaux",
        "Page mise à jour le 4 septembre 2025",
        "Atualizado em 4 de setembro de 2025",
        "Fecha de actualización: 4 de septiembre de 2025",
        "Ultimo aggiornamento: 4 settembre 2025",
        "Bijgewerkt op 4 september 2025",
        "Uppdaterad 4 september 2025",
        "Last reviewed: 4 September 2025",
    ],
)
def test_the_date_of_change_behind_the_text_is_labelled_in_many_languages(line):
    long = f"<h1>A storm</h1><article><p>{TEXT}</p>{'<p>x</p>' * 60}<p>{line}</p></article>"
    assert found(f"<html><body>{long}</body></html>").modified == "2025-09-04"


def test_a_long_line_with_a_date_amid_it_is_no_line_about_the_date():
    line = "Vérifié le 4 septembre 2025 par la direction de l’information sur les ports, les môles et les bateaux"
    long = f"<h1>A storm</h1><article><p>{TEXT}</p>{'<p>x</p>' * 60}<p>{line}</p></article>"
    assert found(f"<html><body>{long}</body></html>").modified is None


def test_a_list_of_facts_behind_a_name_is_no_list_of_authors():
    age = "<ul><li><time datetime=2025-09-04>vor 3 Jahren</time></li><li>Aktualisiert</li></ul>"
    line = f"<div class=article-author><i></i><div><a href=/profiles/1>Ann Lee</a>{age}</div></div>"
    assert found(page(body=f"<h1>A storm</h1>{line}")).author == "Ann Lee"


def test_a_bare_text_about_a_change_is_no_label():
    line = f"<p>{TEXT}</p>The harbour was updated 2025-09-04 and it <b>is</b> new"
    assert found(page(body="<h1>A storm</h1>") + line).modified is None


@pytest.mark.parametrize("tag", ["h1", "h2"])
def test_a_headline_that_says_updated_is_no_label_of_the_date_below_it(tag):
    line = "<p class=byline>By Staff Writer, <time datetime=2025-09-04>2025-09-04</time></p>"
    one = found(page(body=f"<{tag}>A storm at sea (updated)</{tag}>{line}"))
    assert (one.published, one.modified) == ("2025-09-04", None)


CARD = "<div class=list><a href=/b>{}<div><time class=published datetime=2025-01-01>2025</time></div>{}</a></div>"


def test_the_date_on_the_card_of_another_page_is_not_the_page_s():
    assert found(page(body="<h1>A storm</h1>" + CARD.format("<h4>Calm</h4>", ""))).published is None
    assert found(page(body="<h1>A storm</h1>" + CARD.format("", f"<p>{TEXT} {TEXT}</p>"))).published is None
    own = "<h1>A storm</h1><a href=/a>Posted on <time datetime=2025-09-04>4 Sep</time> in the morning</a>"
    assert found(page(body=own)).published == "2025-09-04"


def test_a_date_of_publication_may_be_called_updated():
    body = "<h1>A storm</h1><time class=published-date datetime=2025-09-04>Updated Thu</time>"
    assert (found(page(body=body)).published, found(page(body=body)).modified) == (None, "2025-09-04")


@pytest.mark.parametrize(("line", "author"), [("By Ann Lee .", "Ann Lee"), ("By Ann Lee Jr.", "Ann Lee Jr.")])
def test_a_point_of_its_own_is_no_part_of_a_name(line, author):
    assert found(page(body=f"<h1>A storm</h1><p class=byline>{line}</p>")).author == author


@pytest.mark.parametrize(("around", "date"), [("div", "2025-09-04"), ("nav", None)])
def test_a_date_deep_in_a_menu_is_not_that_of_the_page(around, date):
    line = f"{'<div>' * 60}<p class=entry-date>September 4, 2025</p>{'</div>' * 60}"
    assert found(page(body=f"<h1>A storm</h1><{around}>{line}</{around}>")).published == date


@pytest.mark.parametrize("names", ["node-promo", "page with-sidebar", "has-widgets", "content nav-next"])
def test_a_box_with_the_headline_and_much_of_the_text_is_the_page(names):
    line = "<p class=byline>By Ann Lee, September 4, 2025</p>"
    one = found(f"<div class='{names}'><h1>A storm</h1>{line}<article><p>{TEXT}</p></article></div>")
    assert (one.author, one.published) == ("Ann Lee", "2025-09-04")
    one = found(f"<div class='{names}'>{line}</div><h1>A storm</h1><article><p>{TEXT * 3}</p></article>")
    assert (one.author, one.published) == (None, None)


@pytest.mark.parametrize(
    ("names", "others"),
    [
        ("mb-6 md:[grid-area:sidebar]", "mb-6 sidebar"),
        ("lg:mr-[--sidebar-width]", "mr-[2px] sidebar"),
        ("relative pointer-events-none", "relative events"),
    ],
)
def test_a_class_name_for_the_layout_alone_does_not_make_a_part_about_other_pages(names, others):
    def of_page(name):
        line = f"<div class='{name}'><p class=byline>By Ann Lee, September 4, 2025</p></div>"
        return found(page(body=f"<h1>A storm</h1>{line}"))

    assert (of_page(names).author, of_page(names).published) == ("Ann Lee", "2025-09-04")
    assert (of_page(others).author, of_page(others).published) == (None, None)


@pytest.mark.parametrize(
    ("names", "around", "author"),
    [
        ("pb-widget pb-widget-line", "pb-widget", "Ann Lee"),
        ("pb-widget-line", "pb-widget", "Ann Lee"),
        ("pb-widget pb-widget-recent", "pb-widget", None),  # the rest of the name has a meaning
        ("pb-widget pb-widget-line", "part", None),  # no frame of the text
        ("widget", "pb-widget", None),
    ],
)
def test_the_frames_of_a_page_builder_around_headline_and_text_have_no_meaning(names, around, author):
    headline, text = f"<div class={around}><h1>A storm</h1></div>", f"<p>{'It rained for days. ' * 20}</p>"
    line = f"<div class='{names}'><p class=byline>By Ann Lee, September 4, 2025</p></div>"
    assert found(page(body=f"{headline}{line}<div class={around}>{text}</div>")).author == author
    # a name around the text alone, such as that of comments, keeps its meaning
    assert found(page(body=f"<h1>A storm</h1>{line}<div class={around}>{text}</div>")).author is None


@pytest.mark.parametrize(
    "names", ["node node-promoted", "post-footer", "entry_footer", "articleFooter", "asset-footer"]
)
def test_a_promoted_record_and_the_foot_of_a_record_are_of_the_page(names):
    line = "<p class=byline>By Ann Lee, September 4, 2025</p>"
    one = found(page(body="<h1>A storm</h1>") + f"<div class='{names}'>{line}</div>")
    assert (one.author, one.published) == ("Ann Lee", "2025-09-04")
    one = found(page(body="<h1>A storm</h1>") + f"<div class='site-footer'>{line}</div>")
    assert (one.author, one.published) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "Posted the September 1, 2017 at 0h00",
        "This entry was posted on September 1, 2017",
        "Dieser Artikel wurde am 1. September 2017 um 14:48 von",
    ],
)
def test_a_line_that_says_when_a_page_was_published_wins_over_names(line):
    other = "<div class=info>July 13, 2017</div>"
    assert found(page(body=f"<h1>A storm</h1><div>{line}</div>{other}")).published == "2017-09-01"
    assert found(page(body=f"<h1>A storm</h1><div>Open since September 1, 2017</div>{other}")).published == "2017-07-13"


def test_the_headline_is_that_of_the_content_and_not_of_what_follows():
    line = "<p class=byline>By Ann Lee, September 4, 2025</p>"
    more = "<h1>A calm</h1><p class=byline>By Bo Ek, September 5, 2025</p>"
    one = found(f"<h1>A storm</h1>{line}<article><p>{TEXT}</p></article>{'<i></i>' * 9}{more}")
    assert (one.author, one.published) == ("Ann Lee", "2025-09-04")


def test_the_only_byline_between_a_headline_and_a_text_far_below_counts():
    line, gap = "<p class=byline>By {}</p>", "<i></i>" * 90
    one = found(page(body=f"<h1>A storm</h1>{gap}{line.format('Ann Lee')}{gap}"))
    assert one.author == "Ann Lee"
    two = found(page(body=f"<h1>A storm</h1>{gap}{line.format('Ann Lee')}{line.format('Bo Ek')}{gap}"))
    assert two.author is None


def test_a_byline_behind_the_content_counts_if_there_is_none_above():
    below = "<p class=author><a href=/users/lee>Ann Lee</a></p>"
    assert found(page(body="<h1>A storm</h1>") + below).author == "Ann Lee"
    assert found(page(body="<h1>A storm</h1><p class=author>Bo Ek</p>") + below).author == "Bo Ek"


def test_the_only_author_named_far_behind_the_content_counts():
    """The box about the author may be deeply nested."""
    below, head = "<p class=author><a href=/users/lee>{}</a></p>", page(body="<h1>A storm</h1>")
    assert found(head + "<i></i>" * 80 + below.format("Ann Lee") * 2).author == "Ann Lee"
    assert found(head + "<i></i>" * 80 + below.format("Ann Lee") + below.format("Bo Ek")).author is None
    assert found(head + "<i></i>" * 110 + below.format("Ann Lee")).author is None
    assert found(head + "<i></i>" * 80 + below.format("About Ann Lee")).author is None


def entry(foot):
    return (
        f"<html><head><title>A storm</title></head><body><article><h1>A storm</h1><p>{TEXT}</p>{foot}</article></body>"
    )


def test_the_foot_of_an_article_has_its_date_and_author():
    foot = "<footer class=entry-footer><p>Published: <time datetime=2025-09-04>Thu</time></p>{}</footer>"
    by = "<address>By <a href=/author/ann-lee>Ann Lee</a></address>"
    one = found(entry(foot.format(by)))
    assert (one.published, one.author) == ("2025-09-04", "Ann Lee")
    one = found(entry(f"<div class=side>{foot.format(by)}</div>".replace("side", "widget")))
    assert (one.published, one.author) == (None, None)
    below = entry("").replace("</body>", foot.format(by) + "</body>")
    assert (found(below).published, found(below).author) == (None, None)  # the foot of the page
    assert found(entry("<footer><time>Created: Wed 18 May 2022.</time></footer>")).published == "2022-05-18"


@pytest.mark.parametrize(
    "line",
    ["<b>2025年9月4日</b>に<b>Yuki</b>が最終更新", "2025年9月4日更新", "<time datetime=2025-09-04>4日</time>に更新"],
)
@pytest.mark.parametrize("name", ["meta", "line"])
def test_a_date_of_change_may_be_told_by_the_words_after_it(line, name):
    one = found(page(body=f"<h1>A storm</h1><p class={name}>{line}</p>"))
    assert (one.published, one.modified) == (None, "2025-09-04")


@pytest.mark.parametrize(
    "line",
    ["2025-09-04 更新日: 2025-09-06", "<b>2025-09-04</b> <i>更新于 2025-09-06</i>", "2025-09-04 <a>更新情報</a>"],
)
def test_the_label_of_the_next_date_does_not_tell_of_this_one(line):
    assert found(page(body=f"<h1>A storm</h1><p class=meta>{line}</p>")).published == "2025-09-04"


def test_the_day_in_the_address_is_when_it_was_published():
    assert found(page(), url="https://example.org/2025/09/04/storm").published == "2025-09-04"


def test_an_update_is_told_apart():
    one = found(page(body="<h1>A storm</h1><p>Published: 4 Sep 2025</p><p>Last updated: 6 Sep 2025</p>"))
    assert (one.published, one.modified) == ("2025-09-04", "2025-09-06")


@pytest.mark.parametrize(
    ("declared", "author"),
    [
        ("Author Ann Lee", "Ann Lee"),
        ("Analysis by Ann Lee", "Ann Lee"),
        ("& Ann Lee //", "Ann Lee"),
        ("Текст: Анна Ли", "Анна Ли"),
        ("【作者：李安】", "李安"),
        ("本报记者 李安", "李安"),
        ("<b>Ann Lee</b>", None),
        ("www.wind.example", None),
        ("Example.org", None),  # the host
    ],
)
def test_a_declared_author_is_a_name(declared, author):
    assert found(page(f'<meta name="author" content="{html.escape(declared)}">')).author == author


def test_the_authors_of_a_citation_have_their_first_names_first():
    def author(*names, meta="citation_author"):
        return found(page("".join(f'<meta name="{meta}" content="{one}">' for one in names))).author

    assert author("Lee, Ann", "Bo Ek") == "Ann Lee, Bo Ek"
    assert author("Ann Lee, PhD") == "Ann Lee, PhD"
    assert author("Lee, Ann, Jr.") == "Lee, Ann, Jr."
    assert author("Lee, Ann", meta="author") == "Lee, Ann"


@pytest.mark.parametrize("line", ["Updated", "Published:", "Sat", "Thu", "Jun 2 Written By", "Insights from"])
def test_the_label_of_a_date_is_no_author(line):
    assert found(page(body=f"<h1>A storm</h1><div class=byline>{line}</div>")).author is None


@pytest.mark.parametrize(
    "byline",
    [
        *(
            "By Ann Lee",
            "Ann Lee Updated December 19, 2025",
            "Ann Lee on Friday",
            "Ann Lee | Sea",
            "//Posted by Ann Lee",
            "Ann Lee Last updated: yesterday",
            "Article de Ann Lee",
            "Ann Lee 责任编辑：韩保林",
            "Ann Lee（责编: 韩保林 PK155）",
            "by Ann Lee ●",
            "By <a>Ann Lee</a> <span>Senior Sea Reporter</span>",
            "<a>Ann Lee</a><span>, Writer, Hardware</span>",
            "<b>Ann Lee</b><br><i>Head of Moles, Co-Founder</i>",
        ),
        *("por Ann Lee » Jue", "by Ann Lee » 3. May", "Автор статьи: Ann Lee Просмотров: 170", "Autor: Ann Lee"),
        "Added by <a>Ann Lee</a> <a>2 minutes</a> ago. Updated <a>1 minute</a> ago.",
    ],
)
def test_a_byline_ends_with_the_name(byline):
    assert found(page(body=f"<h1>A storm</h1><p class=author>{byline}</p>")).author == "Ann Lee"


@pytest.mark.parametrize(
    "byline",
    [
        "<div class=info><span>كتب: أحمد سالم</span> <span>الخميس 1 يونيو 2023 - 10:10 م</span></div>",
        "<div class=info><span>بقلم أحمد سالم</span><span>1 حزيران 2023</span></div>",
        "<p class=author>بقلم : أحمد سالم</p><p class=date>1 يونيو/ حزيران 2023</p>",
        "<p class=author>بقلم</p><p class=author>أحمد سالم</p><p>يونيو 1، 2023</p>",
    ],
)
def test_arabic_bylines_and_dates_are_read(byline):
    one = found(page(body=f"<h1>A storm</h1>{byline}"))
    assert (one.author, one.published) == ("أحمد سالم", "2023-06-01")


@pytest.mark.parametrize("line", ["كتب جديدة 2023", "كتب جديدة: 1 يونيو 2023"])
def test_arabic_books_are_no_byline(line):
    assert found(page(body=f"<h1>A storm</h1><p class=info>{line}</p>")).author is None


@pytest.mark.parametrize("label", ["آخر تحديث:", "עודכן:"])
def test_dates_of_change_are_known_in_arabic_and_hebrew(label):
    one = found(page(body=f"<h1>A storm</h1><p>1 يونيو 2023</p><p>{label} 2 يونيو 2023</p>"))
    assert (one.published, one.modified) == ("2023-06-01", "2023-06-02")


@pytest.mark.parametrize("line", ["ولد: 1 يونيو 2023", "נולד: 1 ביוני 2023", "من 3 مايو إلى 1 يونيو 2023"])
def test_dates_of_lives_and_events_in_arabic_and_hebrew_are_not_the_page_s(line):
    assert found(page(body=f"<h1>A storm</h1><p>{line}</p>")).published is None


@pytest.mark.parametrize(
    "line",
    [
        "<p>The rules of the harbour are in <a href=/contributor/moles.html>Moles</a>.</p>",
        "<div class=info><p>If the sign can not be coded by Latin-1, it is left out</p></div>",
        "<ul><li><a href=/contributor/index.html>Harbour Guide</a></ul>",
    ],
)
def test_a_link_or_a_word_in_a_sentence_is_no_author(line):
    assert found(page(body=f"<h1>A storm</h1>{line}")).author is None


@pytest.mark.parametrize(
    "line",
    [
        "<p>Ein Beitrag aus unserer Reihe von <a href=/autoren/lee>Ann Lee</a></p>",
        "<p>In der Ausgabe vom 3. Mai <a href=/autoren/lee>Ann Lee</a></p>",
        "<p class=meta>Posted three days ago in 3 parts by Ann Lee</p>",
        "<p class=meta>Posted today by Ann Lee</p>",
        "<p>These lines were put down al yedei <a rel=author href=/author/lee>Ann Lee</a></p>",
    ],
)
def test_a_byline_may_be_as_long_as_a_sentence(line):
    assert found(page(body=f"<h1>A storm</h1>{line}")).author == "Ann Lee"


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<b>Ann Lee</b> <i>Editor</i>", "Ann Lee"),
        ("<b>Ann Editor</b> <i>Critic</i>", "Ann Editor"),
        ("<b>Editor</b> <b>Ann Lee</b> <i>Critic</i>", "Editor Ann Lee"),
    ],
)
def test_a_role_in_an_element_behind_the_name_is_no_part_of_it(byline, author):
    assert found(page(body=f"<h1>A storm</h1><p class=author>{byline}</p>")).author == author


def test_a_name_may_have_small_particles():
    assert found(page(body="<h1>A storm</h1><p class=byline>By Ann van den Lee</p>")).author == "Ann van den Lee"


def test_a_name_that_begins_like_a_byline_stays_whole():
    assert found(page(body="<h1>A storm</h1><p class=author>Von Neumann</p>")).author == "Von Neumann"


@pytest.mark.parametrize(
    "byline",
    [
        "<ul><li>By <a href=/author/ann-lee.html>Ann Lee</a></li></ul>",
        "<p><a href='/?author=3'>Ann Lee</a> in Weather</p>",
        "<p><a href=https://a.example/autoren/lee>Ann Lee</a></p>",
        "<div class=author><p class=name>Ann Lee</p><p class=title>Editor</p></div>",
        "<div class=author><span class=author-badge>Lv4</span><span class='author fn'>Ann Lee</span></div>",
        "<p class=author>Written by</p><p class=author>Ann Lee</p>",
        "<p class=author>Follow</p><p class=author>More from Bo</p><p class=author>Ann Lee</p>",
        "<p class=byline>Friday January 18, 2017 11:44 am PST by <a href=/x>Ann Lee</a></p>",
        "<p class=submitted>Submitted by <a href=/users/lee>Ann Lee</a> on Friday</p>",
        "<p><a href=/staff/ann-lee>Ann Lee</a></p>",
        "<p>By <b class=author>Ann Lee</b>, last updated on Friday</p>",
        "<p>The last post <i><b><u><s><q><b class=author>Ann Lee</b></q></s></u></b></i></p>",  # nested too deep
        "<header><h2>A storm</h2><footer class=meta>By <span class=vcard>Ann Lee</span></footer></header>",
        "<p class=meta>Par <span>Ann Lee</span>, <span>21 mars 2023</span></p>",
        "<p class=submitted>Enviado por Ann Lee el Lun, 03/21/2023</p>",
        "<p>By Ann Lee on <time datetime=2023-05-04>4 May 2023</time></p>",
        "<div>Posted by Ann Lee, May 4, 2023</div>",
        "<p>Von Ann Lee am <time datetime=2023-05-04>4. Mai 2023</time></p>",
    ],
)
def test_a_byline_may_be_a_link_or_stand_beside_other_things(byline):
    assert found(page(body=f"<h1>A storm</h1>{byline}")).author == "Ann Lee"


@pytest.mark.parametrize(
    "body",
    [
        "<p><a href=/authors/>All authors</a></p>",
        "<p><a href=/about/author-ship>Ann Lee</a></p>",
        "<p class=author>por Redacción</p>",
        "<p class=author>Redaktion</p>",
        "<h2><span id=author>Autor</span> Subject</h2>",
        "<p>7 replies, last updated 5 years ago by <a href=/u><b class=author>Ann Lee</b></a>.</p>",
        "<p class=meta>Last reply by Ann Lee</p>",
        "<p>Letzter Beitrag von <a class=author href=/u>Ann Lee</a></p>",
        "<div class='buttons author_buttons'><a href=/find>Find</a></div>",
        "<p class=author>[责任编辑：韩保林 PK155]</p>",
        "<p class=author>未知 责任编辑：棒棒不是糖</p>",
        "<p class=byline>Wednesday</p>",
        "<p class=author>This review is posted by</p>",
        "<p class=info>A tax of 8.5 % that is paid by the host</p>",
        "<p class=date>Di 4. Mai, 2023</p>",
        "<p>By the harbour, May 4, 2023</p>",
        "<p>Updated by Ann Lee on May 4, 2023</p>",
        "<p class=info>Bezahlt von allen Mitgliedern, 2023</p>",
        "<p><a rel=author href=https://plus.example/1>Google+</a></p>",
        "<div class=vcard>Dept. of Revenue P.O. Box 53180 Philadelphia, PA 19105, second floor, room 2</div>",
        "<p class=submitted>Friday, 18 January</p>",
        "<section class='node author-ana'><a href=/news>Blogs</a></section>",
    ],
)
def test_a_role_and_the_text_of_a_section_are_no_author(body):
    assert found(page(body=f"<h1>A storm</h1>{body}")).author is None


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<div class=authors><b>编写者</b><ul><li>Ann Lee</ul></div>", "Ann Lee"),
        (
            "<div class=authors><div>Verfasst</div><ul><li>Ann Lee<li>The Harbour Team</ul></div>",
            "Ann Lee, The Harbour Team",
        ),
        ("<div class=byline><ul><li>Ann Lee<li>3 replies</ul></div>", "Ann Lee"),
        ("<div class=author><span>Kirjoittaja:</span> <span>Ann Lee</span></div>", "Ann Lee"),
        ("<p class=author><i>著者：</i>Ann Lee</p>", "Ann Lee"),
        ("<p class=author><i>著者：</i></p>", None),
    ],
)
def test_the_label_of_a_byline_is_no_name_in_any_language(byline, author):
    assert found(page(body=f"<h1>A storm</h1>{byline}")).author == author


def test_a_byline_without_markup_counts_where_there_is_no_other():
    assert found(page(body="<h1>A storm</h1><p>By Bo Ek</p>")).author == "Bo Ek"
    assert found(page(body="<h1>A storm</h1><p>By Bo Ek</p>"), article=False).author is None
    assert found(page("<meta name=author content='Ann Lee'>", "<h1>A storm</h1><p>By Bo Ek</p>")).author == "Ann Lee"


def test_breadcrumbs_are_the_section():
    crumbs = "<ul class=breadcrumb><li><a href=/>Home</a> <li><a href=/news>News</a> » <li><a href=/eu>Europe</a></ul>"
    assert found(page(body=crumbs)).section == "News > Europe"
    steps = [{"position": n, "name": name} for n, name in ((3, "A storm"), (1, "Home"), (2, "News"))]
    assert found(page(ld({"@type": "BreadcrumbList", "itemListElement": steps}))).section == "News"
    other = "<ul class=breadcrumb><li><a href=/news>News</a><li><a href=/eu>A storm</a><li>A storm in May</ul>"
    assert found(page(body=f"<h1>A storm</h1>{other}")).section == "News > A storm"  # it is the page above this one
    assert found(page(body=other.replace("<li>A storm in May", ""))).section == "News"


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("<div id=footer><ul><li>This page was last edited on 3 May 2025, at 20:04.</li></ul></div>", "2025-05-03"),
        ("<footer><p>Diese Seite wurde zuletzt am 3. Mai 2025 um 20:04 Uhr bearbeitet.</p></footer>", "2025-05-03"),
        (
            "<footer>This content was last updated on <time datetime=2025-05-03>May 3</time> by us</footer>",
            "2025-05-03",
        ),
        ("<li>La dernière modification de cette page a été faite le 3 mai 2025 à 20:04.</li>", "2025-05-03"),
        ("<li>Questa pagina è stata modificata per l'ultima volta il 3 mag 2025 alle 20:04.</li>", "2025-05-03"),
        ("<li>Эта страница в последний раз была отредактирована 3 мая 2025 в 20:04.</li>", "2025-05-03"),
        ("<div id=footer><ul><li>Our office was last painted on 3 May 2025.</li></ul></div>", None),
        ("<footer><p>This post was last edited on 3 May 2025</p></footer>", None),
    ],
)
def test_the_last_change_of_the_page_as_a_whole_may_stand_anywhere_below_the_text(date, day):
    links = "<p><a href=/x>More</a></p>" * 40
    assert found(page(body="<h1>A storm</h1>").replace("</body>", f"{links}{date}</body>")).modified == day


@pytest.mark.parametrize(
    ("foot", "day"),
    [
        ("<p>Last updated: <time datetime=2025-05-03>May 3</time></p>", "2025-05-03"),
        ("<p>Last built: <time datetime=2025-05-03>May 3</time></p>", None),
        ("<nav>Last updated: <time datetime=2025-05-03>May 3</time></nav>", None),
        ("<p>Last updated with <b>care</b> <time datetime=2025-05-03>May 3</time></p>", None),
    ],
)
def test_the_footer_of_the_text_may_have_the_date_of_its_last_change(foot, day):
    body = "<main><div><h1>A storm</h1></div><div>{}<footer>{}<a href=/x>Next</a></footer></div></main>"
    text = f"<article><p>{TEXT}</p></article>"
    html = "<html lang=en><title>A storm</title><body>{}</body>"
    assert found(html.format(body.format(text, foot))).modified == day
    outside = f"<main><h1>A storm</h1>{text}</main><footer>{foot}</footer>"
    assert found(html.format(outside)).modified is None


def test_the_sign_of_a_permalink_is_no_part_of_a_name():
    line = "<h2 id=author>{}<a href=#author>¶</a></h2>"
    assert found(page(body="<h1>A storm</h1>" + line.format("Author"))).author is None
    assert found(page(body="<h1>A storm</h1>" + line.format("Ann Lee"))).author == "Ann Lee"


def test_metadata_in_terms_of_dublin_core_counts():
    names = {"title": "A storm", "creator": "Ann Lee", "date": "2025-05-03", "description": "On Tuesday night."}
    head = "".join(f'<meta name="dcterms.{name}" content="{value}">' for name, value in names.items())
    one = found(page(head))
    assert (one.author, one.published, one.description) == ("Ann Lee", "2025-05-03", "On Tuesday night.")
    assert found(page("<meta name=published_at content=2025-05-03T10:36:36+00:00>")).published[:10] == "2025-05-03"


def test_what_all_pages_say_is_said_of_the_site():
    site = SiteValues()
    head = (
        '<meta name=description content="The news"><meta name=author content="Harbour Press">'
        "<meta property=og:image content=/logo.png><meta name=date content=2026-02-02>"
    )
    for number in range(10):
        url = f"https://example.org/{number}"
        site.add(read(Page.from_html(page(head, title=f"Number {number} - Daily Wind"), url), NOW).values)
    one = found(page(head, title="A storm - Daily Wind"), site)
    assert one.title == "A storm"
    assert (one.description, one.author, one.image, one.published) == (None, None, None, None)
    alone = found(page(head, title="A storm - Daily Wind"))
    assert alone.title == "A storm"  # a short end, and nothing to compare with
    assert (alone.description, alone.author, alone.published) == ("The news", "Harbour Press", "2026-02-02")


@pytest.mark.parametrize("name", ["twitter:title", "og:title"])
def test_a_description_that_is_declared_as_a_title_is_no_name_of_the_page(name):
    text = "How the sea updates the moles of a harbour, and what it takes."
    head = f'<meta name="description" content="{text}"><meta name="{name}" content="{text}">'
    assert found(page(head, "<h1>Harbour updates</h1>")).title == "A storm"
    known = head.replace("How the", "A storm: how the")
    assert found(page(known, "<h1>Harbour updates</h1>")).title == "Harbour updates"


def test_titles_lose_the_brackets_that_half_of_the_pages_have():
    site = SiteValues()
    for number in range(10):
        title = f"Lists {number} (Storm Manual)" if number < 8 else f"Chapter {number} (pilots)"
        site.add(read(Page.from_html(page(title=title), f"https://example.org/{number}"), NOW).values)
    assert found(page(title="Sockets (Storm Manual)"), site).title == "Sockets"
    assert found(page(title="Sockets (pilots)"), site).title == "Sockets (pilots)"


def test_pages_with_one_title_are_named_after_their_lower_headline():
    site = SiteValues()
    post = "<h2>Re: The mole of number {}</h2>"
    for number in range(10):
        one = page(body=post.format(number), title="Pilots, the list")
        site.add(read(Page.from_html(one, f"https://example.org/{number}"), NOW).values)
    assert found(page(body=post.format(3), title="Pilots, the list"), site).title == "Re: The mole of number 3"
    assert found(page(body="<h2>One</h2><h2>Two</h2>", title="Pilots, the list"), site).title == "Pilots, the list"


def module(name, layer="harbour"):
    heads = f"<h1>Layer: {layer}</h1>{{}}<article><h2>2025-09-04</h2><h2>Module: {name}</h2><h3>Description</h3>"
    return f"<html><head><title>The policy</title></head><body>{heads}<p>{TEXT}</p></article></body>"


def test_pages_with_one_title_and_one_headline_are_named_after_a_lower_one_of_their_text():
    site = SiteValues()
    for number in range(10):
        one = Page.from_html(module(f"mole {number}").format(""), f"https://example.org/{number}")
        assert describe(one, read(one, NOW), SiteValues(), (0,), TEXT, article=True).title == "The policy"
        site.add(read(one, NOW).values)
    menu = "<h2>Menu of the mole</h2>"
    assert found(module("mole 3").format(menu), site).title == "Module: mole 3"
    assert found(module("mole 3").format(menu), site, article=False).title == "The policy"
    assert found(module("mole 3", "pier").format(menu), site).title == "Layer: pier"


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://storms.example/", "Storms - Weather for harbour masters and their pilots"),
        ("https://storms.example", "Storms - Weather for harbour masters and their pilots"),
        ("https://storms.example/?srsltid=AfmBOo", "Storms - Weather for harbour masters and their pilots"),
        ("https://storms.example/?page=2", "Weather for harbour masters and their pilots"),
        ("https://storms.example/about", "Weather for harbour masters and their pilots"),
        ("https://storms.invalid/", "Weather for harbour masters and their pilots"),
        ("about:blank", "Storms - Weather for harbour masters and their pilots"),  # no host says what the site is
    ],
)
def test_the_title_of_a_front_page_keeps_the_name_of_the_site(url, title):
    assert found(page(title="Storms - Weather for harbour masters and their pilots"), url=url).title == title


def test_the_first_lines_of_the_text_tell_which_piece_of_the_title_names_a_page_alone():
    one = Page.from_html(page(title="Wind of the north : A storm at sea"), "https://example.org/1")
    for text, title in (
        ("A storm at sea\nIt broke.", "A storm at sea"),
        ("It broke.\n" * 50 + "A storm at sea", one.title),
    ):
        assert describe(one, read(one, NOW), SiteValues(), (0,), text, article=True).title == title


def test_the_name_of_a_book_is_not_the_title_of_its_chapter():
    body = "<h1>The Book of Storms</h1><h2>Waves and wind</h2>"
    assert found(page(body=body, title="Waves and wind - The Book of Storms")).title == "Waves and wind"


@pytest.mark.parametrize(
    ("title", "headlines"),
    [
        ("The Harbour Wiki: {}", "<h1>The Harbour Wiki</h1><h1>{}</h1>"),
        ("{} - The Harbour Wiki", "<h1>The Harbour Wiki</h1><h2>{}</h2>"),
    ],
)
def test_a_page_of_a_wiki_is_not_named_after_the_wiki(title, headlines):
    site = SiteValues()
    for name in ("Moles", "Long piers", "Old ropes", "Cranes", "Storms", "Tugs"):
        one = Page.from_html(page(body=headlines.format(name), title=title.format(name)), f"https://example.org/{name}")
        site.add(read(one, NOW).values)
    for name in ("Moles", "Long piers"):
        assert found(page(body=headlines.format(name), title=title.format(name)), site).title == name


SPANISH = "La tormenta llegó del oeste durante la noche, y por la mañana el puerto estaba bajo dos metros de agua. "


@pytest.mark.parametrize(
    ("end", "author", "expected"),
    [
        ("Harborer", "Harborer", None),
        ("המזח The Mole", "המזח", None),
        ("The Harborer", "Harborer", "Harborer"),
        ("Ann Lee", "Ann Lee", "Ann Lee"),
        ("Harborer's Blog", "Harborer", "Harborer"),
    ],
)
def test_one_word_that_is_the_name_of_the_site_in_its_titles_is_no_author(end, author, expected):
    site, byline = SiteValues(), f"<p class=author>{author}</p>"
    for name in ("Moles", "Piers", "Ropes", "Cranes"):
        one = Page.from_html(page(title=f"{name} - {end}"), URL)
        site.add(read(one, NOW).values)
    assert found(page(body=byline, title=f"Ropes - {end}"), site).author == expected
    assert found(page(body=byline, title=f"Ropes - {end}")).author == author


def test_menus_tell_the_language_of_a_list_of_names():
    names = "Luigi Di Liberto Cristina Diana Bargu Alessandro Ciofini Monica Amici Sara Bonanno Fabio Aaron Brancotti"
    menu = "".join(f"<li>{one}" for one in ("Chi siamo", "Come iscriversi al partito", "Statuto e regolamenti"))
    english = "".join(f"<li>{one}" for one in ("Who we are", "How to become a member of us", "Rules and other papers"))
    for inner, language in ((menu * 2, "it"), (english * 2, "en-us")):
        html = f"<html lang=en-US><body><ul>{inner}</ul><article><p>{names}</article>"
        assert found(html, text=names).language == language


def test_code_does_not_tell_the_language():
    prose = f"<article><h1>A storm</h1><p>{TEXT * 6}</p><pre>{SPANISH * 9}</pre><p>{TEXT}</p></article>"
    one = Page.from_html(f"<html lang=en><body>{prose}", URL)
    nodes = (one.flat.tag.index("article"),)
    assert describe(one, read(one, NOW), SiteValues(), nodes, SPANISH * 9 + TEXT, article=True).language == "en"
    code = Page.from_html(f"<html lang=en><body><article><pre>{SPANISH * 4}</pre></article>", URL)
    assert describe(code, read(code, NOW), SiteValues(), nodes, SPANISH * 4, article=True).language == "es"


def test_the_declared_language_must_agree_with_the_text():
    assert found(page().replace("lang=en", "lang=en-GB")).language == "en-gb"
    german = "Der Sturm kam am Dienstag von Westen, und am Morgen stand der ganze Hafen zwei Meter unter Wasser."
    assert found(page(), text=german).language == "de"
    assert found(page().replace("lang=en", "lang=fr"), text="12").language == "fr"
    assert found(page().replace("lang=en", ""), text="12").language is None


@pytest.mark.parametrize(
    ("lang", "locale", "language"),
    [
        ("en", "en_US", "en"),
        ("en", "en-US", "en"),
        ("en-GB", "en_US", "en-us"),
        ("de", "en_US", "en-us"),
        ("", "en_US", "en-us"),
    ],
)
def test_the_region_of_a_locale_does_not_count_if_the_page_names_none(lang, locale, language):
    head = f'<meta property="og:locale" content="{locale}">'
    assert found(page(head).replace("lang=en", f"lang={lang}" if lang else "")).language == language


@pytest.mark.parametrize(
    ("lang", "served", "text", "language"),
    [
        ("", "en-AU", TEXT, "en-au"),
        ("", "de, en-AU", TEXT, "en-au"),
        ("lang=en", "en-AU", TEXT, "en"),
        ("lang=de", "en-AU", TEXT, "en-au"),
        ("", "de", TEXT, "en"),
        ("", "de", "12", "de"),
        ("", "*, ;q=1, \x00", TEXT, "en"),
    ],
)
def test_the_server_may_declare_the_language(lang, served, text, language):
    assert found(page().replace("lang=en", lang), text=text, served=served).language == language


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["NewsArticle", "2025-01-01"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["@type", "@graph", "author", "name", "headline", "datePublished", "image", "url", "itemListElement",
             "position", "item", "articleSection", "publisher", "inLanguage", "mainEntity", "breadcrumb"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_JSON)
def test_no_json_ld_breaks_it(data):
    one = found(page(ld(data)))
    assert one.title == "A storm" or "headline" in json.dumps(data) or "name" in json.dumps(data)
    assert all(value is None or isinstance(value, str) for value in (one.author, one.image, one.section, one.published))


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"@graph":' * 50_000,
        '{"datePublished": ' + "9" * 100_000 + "}",
        '["a"' + ',"a"' * 300_000 + "]",
        "{",
        "",
    ],
    ids=["deep", "deep objects", "digits", "long", "cut off", "empty"],
)
def test_hostile_json_ld_is_passed_over(raw):
    assert found(page(ld(raw))).author is None


@settings(max_examples=40, deadline=None)
@given(pages())
def test_no_page_breaks_it(one):
    known = describe(one, read(one, NOW), SiteValues(), (0,), "", article=True)
    assert known.published is None or known.published[:2] in ("19", "20")


def test_deep_and_wide_pages_are_read_in_time():
    deep = "<div itemprop=author itemscope>" * 3000 + "x"
    wide = "".join(f"<span class='date c{n}'>4 May 20{n % 26:02}</span>" for n in range(3000))
    assert found(page(body=deep)).title == "A storm"
    assert found(page(body=wide)).title == "A storm"


def test_a_link_to_a_section_about_authors_is_no_author():
    line = "<ul><li><a id=toc-Authors href=#{}>3 Finch Lee</a></ul>"
    assert found(page(body=f"<h1>A storm</h1>{line.format('Authors')}")).author is None
    assert found(page(body=f"<h1>A storm</h1>{line.format('').replace('3 ', '')}")).author == "Finch Lee"
