"""Runs the checks and tests of what changed since the branch left main: `make changed [SINCE=main]`.

A module's tests are the folder of the same name under `tests/unit`; a changed test file is run itself; a changed page of
the docs runs `test_docs.py`. Migrations and templates of pages have folders of their own.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SINGLE = {
    "docs": "tests/unit/test_docs.py",
    "migrations": "tests/migrations",
    "pyproject.toml": "tests/unit/test_package.py",
}
"""Tests of a top-level folder or file."""


def changed(since: str) -> list[str]:
    """Return the changed and new files, relative to the checkout. Exits if git does not know `since`."""
    found: set[str] = set()
    base = subprocess.run(["git", "merge-base", "HEAD", since], cwd=ROOT, capture_output=True, text=True)
    if base.returncode:
        sys.exit(f"git knows no {since!r}; name a branch or commit: make changed SINCE=main")
    for command in (["diff", "--name-only", base.stdout.strip()], ["ls-files", "--others", "--exclude-standard"]):
        found.update(
            subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        )
    return sorted(name for name in found if name)


def tests_of(name: str) -> str | None:
    """Return the tests of a file, None if it has none of its own."""
    path = Path(name)
    if path.parts[0] == "tests":
        return name if path.name.startswith("test_") and path.suffix == ".py" else None
    if path.parts[0] in SINGLE:
        return SINGLE[path.parts[0]]
    if path.suffix == ".md":
        return SINGLE["docs"]
    if path.parts[0] != "sitecrawl":
        return None
    folder = Path("tests/unit").joinpath(*path.parts[1:-1])
    single = folder / f"test_{path.stem.strip('_')}.py"
    return str(folder if len(path.parts) > 2 else single)


def selected(names: list[str]) -> list[str]:
    """Return the tests to run, without those inside a folder that is run anyway."""
    found = {test for name in names if (test := tests_of(name)) is not None and (ROOT / test).exists()}
    return sorted(one for one in found if not any(one != other and Path(one).is_relative_to(other) for other in found))


def main() -> int:
    """Run ruff on the changed files, mypy, the layer contracts and the tests; return 1 if one of them fails."""
    names = changed(sys.argv[1] if len(sys.argv) > 1 else "main")
    tests = selected(names)
    python = [name for name in names if name.endswith((".py", ".pyi")) and (ROOT / name).exists()]
    binaries = Path(sys.executable).parent
    commands = [
        [str(binaries / "ruff"), "check", *python],
        [str(binaries / "ruff"), "format", "--check", *python],
        [str(binaries / "mypy")],
        [str(binaries / "lint-imports")],
    ]
    if tests:
        commands.append([sys.executable, "-m", "pytest", "-q", *tests])
    sys.stdout.write(f"{len(names)} files changed; tests: {' '.join(tests) or 'none'}\n")
    sys.stdout.flush()
    failed = [
        command
        for command in commands
        if (python or "pytest" in command) and subprocess.run(command, cwd=ROOT).returncode
    ]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
