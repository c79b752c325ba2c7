from sitecrawl.dom.bounded_cache import BoundedCache


def test_a_value_is_computed_once():
    computed = []
    cache = BoundedCache(lambda key: computed.append(key) or 2 * key)
    assert [cache[4], cache[5], cache[4]] == [8, 10, 8]
    assert computed == [4, 5]


def test_a_full_cache_is_cleared():
    cache = BoundedCache(str)
    for key in range(cache.LIMIT + 1):
        assert cache[key] == str(key)
    assert cache == {cache.LIMIT: str(cache.LIMIT)}
