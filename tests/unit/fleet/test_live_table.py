import io
import json
import sys

from sitecrawl.fleet.live_table import LiveTable, Report, Running, parse_report, summary
from sitecrawl.fleet.supervisor import REPORT

REPORTS = {
    0: Report(4, 100, 210, (Running("a.example", 30, 5, 10), Running("b.example", 10, 0, 10))),
    1: Report(1, 50, 190, (Running("c.example", 0, 0, 0),)),
}


def test_a_report_comes_through_a_line_of_json():
    assert parse_report(json.dumps(REPORTS[0])) == REPORTS[0]


def test_the_state_of_all_processes_in_one_line():
    assert summary(REPORTS) == "3 crawls, 40 pages, 4.0/s; 5 crawls ended; 2 processes, 400 MB"


def test_the_table_shows_the_running_crawls_and_keeps_other_lines():
    screen = io.StringIO()
    table = LiveTable(screen)
    table.heard(0, REPORT + json.dumps(REPORTS[0]))
    table.heard(0, "a line with [brackets] and \x1b[31mcolour")
    table.close()
    shown = screen.getvalue()
    assert "a line with [brackets] and" in shown
    assert "\x1b[31m" not in shown


def test_without_rich_there_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    screen = io.StringIO()
    table = LiveTable(screen)
    table.heard(0, REPORT + json.dumps(REPORTS[0]))
    assert screen.getvalue() == "\r\x1b[2K2 crawls, 40 pages, 4.0/s; 4 crawls ended; 1 process, 210 MB"
    table.heard(0, "another line")
    assert screen.getvalue().endswith("\r\x1b[2Kanother line\n")
