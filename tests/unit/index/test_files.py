import json

import pytest

from sitecrawl.index.markdown import MarkdownSink, file_name
from sitecrawl.index.ndjson import NdjsonSink
from sitecrawl.index.sinks import SinkUnavailableError
from tests.unit.index.builders import deletion, document, upsert


def lines(folder):
    return [json.loads(line) for path in sorted(folder.iterdir()) for line in path.read_text("utf-8").splitlines()]


def test_lines_say_what_to_do(tmp_path):
    sink = NdjsonSink(str(tmp_path / "new"))
    assert sink.send([upsert(1, text="grün\n漢字"), deletion(2)]) == []
    sink.close()
    first, second = lines(tmp_path / "new")
    assert first["operation"] == "upsert"
    assert first["document"]["text"] == "grün\n漢字"
    assert "author" not in first["document"]
    assert second == {"operation": "delete", "id": deletion(2).id, "url": "https://example.org/2", "sequence": 11}


def test_files_are_rotated_and_continued(tmp_path):
    for number in range(1, 7):
        sink = NdjsonSink(str(tmp_path), max_bytes=1200)
        sink.send([upsert(number)])
        sink.close()
    assert [row["document"]["title"] for row in lines(tmp_path)] == [f"Page {number}" for number in range(1, 7)]
    sizes = [path.stat().st_size for path in sorted(tmp_path.iterdir())]
    assert len(sizes) > 1
    assert all(size >= 1200 for size in sizes[:-1])
    assert sorted(path.name for path in tmp_path.iterdir())[0] == "changes-000001.ndjson"


def test_a_line_torn_by_a_kill_is_removed(tmp_path):
    path = tmp_path / "changes-000003.ndjson"
    path.write_bytes(b'{"whole": 1}\n' + b'{"torn' + b"x" * 100_000)
    NdjsonSink(str(tmp_path)).send([upsert(1)])
    assert [row.get("whole") or row["operation"] for row in lines(tmp_path)] == [1, "upsert"]
    path.write_bytes(b"no line at all")
    NdjsonSink(str(tmp_path)).send([upsert(1)])
    assert [row["operation"] for row in lines(tmp_path)] == ["upsert"]


@pytest.mark.parametrize("sink", [NdjsonSink, MarkdownSink])
def test_a_folder_that_cannot_be_written_is_a_sink_that_is_away(tmp_path, sink):
    (tmp_path / "file").write_text("")
    with pytest.raises(SinkUnavailableError, match="file"):
        sink(str(tmp_path / "file")).send([upsert(1)])


def test_one_file_a_page_with_front_matter(tmp_path):
    change = upsert(1, title='A "quoted": title', section="Home > News", url="https://example.org/News/One two?x=1")
    MarkdownSink(str(tmp_path)).send([change])
    path = tmp_path / "example.org" / f"News-One-two-x-1-{change.id[:12]}.md"
    front, _, body = path.read_text("utf-8").removeprefix("---\n").partition("---\n\n")
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert {name: json.loads(value) for name, value in fields.items()} == {
        **{"id": change.id, "url": "https://example.org/News/One two?x=1", "site": "example.org", "kind": "content"},
        **{"title": 'A "quoted": title', "section": ["Home", "News"], "date": "2026-03-01", "language": "en"},
        **{"words": 6, "updated_at": "2026-03-01T00:00:00+00:00", "sequence": 10},
    }
    assert body == "First line\n\n- one\n- two\n\nLast line\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_stored_html_becomes_markdown(tmp_path):
    html = "<h2>Head</h2><p>the US <b>House</b> of</p><pre><code>a &lt; b</code></pre>"
    change = upsert(1, html=html)
    MarkdownSink(str(tmp_path)).send([change])
    written = (tmp_path / file_name(change.url, change.id)).read_text("utf-8").partition("---\n\n")[2]
    assert written == "## Head\n\nthe US **House** of\n\n```\na < b\n```\n"


def test_the_highest_sequence_wins_whatever_the_order(tmp_path):
    sink = MarkdownSink(str(tmp_path))
    sink.send([upsert(1, sequence=20, text="new")])
    sink.send([upsert(1, sequence=10, text="old"), deletion(1, sequence=15)])
    path = tmp_path / file_name(upsert(1).url, upsert(1).id)
    assert path.read_text("utf-8").endswith("new\n")
    sink.send([deletion(1, sequence=21), deletion(1, sequence=21)])
    assert not path.exists()


@pytest.mark.parametrize("hosts", [("example.org", "www.example.org"), ("www.example.org", "example.org")])
def test_a_page_whose_site_adds_or_drops_www_has_one_file(tmp_path, hosts):
    before, after = (f"https://{host}/1" for host in hosts)
    sink = MarkdownSink(str(tmp_path))
    sink.send([upsert(1, sequence=10, url=before), upsert(1, sequence=20, url=after)])
    sink.send([upsert(1, sequence=10, url=before)])  # late and repeated
    assert [path.parent.name for path in tmp_path.rglob("*.md")] == [hosts[1]]
    sink.send([upsert(1, sequence=30, url=before), deletion(1, sequence=40, url=after)])
    assert not list(tmp_path.rglob("*.md"))


@pytest.mark.parametrize(
    "url",
    ["https://example.org/", "https://example.org/../../etc/passwd", f"https://example.org/{'漢' * 500}", "", "a/../b"],
)
def test_any_url_stays_inside_the_folder(tmp_path, url):
    change = upsert(1, url=url)
    MarkdownSink(str(tmp_path / "in")).send([change._replace(url=url)])
    (path,) = (tmp_path / "in").rglob("*.md")
    assert path.resolve().is_relative_to((tmp_path / "in").resolve())
    assert len(path.name.encode()) < 255
    MarkdownSink(str(tmp_path / "in")).send([deletion(1)._replace(id=change.id, url=url)])
    assert not path.exists()


def test_documents_leave_out_what_is_not_known():
    assert "image" not in document().as_dict()
    assert document(anchors=("here",)).as_dict()["anchors"] == ("here",)
