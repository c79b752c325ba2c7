"""Tests that the forked processes of tests behave like processes started by Python."""

import os
import signal
import subprocess
import sys

import pytest

from tests import fork


def python(code, *arguments, run=fork.run, **how):
    return run(
        [sys.executable, "-c", code, *arguments], **{"capture_output": True, "text": True, "timeout": 300, **how}
    )


@pytest.mark.parametrize("run", [fork.run, subprocess.run])
def test_a_process_is_as_subprocess_starts_it(tmp_path, run):
    code = (
        "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['A'], sys.stdin.read());"
        " print('wrong', file=sys.stderr); sys.exit(7)"
    )
    done = python(code, "one", run=run, cwd=tmp_path, env={**os.environ, "A": "b"}, input="given")
    assert (done.returncode, done.stderr) == (7, "wrong\n")
    assert done.stdout == f"['one'] {tmp_path} b given\n"
    broken = python("1 / 0", run=run)
    assert (broken.returncode, broken.stderr.splitlines()[-1]) == (1, "ZeroDivisionError: division by zero")


def test_a_process_can_be_killed_and_is_gone():
    reading, writing = os.pipe()  # to which nothing ever comes
    code = "print('up', flush=True); input()"
    process = fork.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=reading)
    try:
        assert process.stdout.readline() == b"up\n"
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        assert process.wait(300) == -signal.SIGKILL
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)
    finally:
        process.stdout.close()
        os.close(reading)
        os.close(writing)


def test_what_cannot_be_forked_is_refused():
    with pytest.raises(ValueError, match="is for subprocess"):
        fork.run(["ls"])


def test_the_cpu_time_of_a_process_is_known():
    done = python("while __import__('time').process_time() < 0.1: pass")
    assert 0.1 <= done.cpu < 30


def test_processes_draw_different_random_numbers():
    assert (
        python("import random; print(random.random())").stdout != python("import random; print(random.random())").stdout
    )
