"""Pages that show nothing until their scripts run."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.script_shell import TEXT, needs_scripts

LOADED = "<script src=/app.js></script>"
TOLD = "<noscript>This application needs JavaScript.</noscript>"


@pytest.mark.parametrize(
    ("html", "needs"),
    [
        (f"<head>{LOADED}</head><body><div id=app></div>{TOLD}</body>", True),
        (f"<body><p>{'m' * (TEXT - 1)}</p>{LOADED}</body>", True),
        (f"<body><p>{'m' * TEXT}</p>{LOADED}</body>", False),
        ("<body><p>Soon.</p><script>count()</script></body>", False),
        ("<body><p>Soon.</p></body>", False),
    ],
)
def test_a_page_without_text_that_loads_a_script(html, needs):
    assert needs_scripts(Page.from_html(f"<html>{html}</html>", "https://example.org/")) is needs
