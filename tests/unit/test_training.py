"""Training reads pages without their trees: its view of a page has all that `combined` reads."""

import ast
import importlib.util
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


def test_manuals_are_added_to_the_recorded_sites_of_a_folder():
    spec = importlib.util.spec_from_file_location("manuals", ROOT / "training/manuals.py")
    manuals = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(manuals)
    blog, old, new = {"name": "blog"}, {"name": "ant", "pages": 9}, {"name": "ant", "pages": 70}
    assert manuals.joined([blog, old], [new]) == [blog, new]
    assert manuals.joined([], [new]) == [new]
