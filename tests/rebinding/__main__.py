"""Plays the cases inside a network namespace: python -m tests.rebinding FOLDER [--crawls N].

Run by `tests.rebinding.namespace`, which makes the namespace.
"""

import argparse
import json
import subprocess
from pathlib import Path

from tests.rebinding.cases import plays
from tests.rebinding.names import Names
from tests.rebinding.playing import Stage
from tests.rebinding.web import FORBIDDEN, INTRANET, NAT64, OTHER4, SITE4, SITE6, SIXTOFOUR, Web


def prepare(folder):
    """Assign all addresses to the loopback device of this namespace, and resolve names by our own server."""
    Path("/proc/sys/net/ipv6/conf/lo/disable_ipv6").write_text("0")
    _run("ip", "link", "set", "lo", "up")
    present = ("127.0.0.2", "::1")
    for address in (SITE4, OTHER4, SITE6, INTRANET, NAT64, SIXTOFOUR, *FORBIDDEN):
        if address not in present:
            bits, more = ("/128", ["nodad"]) if ":" in address else ("/32", [])
            _run("ip", "address", "add", address + bits, "dev", "lo", *more)
    for name, text in (
        ("resolv.conf", "nameserver 127.0.0.53\noptions timeout:5 attempts:3\n"),
        ("nsswitch.conf", "hosts: files dns\n"),
    ):
        file = folder / name
        file.write_text(text)
        _run("mount", "--bind", str(file), f"/etc/{name}")


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.rebinding", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--crawls", type=int, default=0, help="play all forms of addresses, until there are so many")
    given = parser.parse_args()
    prepare(given.folder)
    stage = Stage(Web(), Names(), given.folder)
    wrong = {}
    while True:
        for name, case, arguments in plays(bool(given.crawls)):
            found = stage.play(case, *arguments)
            if found:
                wrong[f"{name} {' '.join(map(str, arguments))}".strip()] = found
                print(f"{name} {arguments}: {found}", flush=True)
        if stage.crawls >= given.crawls or wrong:
            break
    print(json.dumps({"plays": stage.plays, "crawls": stage.crawls, "wrong": wrong}))


if __name__ == "__main__":
    main()
