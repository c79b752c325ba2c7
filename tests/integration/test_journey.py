"""One page through the code, followed by a profiler on a real crawl (docs/architecture.md)."""

import json
import subprocess
import sys
from pathlib import Path


def test_calls_go_down_the_layers():
    done = subprocess.run(
        [sys.executable, "-m", "tests.journey"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["climbs"]) <= 4, found["climbs"]
    assert found["rooms"] <= 24
    assert found["stays"] > found["rooms"] > 10  # the page was followed at all
