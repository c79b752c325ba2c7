"""The login of a crawl: a form that is sent before the first page."""

import re
from typing import Final
from urllib.parse import urlencode, urljoin

from lxml import html
from scrapy import Request, Spider
from scrapy.http import Response, TextResponse

from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.site_options import Login
from sitecrawl.shell.site_spider import site_spider_of

LOGIN: Final = "login"
"""Finish reason of a crawl whose login failed; the crawl can be resumed."""
_META: Final = {"dont_obey_robotstxt": True, "handle_httpstatus_all": True}
"""Meta of the login requests. They ignore robots.txt, since the operator asks for them and not the crawler."""


async def log_in(spider: Spider, crawl: SiteCrawl) -> bool:
    """Send the login form of the crawl, if it has one; return whether pages may be requested.

    After a failure the crawl ends; the reason, without names or values of fields, is in `crawl.report.given_up`.
    """
    login = crawl.options.access.login
    if login is None:
        return True
    try:
        problem = await _problem(spider, login)
    except Exception as error:  # noqa: BLE001  (whatever the error, the crawl ends with one line)
        problem = f"{type(error).__name__}"
    if problem is None:
        return True
    crawl.report.given_up = f"the login at {login.url} failed: {problem}"
    spider.logger.error("%s: %s", crawl.site.host, crawl.report.given_up)
    site_spider = site_spider_of(spider.crawler)
    if site_spider is not None:
        site_spider.engine.end(LOGIN)
    return False


async def _problem(spider: Spider, login: Login) -> str | None:
    """Send the form; return the reason why the login failed, or None if it succeeded."""
    engine = spider.crawler.engine
    assert engine is not None
    page = await engine.download_async(Request(login.url, dont_filter=True, meta=dict(_META)))
    if page.status >= 400:
        return f"its page answers HTTP {page.status}"
    form = _form(page, login)
    if login.url.startswith("https:") and not form.url.startswith("https:"):
        return "its form would be sent without encryption"
    answer = await engine.download_async(form)
    if answer.status >= 400:
        return f"HTTP {answer.status}"
    text = answer.text if isinstance(answer, TextResponse) else ""
    if login.check and re.search(login.check, text) is None:
        return "the page after it does not match `check`"
    return None


def _form(page: Response, login: Login) -> Request:
    """Return the request that submits the form with the login's fields; without such a form, a POST to the page."""
    url, values = login.url, list(login.fields.items())
    if isinstance(page, TextResponse) and page.text.strip():
        root = html.document_fromstring(page.text, base_url=page.url)
        forms: list[html.FormElement] = root.forms  # type: ignore[attr-defined]
        forms = [form for form in forms if form.method == "POST" and set(login.fields) <= set(form.fields)]
        if forms:
            form = forms[0]
            url = urljoin(page.url, form.action or page.url)
            values = [(name, value) for name, value in form.form_values() if name not in login.fields] + values
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Request(url, method="POST", body=urlencode(values), headers=headers, dont_filter=True, meta=dict(_META))
