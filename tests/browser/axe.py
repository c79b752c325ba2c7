"""The path of axe-core, which checks accessibility; `.ci/axe` fetches it from the npm registry."""

import os
from pathlib import Path

SCRIPT = Path(os.environ.get("SITECRAWL_TEST_AXE", Path(__file__).parents[2] / ".axe/package/axe.min.js"))
MISSING = None if SCRIPT.is_file() else f"{SCRIPT} is not there: run .ci/axe"
"""Why the test with axe-core cannot be run; None if it can."""
