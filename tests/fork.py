"""Python programs in processes of their own that need no second to start: forks of one that has imported everything.

`run` and `Popen` take what `subprocess.run` and `subprocess.Popen` take; the command is `sys.executable -c CODE ...`, or
`-m scrapy ...`, or `scrapy ...` or `sitecrawl ...`. A process is as independent as any: it has its own folder,
environment, files, signals and exit, and can be killed. What depends on the start itself (the seed of hashes, the
encoding, a PYTHONPATH, what is imported when) wants a Python that starts anew: then use `subprocess`.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).parents[1]
MESSAGE = 2**17
FLEETS = {"recrawl", "worker"}
"""Commands that fork crawls."""
STARTER = ["-m", "sitecrawl.fleet.forkserver"]
MAINS = {"scrapy": "scrapy.cmdline:execute", "sitecrawl": "sitecrawl.cli:main"}
DEADLINE = 300.0
"""Default number of seconds to wait for a process."""
ENDED = struct.Struct("<idd")
"""The end of a process: its status, the CPU seconds that it took, and its peak memory in MB."""
FILES = 4
"""Standard input, output and error, and the socket on which the process is spoken of."""


class Completed(subprocess.CompletedProcess[Any]):
    """A program that has run."""

    cpu: float
    """CPU seconds of the process and of those that it waited for: they depend on the load of the machine least."""
    megabytes: float
    """Peak memory of the process; at least that of the process that it was forked from, some 130 MB."""


class Popen:
    """A program that runs."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        stdin: int | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        text: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        start_new_session: bool = False,
    ) -> None:
        self.args, self.returncode = arguments, None
        self.cpu = self.megabytes = 0.0
        self._waiting = threading.Lock()
        self._status, theirs = socket.socketpair()
        request = {
            "arguments": _plain(list(map(str, arguments))),
            "environment": dict(os.environ if env is None else env),
            "folder": str(cwd or Path.cwd()),
            "session": start_new_session,
        }
        with contextlib.ExitStack() as opened, theirs:
            nowhere = opened.enter_context(open(os.devnull, "r+b"))
            self.stdout, out = _file(stdout, text, 1, nowhere, opened)
            self.stderr, err = _file(stderr, text, 2, nowhere, opened)
            files = [nowhere.fileno() if stdin is None else stdin, out, err, theirs.fileno()]
            _server().send(request, files)
        self.pid = int.from_bytes(self._read(4, DEADLINE), "little")

    def _read(self, size: int, timeout: float) -> bytes:
        self._status.settimeout(timeout)
        try:
            data = self._status.recv(size, socket.MSG_WAITALL)
        except TimeoutError:
            raise subprocess.TimeoutExpired(self.args, timeout) from None
        if len(data) < size:
            raise ChildProcessError("the process that forks has ended")
        return data

    def wait(self, timeout: float = DEADLINE) -> int:
        """Return the status of the process once it has ended; several threads may wait for it."""
        if not self._waiting.acquire(timeout=timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        try:
            if self.returncode is None:
                self.returncode, self.cpu, self.megabytes = ENDED.unpack(self._read(ENDED.size, timeout))
                self._status.close()
        finally:
            self._waiting.release()
        return self.returncode

    def poll(self) -> int | None:
        if self._waiting.acquire(blocking=False):  # else another thread waits, and will know
            try:
                ended = self.returncode is None and select.select([self._status], [], [], 0)[0]
            finally:
                self._waiting.release()
            if ended:
                self.wait()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = DEADLINE) -> tuple[Any, Any]:
        """Return (standard output, standard error) after the process has ended and its pipes are closed."""
        said: dict[str, Any] = {"stdout": None, "stderr": None}

        def read(name: str, file: IO[Any]) -> None:
            with file:
                said[name] = file.read()

        pipes = [(name, file) for name in said if (file := getattr(self, name)) is not None]
        readers = [threading.Thread(target=read, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        if any(reader.is_alive() for reader in readers):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return said["stdout"], said["stderr"]

    def __enter__(self) -> "Popen":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:  # the test has failed: it may be waiting for what will not come
            self.kill()
        for file in (self.stdout, self.stderr):
            if file is not None:
                file.close()
        self.wait()


def run(
    arguments: Sequence[str],
    *,
    capture_output: bool = False,
    input: bytes | str | None = None,
    timeout: float = DEADLINE,
    check: bool = False,
    **how: Any,
) -> "Completed":
    """Run a command to its end, as `subprocess.run` does."""
    if capture_output:
        how |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with tempfile.TemporaryFile() as given:
        if input is not None:
            given.write(input.encode() if isinstance(input, str) else input)
            given.seek(0)
            how["stdin"] = given.fileno()
        process = Popen(arguments, **how)
    try:
        stdout, stderr = process.communicate(timeout)
    except BaseException:
        process.kill()
        process.wait()
        raise
    done = Completed(arguments, process.returncode, stdout, stderr)
    done.cpu, done.megabytes = process.cpu, process.megabytes
    if check:
        done.check_returncode()
    return done


def _plain(arguments: list[str]) -> list[str]:
    """Return a command line as the server takes it: `scrapy ...`, `sitecrawl ...`, or `-c CODE ...`."""
    if arguments[0] == sys.executable:
        arguments = arguments[1:]
        if arguments[0] == "-m" and arguments[1] in ("scrapy", "scrapy.cmdline"):
            arguments = ["scrapy", *arguments[2:]]
    if arguments[0] not in (*MAINS, "-c"):
        raise ValueError(f"{arguments[:2]} is for subprocess")
    return arguments


def _file(
    given: int | IO[Any] | None, text: bool, own: int, nowhere: IO[Any], opened: contextlib.ExitStack
) -> tuple[IO[Any] | None, int]:
    """Return (what this process reads from, what the other one writes to); `opened` is closed once it is sent."""
    if given == subprocess.PIPE:
        reading, writing = os.pipe()
        opened.callback(os.close, writing)
        return os.fdopen(reading, "r" if text else "rb", encoding="utf-8" if text else None), writing
    if given == subprocess.DEVNULL:
        return None, nowhere.fileno()
    if given is None:
        return None, own
    return None, given if isinstance(given, int) else given.fileno()


class _Server:
    """The process that forks, as this one sees it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                start_new_session=True,
                env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
            )
        self._socket, self._lock = ours, threading.Lock()

    def send(self, request: dict[str, Any], files: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(DEADLINE)


_servers: dict[int, _Server] = {}


def _server() -> _Server:
    """Return the server of this process, a fork of which has its own."""
    if os.getpid() not in _servers:
        server = _servers[os.getpid()] = _Server()
        atexit.register(server.close)
    return _servers[os.getpid()]


def _import_everything() -> None:
    import warnings
    from functools import cache
    from importlib import metadata

    # each process would read the metadata of some 150 distributions again
    metadata.version, metadata.entry_points = cache(metadata.version), cache(metadata.entry_points)

    from scrapy.exceptions import ScrapyDeprecationWarning

    warnings.simplefilter("error", ScrapyDeprecationWarning)
    from sitecrawl.fleet.forkserver import preload
    from sitecrawl.fleet.preload import PRELOADED

    databases = ("sqlalchemy.dialects.sqlite", "sqlalchemy.dialects.postgresql", "psycopg", "alembic.command")
    ours = (f"sitecrawl.{one}" for one in ("cli", "commandline", "storage.search.postgresql", "index.*", "overrides.*"))
    preload([*PRELOADED, *databases, *ours, "sitecrawl.evaluation.*", "yaml"])

    from scrapy.utils.versions import get_versions

    from sitecrawl.shell.versions import check_versions
    from tests.compiled import crawl_once

    metadata.entry_points(group="scrapy.commands")
    get_versions()
    check_versions()
    crawl_once()


def serve(control: socket.socket) -> dict[str, Any] | None:
    """Fork until the other end hangs up, and return None; return its request in a forked process."""
    children: dict[int, socket.socket] = {}
    woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 1024)
            for pid in list(children):
                done, status, used = os.wait4(pid, os.WNOHANG)
                if done:
                    with children.pop(pid) as told, contextlib.suppress(OSError):
                        cpu = used.ru_utime + used.ru_stime
                        told.sendall(ENDED.pack(os.waitstatus_to_exitcode(status), cpu, used.ru_maxrss / 1024))
        if control not in ready:
            continue
        data, files, _, _ = socket.recv_fds(control, MESSAGE, FILES)
        if not data:
            for pid in children:
                os.kill(pid, signal.SIGKILL)
            return None
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (control, *children.values()):
                one.close()
            for one in (woken, wakes, files[3]):
                os.close(one)
            return {**json.loads(data), "files": files[:3]}
        children[pid] = socket.socket(fileno=files[3])
        children[pid].sendall(pid.to_bytes(4, "little"))
        for one in files[:3]:
            os.close(one)


class Starter:
    """A child that waits until this process starts `sitecrawl.fleet.forkserver`, and is that process then.

    It has everything imported too, so the crawls of a recrawl or worker need no second Python to be forked from. It
    was forked before this process had threads, an event loop or connections.
    """

    def __init__(self) -> None:
        self._told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._pid = os.fork()
        if not self._pid:
            self._told.close()
            _start_when_told(theirs)
        theirs.close()
        self._execute = subprocess._fork_exec  # type: ignore[attr-defined]
        subprocess._fork_exec = self.fork_exec  # type: ignore[attr-defined]

    def fork_exec(self, arguments: Sequence[bytes | str], *how: Any) -> int:
        """Do as the function of `_posixsubprocess` does, and return the process."""
        plain = [os.fsdecode(one) for one in arguments]
        _, _, _, folder, environment, *_ = how
        if plain[1:3] != STARTER or folder is not None or environment is not None:
            return int(self._execute(arguments, *how))
        subprocess._fork_exec = self._execute  # type: ignore[attr-defined]  # another one is a new Python
        with self._told:
            request = {"arguments": plain[2:], "environment": dict(os.environ), "folder": str(Path.cwd())}
            socket.send_fds(self._told, [json.dumps(request).encode()], [int(plain[3])])
        return self._pid


def _start_when_told(told: socket.socket) -> NoReturn:
    """Run the process from which crawls are forked, after receiving its command line, until the other end disconnects."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    data, files, _, _ = socket.recv_fds(told, MESSAGE, 1)
    told.close()
    if not data:
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    request = json.loads(data)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    module, _, *modules = request["arguments"]
    sys.argv = [module, str(files[0]), *modules]
    raise SystemExit(importlib.import_module(module).main())


def _become(request: dict[str, Any]) -> Any:
    """Run the given commands in this process."""
    if request["session"]:
        os.setsid()
    for number, file in enumerate(request["files"]):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background processes ignore it
    random.seed()
    if FLEETS.intersection(request["arguments"]):
        Starter()
    sys.argv = request["arguments"]
    sys.path[0] = ""
    if sys.argv[0] == "-c":
        code = sys.argv.pop(1)
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        return None
    module, _, name = MAINS[sys.argv[0]].partition(":")
    return getattr(importlib.import_module(module), name)()


def _leave(status: object) -> None:
    """End this process as Python ends, but for taking all modules apart, which costs 80 ms and frees nothing of use.

    Returns where Python has something to say at the end: a status in words, or output that cannot be written.
    """
    if not isinstance(status, int | None):
        return
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does before `atexit`
    atexit._run_exitfuncs()
    gc.collect()  # what the garbage of this process says when it is deleted is part of the output
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return
    os._exit((status or 0) & 0xFF)


def main() -> Any:
    _import_everything()
    request = serve(socket.socket(fileno=int(sys.argv[1])))
    if request is None:
        return None
    try:
        status = _become(request)
    except SystemExit as ended:
        status = ended.code
    _leave(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
