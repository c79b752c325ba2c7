"""Training reads pages without their trees: its view of a page has all that `combined` reads."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_view_of_a_page_has_what_combined_reads():
    modules = (ROOT / "sitecrawl/extractors/combined").glob("*.py")
    read = {name for module in modules for name in re.findall(r"\bpage\.([a-z_]+)", module.read_text("utf-8"))}
    tree = ast.parse((ROOT / "training/data.py").read_text("utf-8"))
    view = next(one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == "_view")
    made = next(one.value for one in ast.walk(view) if isinstance(one, ast.Return))
    given = {word.arg for word in made.keywords}
    assert "stated_texts" in read
    assert read <= given, f"training/data.py does not give {sorted(read - given)}"
