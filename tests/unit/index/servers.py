"""Servers with the APIs that sinks use, as documented; they fail on request.

Each is in this process, keeps what it was sent in `documents` (id: document), and refuses a text with REJECTME. With
`fail` a share of the requests is answered with 503 or not at all; of these every second one was taken before.
"""

import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

REFUSED = "REJECTME"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, handler, fail=0.0, seed=1):
        super().__init__(("127.0.0.1", 0), handler)
        self.documents, self.tasks, self.created, self.broken = {}, [], {}, []
        self.fail, self.random, self.lock = fail, random.Random(seed), threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *arguments):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_request(self):
        body, server = self.body(), self.server
        with server.lock:
            luck, taken, silent = (server.random.random() for _ in range(3))
            if luck >= server.fail:
                return self.answer(*self.reply(body))
            if taken < 0.5:
                self.reply(body)
            if silent < 0.5:
                self.close_connection = True
                return None
            return self.answer(503, {"message": "busy"})

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request


class Meilisearch(Handler):
    """meilisearch.com/docs/reference/api: indexes, documents, tasks; a task is done when it is looked at again."""

    def reply(self, body):
        server, path = self.server, urlsplit(self.path)
        parts = path.path.strip("/").split("/")
        if self.headers.get("Authorization") != "Bearer key":
            return 403, {"message": "The provided API key is invalid.", "code": "invalid_api_key", "type": "auth"}
        if parts[0] == "tasks":
            return self.task(int(parts[1]))
        if self.command == "POST" and parts == ["indexes"]:
            return self.enqueue("indexCreation", json.loads(body))
        if self.command == "GET" and len(parts) == 2:
            if parts[1] not in server.created:
                said = {"message": f"Index `{parts[1]}` not found.", "code": "index_not_found"}
                return 404, {**said, "type": "invalid_request"}
            return 200, {"uid": parts[1], "primaryKey": "id"}
        what = parts[2:]
        if what == ["settings"] and self.command == "PATCH":
            return self.enqueue("settingsUpdate", (parts[1], json.loads(body)))
        if what == ["documents", "fetch"] and self.command == "POST":
            asked = json.loads(body)
            if "id" not in server.created.get(parts[1], {}).get("filterableAttributes", ()):
                message = "Attribute `id` is not filterable."
                return 400, {"message": message, "code": "invalid_document_filter", "type": "invalid_request"}
            ids = json.loads(asked["filter"].removeprefix("id IN "))
            found = [server.documents[one] for one in ids if one in server.documents][: asked["limit"]]
            return 200, {"results": [{name: one[name] for name in asked["fields"]} for one in found]}
        if what == ["documents"] and parse_qs(path.query) == {"primaryKey": ["id"]}:
            return self.enqueue("documentAdditionOrUpdate", json.loads(body))
        if what == ["documents", "delete-batch"]:
            return self.enqueue("documentDeletion", json.loads(body))
        server.broken.append((self.command, self.path))
        return 400, {"message": "unknown", "code": "bad_request", "type": "invalid_request"}

    def enqueue(self, kind, what):
        self.server.tasks.append([kind, what, None])
        return 202, {"taskUid": len(self.server.tasks) - 1, "status": "enqueued", "type": kind}

    def task(self, number):
        for one in self.server.tasks[: number + 1]:
            if one[2] is None:
                one[2] = self.do(one[0], one[1]) or "succeeded"
                return 200, {"uid": number, "status": "processing", "error": None}
        done = self.server.tasks[number][2]
        if done == "succeeded":
            return 200, {"uid": number, "status": "succeeded", "error": None}
        return 200, {"uid": number, "status": "failed", "error": done}

    def do(self, kind, what):
        server = self.server
        if kind == "indexCreation":
            if what["uid"] in server.created:
                return {"message": "there", "code": "index_already_exists", "type": "invalid_request"}
            server.created[what["uid"]] = {}
        elif kind == "settingsUpdate":
            server.created[what[0]].update(what[1])
        elif kind == "documentDeletion":
            for one in what:
                server.documents.pop(one, None)
        elif any(REFUSED in one["text"] for one in what):
            return {"message": "a document is at fault", "code": "malformed_payload", "type": "invalid_request"}
        else:
            server.documents.update({one["id"]: one for one in what})
        return None


