import gzip
import json

import pytest

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.gold import UNKNOWN, gold_sites
from tests.unit.evaluation.site import golden, page, rows, text, write


def test_recorded_sites_are_one_collection(tmp_path):
    folder = tmp_path / "sites"
    folder.mkdir()
    for name in ("b", "a"):
        write(folder / f"{name}.jsonl.gz", rows())
    sites = list(gold_sites(folder))
    assert [(site.collection, site.name, len(site.pages)) for site in sites] == [("sites", "a", 8), ("sites", "b", 8)]
    first = sites[0].pages[1]
    assert (first.url, first.kind, first.text, first.nodes) == (
        "https://harbour.example/0.html",
        "content",
        text(0),
        ("/html/body/main",),
    )
    assert sites[0].pages[0].kind == "listing"
    assert sites[0].pages[-1].kind == UNKNOWN
    assert [site.collection for site in gold_sites(folder / "a.jsonl.gz")] == ["a"]


def test_a_recorded_site_of_ones_own_needs_no_xpaths(tmp_path):
    own = [
        {"url": f"https://own.example/{i}", "kind": "content", "html": page(i), "gold_text": text(i)} for i in (1, 2)
    ]
    write(tmp_path / "mine.jsonl.gz", own)
    (site,) = gold_sites(tmp_path / "mine.jsonl.gz")
    assert (site.collection, site.name, len(site.pages)) == ("mine", "mine", 2)


def test_page_sets_are_grouped_by_site(tmp_path):
    found = [
        {"id": f"{i}", "site": "one.example" if i < 3 else f"other{i}.example", "html": page(i), "gold_text": text(i)}
        for i in range(5)
    ]
    found[0]["page_type"] = "article"
    write(tmp_path / "set.jsonl.gz", found)
    sites = list(gold_sites(tmp_path / "set.jsonl.gz"))
    assert [(site.collection, site.name, len(site.pages)) for site in sites] == [
        ("set", "one.example", 3),
        ("set", "other3.example", 1),
        ("set", "other4.example", 1),
    ]
    assert sites[0].pages[0].label == "article"
    assert sites[0].pages[0].kind == "content"


def test_golden_folders(tmp_path):
    golden(tmp_path / "golden" / "harbour")
    (tmp_path / "golden" / "harbour" / "p3.txt").write_text("")
    (tmp_path / "golden" / "harbour" / "p3.toml").unlink()
    (site,) = gold_sites(tmp_path / "golden")
    assert (site.collection, site.name) == ("golden", "harbour")
    assert [one.kind for one in site.pages] == ["content", "content", "content", "none"]
    assert {one.label for one in site.pages} == {"news"}
    assert isinstance(site.pages[0].html, bytes)
    assert site.problems == ()
    (alone,) = gold_sites(tmp_path / "golden" / "harbour")
    assert (alone.collection, alone.pages) == ("golden", site.pages)


def test_what_cannot_be_used_is_named_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "set.jsonl.gz"
    lines = [
        json.dumps({"id": "1", "html": page(1), "gold_text": text(1)}).encode(),
        b'{"id": "2", "html": "\xff"}',
        b"not json",
        b"[1]",
        json.dumps({"id": "3", "gold_text": "x"}).encode(),
        json.dumps({"html": page(1), "gold_text": "x"}).encode(),
        json.dumps({"id": "4", "html": page(4), "gold_text": text(4)}).encode(),
    ]
    path.write_bytes(gzip.compress(b"\n".join(lines)))
    sites = list(gold_sites(path))
    assert [site.name for site in sites] == ["1", "4"]
    problems = [problem for site in sites for problem in site.problems]
    assert len(problems) == 5
    assert [problem.split(":")[0] for problem in problems] == [f"set.jsonl.gz, line {n}" for n in (2, 3, 4, 5, 6)]
    assert "no html" in problems[3]
    assert "no url or id" in problems[4]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"gold_xpaths": ["//[bad"]}, "gold_xpaths cannot be used: Invalid expression"),
        (
            {"gold_xpaths": ["//p"], "exclude_xpaths": ["//x:y"]},
            "exclude_xpaths cannot be used: Undefined namespace prefix",
        ),
        ({"gold_xpaths": "//p"}, "gold_xpaths cannot be used: '//p' is not a list"),
        ({"gold_xpaths": 7}, "gold_xpaths cannot be used: 7 is not a list"),
        ({"gold_xpaths": [3]}, "gold_xpaths cannot be used: Argument must be"),
    ],
)
def test_a_page_whose_nodes_are_not_known_for_sure_is_scored_without(tmp_path, given, message):
    path = tmp_path / "set.jsonl.gz"
    write(path, [{"id": "1", "html": page(1), "gold_text": text(1), **given}])
    (site,) = gold_sites(path)
    assert (site.pages[0].nodes, site.pages[0].text) == ((), text(1))
    assert len(site.problems) == 1
    assert f"set.jsonl.gz, line 1: scored without nodes, {message}" in site.problems[0]


def test_a_cut_file_gives_what_came_before(tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    write(path, [{"id": str(i), "html": page(i) * 30, "gold_text": text(i)} for i in range(400)])
    path.write_bytes(path.read_bytes()[:-2000])
    sites = list(gold_sites(path))
    assert 0 < len(sites) < 400
    assert any("cannot be read after line" in problem for site in sites for problem in site.problems)


def test_golden_folders_name_what_is_missing(tmp_path):
    folder = tmp_path / "golden" / "harbour"
    golden(folder)
    (folder / "p0.txt").unlink()
    (folder / "p1.html").unlink()
    (folder / "p2.txt").write_bytes(b"\xff\xfe\xff")
    (folder / "p3.toml").write_text("kind = teaser")
    (site,) = gold_sites(tmp_path / "golden")
    assert [one.name for one in site.pages] == ["p3"]
    assert [problem.split(":")[0] for problem in site.problems] == [
        "harbour/p0.html",
        "harbour/p2.txt",
        "harbour/p3.toml",
        "harbour/p1.txt",
    ]


@pytest.mark.parametrize("name, message", [("missing", "neither a file nor a folder"), ("", "holds no gold data")])
def test_other_paths_are_an_error_that_says_what_is_wanted(tmp_path, name, message):
    with pytest.raises(EvaluationError, match=message):
        list(gold_sites(tmp_path / name))
