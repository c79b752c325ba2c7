import pytest

from sitecrawl.crawl.revisit import may_ask
from sitecrawl.storage.revisits import Validators


def asks(key, every, visits=60):
    """Whether each of a page's visits was conditional."""
    seen, not_modified = [], 0
    for _ in range(visits):
        conditional = may_ask(key, Validators('"e"', None, not_modified, ()), every)
        not_modified = not_modified + 1 if conditional else 0
        seen.append(conditional)
    return seen


@pytest.mark.parametrize("every", [2, 3, 10, 25])
@pytest.mark.parametrize("key", [0, 1, 7, (1 << 63) - 1])
def test_at_least_every_nth_fetch_is_a_whole_one(key, every):
    visits = asks(key, every)
    assert visits[0] is True  # the second visit of a page asks, or nothing is saved
    for i in range(len(visits) - every):
        assert not all(visits[i : i + every])


def test_whole_fetches_do_not_fall_on_one_visit():
    first = {asks(key, 10).index(False) for key in range(100)}
    assert first == {5, 6, 7, 8, 9}


def test_one_means_always_and_zero_means_never():
    assert not any(asks(3, 1))
    assert all(asks(3, 0))
