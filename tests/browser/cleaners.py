"""`serve`, and mitmproxy with the add-on, each as a context that yields where it listens."""

import contextlib
import http.client
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from scrapy.settings import Settings

import sitecrawl.service
from sitecrawl.service.app import application
from sitecrawl.service.server import new_service
from sitecrawl.ui.access import new_access
from sitecrawl.ui.server import listening


@contextlib.contextmanager
def service(port: int) -> Iterator[str]:
    """Run `serve`, which may fetch from a port of this machine."""
    listener = listening("127.0.0.1", 0)
    own = listener.getsockname()[1]
    none = f"sqlite:///{tempfile.gettempdir()}/no-such-{os.getpid()}.db"
    values = {"SITECRAWL_DATABASE_URL": none, "SITECRAWL_ALLOWED_ADDRESSES": f"127.0.0.0/8:{port}"}
    made = new_service(Settings(values), new_access("127.0.0.1", own, None), None)
    server = uvicorn.Server(uvicorn.Config(application(made), log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{own}"
    finally:
        server.should_exit = True
        thread.join()


def refused(port: int) -> int:
    """Return the status of a proxy's response to a request for a forbidden address; 0 for no response."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(asked), contextlib.suppress(OSError, http.client.HTTPException):
        asked.request("GET", "http://127.0.0.1:1/")
        return asked.getresponse().status
    return 0


@contextlib.contextmanager
def proxy(program: str, port: int) -> Iterator[str]:
    """Run mitmproxy with the add-on, which may connect to a port of this machine."""

    folder = Path(sitecrawl.service.__file__).parent
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = free.getsockname()[1]
    command = [program, "-q", "-s", str(folder / "mitmproxy_addon.py"), "--listen-host", "127.0.0.1"]
    command += [
        "--listen-port",
        str(own),
        "--set",
        f"sitecrawl_settings=SITECRAWL_ALLOWED_ADDRESSES=127.0.0.0/8:{port}",
    ]
    environment = {**os.environ, "PYTHONPATH": str(folder.parents[1])}
    with subprocess.Popen(command, env=environment) as running:
        try:
            while refused(own) != 403:  # it listens before it has loaded the add-on
                if running.poll() is not None:
                    raise SystemExit(f"{program} ended with {running.returncode}")
                time.sleep(0.5)
            yield f"http://127.0.0.1:{own}"
        finally:
            running.terminate()
