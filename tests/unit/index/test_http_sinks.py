"""The sinks that speak HTTP, against the real process of `tests/integration/bulk_server.py` and against answers."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from sitecrawl.index import opensearch
from sitecrawl.index.meilisearch import MeilisearchSink
from sitecrawl.index.opensearch import OpenSearchSink, bulk_lines
from sitecrawl.index.sinks import BatchRefusedError, SinkUnavailableError
from sitecrawl.index.typesense import TypesenseSink
from sitecrawl.index.webhook import WebhookSink
from tests.integration.bulk_server import REFUSED
from tests.integration.feeding import bulk_server, state
from tests.unit.index.builders import deletion, upsert


@pytest.fixture(scope="module")
def server():
    with bulk_server() as url:
        yield url


@pytest.fixture
def answers():
    """A server that returns the answers in a list, and records its requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.server.seen.append((self.command, self.path, dict(self.headers), body))
            status, body, headers = self.server.answers.pop(0)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST

        def log_message(self, *arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as one:
        one.answers, one.seen = [], []
        one.url = f"http://127.0.0.1:{one.server_address[1]}"
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield one
        one.shutdown()


def items(*statuses, kind="t"):
    made = [{"index": {"_id": "x", "status": status, "error": {"type": kind, "reason": "r"}}} for status in statuses]
    return 200, json.dumps({"errors": True, "items": made}).encode(), {}


def test_the_phrase_is_whole_in_the_bulk_body():
    text = "the US House of Representatives\nnext block"
    action, source = (json.loads(line) for line in bulk_lines(upsert(1, text=text)).splitlines())
    assert action == {"index": {"_id": upsert(1).id, "version": 10, "version_type": "external_gte"}}
    assert source["text"] == text
    assert bulk_lines(deletion(1)).count(b"\n") == 1


def test_the_index_is_made_with_its_mapping_and_filled(server):
    sink = OpenSearchSink(server, index="first")
    assert sink.send([upsert(1), upsert(2), deletion(3)]) == []
    seen = state(server)
    assert seen["created"]["first"]["mappings"]["properties"]["text"]["analyzer"] == "words"
    assert set(seen["created"]["first"]["mappings"]["properties"]) >= set(upsert(1).document.__dataclass_fields__)
    assert {upsert(1).id, upsert(2).id} <= set(seen["documents"])
    OpenSearchSink(server, index="first").send([deletion(2, sequence=30)])
    assert upsert(2).id not in state(server)["documents"]
    assert seen["broken"] == []
    sink.close()


def test_a_late_change_does_not_undo_a_newer_one(server):
    sink = OpenSearchSink(server, index="late")
    sink.send([upsert(50, sequence=20, text="new")])
    assert sink.send([upsert(50, sequence=10, text="old"), deletion(50, sequence=15)]) == []
    assert state(server)["documents"][upsert(50).id]["source"]["text"] == "new"
    sink.close()


def test_a_refused_document_does_not_hold_up_the_others(server):
    sink = OpenSearchSink(server, index="refused")
    (rejection,) = sink.send([upsert(60), upsert(61, text=REFUSED), upsert(62)])
    assert rejection.change.url == "https://example.org/61"
    assert "mapper_parsing_exception: failed to parse" in rejection.reason
    assert rejection.final
    assert {upsert(60).id, upsert(62).id} <= set(state(server)["documents"])
    sink.close()


def test_large_batches_are_several_requests(server, monkeypatch):
    monkeypatch.setattr(opensearch, "MAX_BYTES", 3200)
    before = state(server)["requests"]
    OpenSearchSink(server, index="large").send([upsert(number) for number in range(100, 120)])
    assert state(server)["requests"] - before == 4
    assert upsert(119).id in state(server)["documents"]


def test_settings_pipeline_and_headers_are_sent(answers):
    answers.answers = [(404, b"", {}), (200, b"{}", {}), items(201)]
    url = answers.url.replace("//", "//user:p%40ss@") + "/prefix/"
    given = {"index": "my index", "pipeline": "clean up", "headers": {"X-Key": "k"}, "settings": {"mappings": {}}}
    OpenSearchSink(url, **given).send([upsert(1)])
    (_, head, _, _), (_, put, _, mapping), (_, post, headers, _) = answers.seen
    assert (head, put) == ("/prefix/my%20index", "/prefix/my%20index")
    assert json.loads(mapping) == {"mappings": {}}
    assert post == "/prefix/my%20index/_bulk?pipeline=clean%20up"
    assert headers["Authorization"] == "Basic dXNlcjpwQHNz"
    assert headers["X-Key"] == "k"
    assert headers["Content-Type"] == "application/x-ndjson"


@pytest.mark.parametrize(
    "answer",
    [
        items(201, 429),
        items(403, 403, kind="cluster_block_exception"),  # an index that is read-only
        items(201, 403, kind="cluster_block_exception"),  # since the second document
        items(404, 404, kind="index_not_found_exception"),  # and may not be created by a document
        items(400, 400, kind="index_closed_exception"),
        items(403, 403, kind="security_exception"),
        items(503, 201),  # a shard that is away: unavailable_shards_exception
        (503, b"away", {}),
        (429, b"later", {"Retry-After": "7"}),
        (401, b"who are you", {}),
        (404, b"no such index", {}),
        (302, b"", {"Location": "/elsewhere"}),
        (200, b"<html>a login page</html>", {}),
        (200, b"[]", {}),
        (200, b'{"items": []}', {}),
        (200, b'{"items": [{}, {}]}', {}),
    ],
)
def test_answers_that_mean_later(answers, answer):
    answers.answers = [(200, b"", {}), answer]
    with pytest.raises(SinkUnavailableError) as caught:
        OpenSearchSink(answers.url).send([upsert(1), upsert(2)])
    assert caught.value.pause == (7.0 if answer[0] == 429 else 0.0)


@pytest.mark.parametrize("status", [401, 403, 404])
@pytest.mark.parametrize("changes", [[upsert(2)], [upsert(1), upsert(2)], [upsert(3), upsert(2)]])
def test_documents_that_are_forbidden_are_refused_however_many_they_are(answers, status, changes):
    statuses = [201 if change == upsert(1) else status for change in changes]
    answers.answers = [(200, b"", {}), items(*statuses)]
    rejected = OpenSearchSink(answers.url).send(changes)
    assert [one.change for one in rejected] == [change for change in changes if change != upsert(1)]
    assert not any(one.final for one in rejected)  # the server may be set up wrongly


@pytest.fixture
def closing():
    """A server that closes each connection after an answer without saying so, and counts those that it accepts."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted = []

        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                accepted.append(1)
                with connection, connection.makefile("rb") as file:
                    size = 0
                    while line := file.readline().strip():
                        if line.lower().startswith(b"content-length:"):
                            size = int(line.split(b":")[1])
                    file.read(size)
                    connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", accepted
        listening.shutdown(socket.SHUT_RDWR)


def test_a_connection_that_the_server_closed_meanwhile_is_no_outage(closing):
    url, accepted = closing
    sink = WebhookSink(url)
    for _ in range(3):
        assert sink.send([upsert(1)]) == []
    assert len(accepted) == 3
    sink.close()


def test_answers_for_single_documents(answers):
    answers.answers = [(200, b"", {}), items(409, 404, 500, 400)]
    changes = [upsert(1), deletion(2), upsert(3), upsert(4)]
    rejections = OpenSearchSink(answers.url).send(changes)
    assert [(one.change.url[-1], one.final) for one in rejections] == [("3", False), ("4", True)]


def test_a_server_that_is_full_refuses_no_document(answers):
    """Typesense and Meilisearch answer 422 then, as for a document that they cannot read."""
    full = b'{"message": "Rejecting write: running out of resource type: OUT_OF_DISK"}'
    answers.answers = [(200, b"{}", {}), (200, b"", {}), (422, full, {})]
    with pytest.raises(SinkUnavailableError, match=r"422 .*OUT_OF_DISK"):
        TypesenseSink(answers.url, "key").send([upsert(1)])
    full = b'{"message": "no space left", "code": "no_space_left_on_device", "type": "system"}'
    answers.answers = [(200, b"{}", {}), (200, b'{"results": []}', {}), (422, full, {})]
    with pytest.raises(SinkUnavailableError, match=r"422 .*no space left"):
        MeilisearchSink(answers.url).send([upsert(1)])


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_batch_that_is_refused_as_a_whole(answers, status):
    answers.answers = [(200, b"", {}), (status, b"too large", {})]
    with pytest.raises(BatchRefusedError, match="too large"):
        OpenSearchSink(answers.url).send([upsert(1)])


def test_an_index_that_cannot_be_made_is_nobodys_fault(answers):
    answers.answers = [(404, b"", {}), (400, b'{"error": "bad mapping"}', {})]
    with pytest.raises(SinkUnavailableError, match=r"cannot be created.*bad mapping"):
        OpenSearchSink(answers.url).send([upsert(1)])


def test_no_server():
    with pytest.raises(SinkUnavailableError, match=r"127\.0\.0\.1:1: no response"):
        OpenSearchSink("http://user:secret@127.0.0.1:1").send([upsert(1)])


def test_a_webhook_gets_json(answers):
    answers.answers = [(204, b"", {}), (500, b"oops", {}), (422, b"no", {})]
    sink = WebhookSink(f"{answers.url}/hook?key=1", headers={"Authorization": "Bearer t"})
    assert sink.send([upsert(1), deletion(2)]) == []
    _, path, headers, body = answers.seen[0]
    assert (path, headers["Authorization"], headers["Content-Type"]) == ("/hook?key=1", "Bearer t", "application/json")
    assert [one["operation"] for one in json.loads(body)["changes"]] == ["upsert", "delete"]
    with pytest.raises(SinkUnavailableError):
        sink.send([upsert(1)])
    with pytest.raises(BatchRefusedError):
        sink.send([upsert(1)])
    sink.close()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/hook/", "/hook/"),
        ("/hook/?token=a", "/hook/?token=a"),
        ("", "/"),
        ("/a b/\u00e9", "/a%20b/%C3%A9"),
        ("/%41", "/%41"),
    ],
)
def test_a_webhook_posts_to_its_url_as_it_was_given(answers, path, asked):
    answers.answers.append((200, b"", {}))
    sink = WebhookSink(f"http://127.0.0.1:{answers.server_port}{path}")
    sink.send([upsert("a")])
    sink.close()
    assert answers.seen[0][1] == asked
