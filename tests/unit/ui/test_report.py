import re

import pytest

from sitecrawl.commandline import run
from sitecrawl.errors import FeedFileError, UnknownSiteError
from sitecrawl.ui.report import report, write_report


def test_a_report_is_one_page_that_fetches_nothing(ui):
    made = report(ui, "example.org")
    for words in ("example.org", "Layout 1", "fetched", "mean confidence", "Story 3"):
        assert words in made
    assert re.findall(r"<(script|link|img|iframe|form)\b", made) == []
    assert "default-src &#39;none&#39;" in made or "default-src 'none'" in made
    assert "url(" not in made and "@import" not in made
    assert len(made) < 150_000


def test_a_report_replaces_an_older_one(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report("new", str(path))
    assert (path.read_text(), list(tmp_path.iterdir())) == ("new", [path])
    with pytest.raises(FeedFileError, match="the report cannot be written"):
        write_report("x", str(tmp_path / "no" / "folder.html"))


def test_an_unknown_site(ui):
    with pytest.raises(UnknownSiteError):
        report(ui, "nowhere.example")


def test_the_command_writes_the_report_to_a_file_or_standard_output(url, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    target = tmp_path / "report.html"
    setting = f"SITECRAWL_DATABASE_URL={url}"
    assert run(["report", "example.org", "-O", str(target), "-s", setting]) == 0
    assert "example.org" in target.read_text()
    assert run(["report", "example.org", "-s", setting]) == 0
    assert "<!doctype html>" in capsys.readouterr().out
    assert run(["report", "nowhere.example", "-s", setting]) == 1
    assert "nowhere.example: the database holds nothing" in capsys.readouterr().err
    assert run(["report"]) == 2


def test_the_command_of_the_ui_refuses_what_is_unsafe(url, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    setting = f"SITECRAWL_DATABASE_URL={url}"
    assert run(["ui", "--address", "0.0.0.0", "-s", setting]) == 2
    assert "give a password" in capsys.readouterr().err
    (tmp_path / "password").write_text("\n")
    assert run(["ui", "--password-file", str(tmp_path / "password"), "-s", setting]) == 2
    assert "its first line is the password" in capsys.readouterr().err
    assert run(["ui", "--password-file", str(tmp_path / "none"), "-s", setting]) == 2
    assert run(["ui", "--address", "192.0.2.1", "--password-file", str(_password(tmp_path)), "-s", setting]) == 2
    assert "192.0.2.1:8765 cannot be used" in capsys.readouterr().err


def _password(folder):
    path = folder / "good"
    path.write_text("a long enough password\n")
    return path
