"""A report of one site as a single HTML file, for people without the UI."""

import os
from pathlib import Path

from markupsafe import Markup

from sitecrawl.clock import now
from sitecrawl.errors import FeedFileError
from sitecrawl.ui.responses import static_file
from sitecrawl.ui.site import site_values
from sitecrawl.ui.state import Ui


def report(ui: Ui, host: str) -> str:
    """Return the report of a site, without scripts and external resources. Raises UnknownSiteError."""
    style = Markup(static_file("ui.css").decode())  # noqa: S704  (a file of the package)
    return ui.pages.text("report.html", {**site_values(ui, host), "style": style, "made": now()})


def write_report(text: str, name: str) -> None:
    """Write a report to a file, which atomically replaces an older one. Raises FeedFileError."""
    path = Path(name)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, "utf-8")
        draft.replace(path)
    except OSError as error:
        raise FeedFileError(f"{path}: the report cannot be written ({error.strerror}); name another file") from error
