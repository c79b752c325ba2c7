"""The order in which several workers run the tests."""

import pytest

from tests.order import LONG, block_sizes, long_one, spread

FILES = {
    "tests/browser/test_a.py": 3,
    "tests/browser/test_b.py": 2,
    "tests/integration/test_recrawl.py": 4,
    "tests/integration/test_other.py": 5,
    "tests/unit/dom/test_page.py": 60,
    "tests/unit/links/test_traps.py": 6,
    "tests/unit/test_x.py": 41,
}
TESTS = [(path, number) for path, count in FILES.items() for number in range(count)]


def path_of(test):
    return test[0]


@pytest.mark.parametrize("workers", [2, 3, 4])
def test_long_files_are_whole_at_the_beginning_of_the_blocks(workers):
    ordered = spread(TESTS, path_of, workers)
    assert sorted(ordered) == sorted(TESTS)
    assert ordered == spread(TESTS, path_of, workers)
    began = 0
    for size in block_sizes(len(TESTS), workers):
        block = ordered[began : began + size]
        kinds = [long_one(path_of(test)) is not None for test in block]
        assert kinds[0]
        assert kinds == sorted(kinds, reverse=True)
        began += size
    for path, count in FILES.items():
        places = [ordered.index((path, number)) for number in range(count)]
        if long_one(path) is not None:
            assert places == list(range(places[0], places[0] + count))
        else:
            assert places == sorted(places)


def test_the_browser_is_started_once():
    ordered = spread(TESTS, path_of, 4)
    places = [number for number, test in enumerate(ordered) if test[0].startswith("tests/browser/")]
    assert places == list(range(places[0], places[0] + 5))


def test_blocks_are_as_large_as_each_worker_is_given():
    assert block_sizes(8_194, 4) == [2_048, 2_048, 2_049, 2_049]
    assert block_sizes(3, 4) == [0, 1, 1, 1]


def test_a_long_file_that_fits_into_no_block_is_not_lost():
    tests = [("tests/browser/test_a.py", number) for number in range(10)]
    assert spread(tests, path_of, 4) == tests


def test_what_takes_long_is_there():
    from pathlib import Path

    missing = [name for name in LONG if not (Path(__file__).parents[2] / name).exists()]
    assert missing == []
