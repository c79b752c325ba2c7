"""A search server that enforces the `_bulk` contract of OpenSearch, and fails on request; it runs as a process.

    python -m tests.integration.bulk_server [--fail 0.1] [--hang 0.05] [--seconds 3] [--seed 1]

Prints its port. `GET /_state` returns {id: {"version": N, "source": {...}}}; a document with REJECTME in its text is
refused. Of the requests that fail or hang, some were taken before: a client cannot tell.
"""

import argparse
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

REFUSED = "REJECTME"
FIELDS = {"id", "url", "text", "digest", "sequence", "site", "kind", "words", "date", "updated_at"}


class Refused(Exception):
    """The request violates the contract: the status is 400, and nothing is stored."""


class Index:
    def __init__(self):
        self.lock = threading.Lock()
        self.created = {}
        self.documents = {}
        self.versions = {}  # of deleted documents too
        self.requests = 0
        self.broken = []

    def bulk(self, body, content_type):
        if content_type.split(";")[0] not in ("application/x-ndjson", "application/json"):
            raise Refused(f"Content-Type header [{content_type}] is not supported")
        if not body.endswith(b"\n"):
            raise Refused("The bulk request must be terminated by a newline [\\n]")
        lines = body[:-1].split(b"\n")
        actions, at = [], 0
        while at < len(lines):
            action = json.loads(lines[at])
            if not isinstance(action, dict) or len(action) != 1:
                raise Refused(f"Malformed action/metadata line [{at + 1}], expected one field")
            (operation, meta), at = next(iter(action.items())), at + 1
            if operation not in ("index", "delete") or not set(meta) <= {"_id", "version", "version_type"}:
                raise Refused(f"Malformed action/metadata line [{at}]")
            source = None
            if operation == "index":
                if at == len(lines):
                    raise Refused("The bulk request has an action without a source")
                source, at = json.loads(lines[at]), at + 1
                if not set(source) >= FIELDS or source["id"] != meta["_id"]:
                    raise Refused(f"the source of {meta['_id']} lacks a field")
            actions.append((operation, meta, source))
        with self.lock:
            return [{operation: self._apply(meta, source)} for operation, meta, source in actions]

    def _apply(self, meta, source):
        name, version = meta["_id"], meta["version"]
        assert meta["version_type"] == "external_gte"
        if source is not None and REFUSED in source["text"]:
            error = {"type": "mapper_parsing_exception", "reason": "failed to parse"}
            return {"_id": name, "status": 400, "error": error}
        if version < self.versions.get(name, 0):
            error = {"type": "version_conflict_engine_exception", "reason": "a newer one is there"}
            return {"_id": name, "status": 409, "error": error}
        self.versions[name] = version
        there = name in self.documents
        if source is None:
            self.documents.pop(name, None)
            return {"_id": name, "status": 200 if there else 404, "result": "deleted" if there else "not_found"}
        self.documents[name] = {"version": version, "source": source}
        return {"_id": name, "status": 200 if there else 201, "result": "updated" if there else "created"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, **headers):
        data = json.dumps(body).encode() if self.command != "HEAD" else b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self):
        self.answer(200 if self.path.strip("/") in self.server.index.created else 404, {})

    def do_GET(self):
        index = self.server.index
        with index.lock:
            state = {"documents": dict(index.documents), "created": index.created, "broken": index.broken}
            self.answer(200, {**state, "requests": index.requests})

    def do_PUT(self):
        index, name = self.server.index, self.path.strip("/")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if name in index.created:
            error = {"type": "resource_already_exists_exception", "reason": "there"}
            return self.answer(400, {"error": error, "status": 400})
        if not set(body) <= {"settings", "mappings", "aliases"}:
            return self.answer(400, {"error": {"type": "parse_exception"}, "status": 400})
        index.created[name] = body
        return self.answer(200, {"acknowledged": True, "index": name})

    def do_POST(self):
        server, index = self.server, self.server.index
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # its sender was killed: the request has not arrived
            self.close_connection = True
            return None
        parts = urlsplit(self.path)
        name, _, action = parts.path.strip("/").partition("/")
        with index.lock:
            index.requests += 1
            luck = server.random.random()
            taken = server.random.random() < 0.5
            pieces = server.random.choice(("503", "429", "items", "cut"))
        if action != "_bulk" or name not in index.created or not set(parse_qs(parts.query)) <= {"pipeline"}:
            return self.answer(404, {"error": {"type": "index_not_found_exception"}, "status": 404})
        hang = luck < server.hang
        fail = not hang and luck < server.hang + server.fail
        if hang and not taken:
            time.sleep(server.seconds)
            self.close_connection = True
            return None
        if fail and pieces == "503":
            return self.answer(503, {"error": {"type": "unavailable_shards_exception"}, "status": 503})
        if fail and pieces == "429":
            return self.answer(429, {"error": {"type": "es_rejected_execution_exception"}}, Retry_After="0")
        try:
            items = index.bulk(body, self.headers["Content-Type"])
        except (Refused, ValueError, KeyError, AssertionError) as error:
            index.broken.append(str(error))
            return self.answer(400, {"error": {"type": "illegal_argument_exception", "reason": str(error)}})
        if hang:
            time.sleep(server.seconds)
            self.close_connection = True
            return None
        if fail and pieces == "cut":
            self.close_connection = True
            return None
        if fail:
            items = [self._busy(item) for item in items]
        errors = any(next(iter(item.values()))["status"] >= 400 for item in items)
        return self.answer(200, {"took": 1, "errors": errors, "items": items})

    @staticmethod
    def _busy(item):
        """Say of an item that was taken that it was not: the client may not rely on either."""
        (operation, result), error = next(iter(item.items())), {"type": "es_rejected_execution_exception"}
        return {operation: {"_id": result["_id"], "status": 429, "error": error}}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Do not log clients that were killed."""


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("fail", 0.0), ("hang", 0.0), ("seconds", 3.0)):
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = Server((options.host, options.port), Handler)
    server.index, server.random = Index(), random.Random(options.seed)
    server.fail, server.hang, server.seconds = options.fail, options.hang, options.seconds
    print("{}:{}".format(*server.server_address), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
