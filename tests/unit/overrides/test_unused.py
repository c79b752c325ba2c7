import pytest

from sitecrawl.overrides.extraction import Use
from sitecrawl.overrides.reading import parse_override
from sitecrawl.overrides.unused import OverrideUses, warning

FILE = parse_override(
    """
    content: [main, article]
    exclude: .share
    layouts:
    - {name: forum, url: /forum/*, exclude: .signature}
    - {name: tags, url: /tag/*, kind: listing}
    """,
    "e.yaml",
)


def uses(**found):
    return [Use(key, selector, nodes) for key, (selector, nodes) in found.items()]


@pytest.fixture
def seen():
    found = OverrideUses()
    found.add(FILE.rule("https://e.example/a"), uses(content=("main", 1), exclude=(".share", 0)))
    found.add(FILE.rule("https://e.example/forum/1"), uses(content=("main", 0), exclude=(".signature", 0)))
    return found


def test_selectors_that_selected_nothing_and_layouts_without_a_page_are_named(seen):
    assert seen.unused([FILE]) == [
        "e.yaml: exclude: .share selected nothing on 1 page",
        "e.yaml: exclude: .signature selected nothing on 1 page",
        "e.yaml: layout tags: its url matched no page",
    ]


def test_a_selector_that_layouts_inherit_counts_once(seen):
    seen.add(FILE.rule("https://e.example/forum/2"), uses(exclude=(".share", 2)))
    seen.add(FILE.rule("https://e.example/tag/2"), uses(exclude=(".signature", 0)))
    assert seen.unused([FILE]) == ["e.yaml: exclude: .signature selected nothing on 2 pages"]


def test_a_file_that_applied_to_no_page_is_left_out(seen):
    other = parse_override("layouts: [{url: /x, kind: none}]", "other.yaml")
    assert not any("other" in one for one in seen.unused([FILE, other]))
    seen.add(None, ())
    assert seen.pages == 3


def test_the_warning_is_one_line_with_few_of_them():
    unused = [f"e.yaml: exclude: .ad{number} selected nothing on 9 pages" for number in range(7)]
    line = warning(unused)
    assert line.count("selected nothing") == 5
    assert "; and 2 more; correct the file" in line
    assert "more;" not in warning(unused[:5])
