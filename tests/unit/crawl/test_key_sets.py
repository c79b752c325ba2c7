"""Sets of URL keys that share a table behave like sets of their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.crawl.key_sets import KeyTable

KEYS = st.integers(0, 9)
STEPS = st.lists(st.tuples(st.sampled_from(("add", "discard", "update", "replace")), st.integers(0, 2), st.lists(KEYS)))


@given(STEPS)
def test_each_set_has_what_a_set_of_its_own_would_have(steps):
    table = KeyTable()
    ours, plain = [table.new_set() for _ in range(3)], [set() for _ in range(3)]
    for name, number, keys in steps:
        if name == "replace":
            ours[number].replace(keys)
            plain[number] = set(keys)
        elif name == "update":
            ours[number].update(keys)
            plain[number].update(keys)
        else:
            for key in keys:
                getattr(ours[number], name)(key)
                getattr(plain[number], name)(key)
    assert [set(one) for one in ours] == plain
    assert [len(one) for one in ours] == [len(one) for one in plain]
    assert [[key in one for key in range(10)] for one in ours] == [[key in one for key in range(10)] for one in plain]
    assert table.flags.keys() == set().union(*plain)


def test_operators_take_and_return_plain_sets():
    table = KeyTable()
    one, other = table.new_set(), table.new_set()
    one.update((1, 2, 3))
    other.update((3, 4))
    assert (one - other, one - {1}, one & other, one | other) == ({1, 2}, {2, 3}, {3}, {1, 2, 3, 4})
    assert type(one - other) is set
    assert one == {1, 2, 3} != other
    with pytest.raises(KeyError):
        one.remove(4)
    assert repr(one) == "KeySet([1, 2, 3])"