class Typesense(Handler):
    """typesense.org/docs/api: collections, and documents by import, export and delete by query."""

    def reply(self, body):
        server, path = self.server, urlsplit(self.path)
        parts, query = path.path.strip("/").split("/"), parse_qs(path.query)
        if self.headers.get("X-TYPESENSE-API-KEY") != "key":
            return 401, {"message": "Forbidden - a valid `x-typesense-api-key` header must be sent."}
        if self.command == "POST" and parts == ["collections"]:
            schema = json.loads(body)
            if schema["name"] in server.created:
                return 409, {"message": f"A collection with name `{schema['name']}` already exists."}
            server.created[schema["name"]] = schema
            return 201, schema
        if parts[1] not in server.created:
            return 404, {"message": "Not Found"}
        what, ids = parts[2:], query.get("filter_by", ["id:[]"])[0].removeprefix("id:[").removesuffix("]").split(",")
        if not what:
            return 200, server.created[parts[1]]
        if what == ["documents", "export"]:
            names = query["include_fields"][0].split(",")
            found = [server.documents[one] for one in ids if one in server.documents]
            return 200, b"\n".join(json.dumps({name: one[name] for name in names}).encode() for one in found)
        if what == ["documents"] and self.command == "DELETE":
            return 200, {"num_deleted": sum(server.documents.pop(one, None) is not None for one in ids)}
        if what == ["documents", "import"] and query == {"action": ["upsert"]}:
            return 200, b"\n".join(json.dumps(self.put(json.loads(line))).encode() for line in body.splitlines())
        server.broken.append((self.command, self.path))
        return 400, {"message": "Bad Request"}

    def put(self, document):
        fields = {one["name"]: one for one in self.server.created["pages"]["fields"]}
        missing = [name for name, one in fields.items() if not one.get("optional") and name not in document]
        if missing or REFUSED in document["text"]:
            return {
                "code": 400,
                "document": json.dumps(document),
                "error": f"Field `{missing or 'text'}`",
                "success": False,
            }
        self.server.documents[document["id"]] = document
        return {"success": True}


class Receiver(Handler):
    """A receiver of the webhook: 204 if all is stored, 422 for a batch that it will not take."""

    def reply(self, body):
        changes = json.loads(body)["changes"]
        if any(REFUSED in change.get("document", {}).get("text", "") for change in changes):
            return 422, {"message": "one is at fault"}
        for change in changes:
            known = self.server.tasks  # (id, sequence) that were stored, deletions too
            newest = max((number for name, number in known if name == change["id"]), default=0)
            if change["sequence"] < newest:
                continue
            known.append((change["id"], change["sequence"]))
            if change["operation"] == "delete":
                self.server.documents.pop(change["id"], None)
            else:
                self.server.documents[change["id"]] = change["document"]
        return 204, b""


def letters(text):
    """A vector of a text: how often it has each of five letters."""
    return [float(text.count(one)) for one in "aeinr"]


class Embeddings(Handler):
    """platform.openai.com/docs/api-reference/embeddings: a vector for each text; they may come in any order."""

    def reply(self, body):
        if self.headers.get("Authorization") != "Bearer key":
            return 401, {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}}
        if (self.command, self.path) != ("POST", "/v1/embeddings"):
            self.server.broken.append((self.command, self.path))
            return 404, {"error": {"message": "Unknown URL"}}
        asked = json.loads(body)
        if any(REFUSED in one for one in asked["input"]):
            return 400, {"error": {"message": "This model's maximum context length is exceeded", "param": "input"}}
        data = [{"object": "embedding", "index": n, "embedding": letters(one)} for n, one in enumerate(asked["input"])]
        return 200, {"object": "list", "data": data[::-1], "model": asked["model"]}
