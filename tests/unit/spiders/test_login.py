from urllib.parse import parse_qs

import pytest
from scrapy.http import HtmlResponse

from sitecrawl.crawl.site_options import Login
from sitecrawl.spiders.login import _form

LOGIN = Login("https://example.org/login", {"user": "me", "password": "p&q="})
FORM = "<form method=post action='/enter?x=1'><input name=user value=nobody><input name=password type=password>"


def sent(html):
    request = _form(HtmlResponse(LOGIN.url, body=html.encode(), encoding="utf-8"), LOGIN)
    return request.url, request.method, parse_qs(request.body.decode(), keep_blank_values=True)


@pytest.mark.parametrize(
    "html",
    [
        f"<form><input name=q></form>{FORM}<input type=hidden name=token value=t><input type=checkbox name=keep></form>",
        f"{FORM}<input type=hidden name=token value=t></form><form method=post><input name=user></form>",
    ],
)
def test_the_form_with_the_fields_is_sent_with_its_hidden_ones(html):
    fields = {"user": ["me"], "password": ["p&q="], "token": ["t"]}
    assert sent(html) == ("https://example.org/enter?x=1", "POST", fields)


@pytest.mark.parametrize(
    "html", ["", "<p>no form</p>", "<form action=/x><input name=user><input name=password></form>"]
)
def test_without_such_a_form_the_fields_are_posted_to_the_page(html):
    assert sent(html) == (LOGIN.url, "POST", {"user": ["me"], "password": ["p&q="]})
