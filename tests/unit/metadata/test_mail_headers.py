"""The sender and the date of a message in an archive of mails."""

import datetime as dt

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.metadata.describe import describe, read
from sitecrawl.metadata.mail_headers import mail_header
from sitecrawl.metadata.shared_values import SiteValues

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
MAIL = "<a href='mailto:ann%40a.example'>ann@a.example</a>"
LIST = (
    "<ul><li><em>To</em>: <a href='mailto:list@a.example'>list@a.example</a></li><li><em>Subject</em>: A storm</li>"
    "<li><em>From</em>: Ann Lee &lt;{}&gt;</li><li><em>Date</em>: Thu, 04 Sep 2025 23:43:00 +0000</li></ul>"
)
HEADERS = [
    LIST.format(MAIL),
    f"<p><strong>From:</strong> Ann Lee ({MAIL})<br><strong>Date:</strong> Thu Sep 04 2025 - 12:28:01 MST</p>",
    f"<p>Von: Ann Lee {MAIL}<br>Datum: Do, 4. September 2025</p>",
    "<p>From: <a href='mailto:ann@a.example'>Ann Lee</a><br>Sent: 4 Sep 2025</p>",
    f"<b>Ann Lee</b> {MAIL}<br><i>Thu Sep 4 17:51:18 CEST 2025</i><p></p>",
]
OTHERS = [
    f"<p>From: Ann Lee {MAIL}</p><p>In 2025 much was said.</p>",
    f"<p>Questions go to Ann Lee {MAIL}</p><p>Date: 4 Sep 2025</p>",
    "<p>From: <a href=/ann>Ann Lee</a><br>Date: 4 Sep 2025</p>",
    f"<p>Ann Lee {MAIL}</p><i>4 Sep 2025</i>",
    f"<b>Ann Lee</b> {MAIL}<p>We met. <i>4 Sep 2025</i></p>",
]


def page(header):
    text = "The storm came in from the west on Tuesday night, and by morning the harbour was under water."
    html = f"<html><head><title>A storm</title></head><body><h1>A storm</h1>{header}<pre>{text}</pre></body></html>"
    return Page.from_html(html, "https://lists.a.example/msg1.html")


def header(one):
    years = [row for row, text in enumerate(one.flat.text) if "20" in text]
    return mail_header(one.flat, years)


@pytest.mark.parametrize("html", HEADERS)
def test_the_header_of_a_message_has_its_sender_and_date(html):
    one = page(html)
    found = header(one)
    assert found is not None
    assert found.sender is not None
    assert found.sender[1] == "Ann Lee"
    nodes = (one.flat.tag.index("pre"),)
    known = describe(one, read(one, NOW), SiteValues(), nodes, "The storm came in.", article=True, served=None)
    assert (known.author, known.published) == ("Ann Lee", "2025-09-04")


@pytest.mark.parametrize("html", OTHERS)
def test_other_lines_with_an_address_are_no_header(html):
    assert header(page(html)) is None


def test_an_address_is_no_name():
    found = header(page(LIST.replace("Ann Lee", "").format(MAIL)))
    assert found is not None
    assert found.sender is None
