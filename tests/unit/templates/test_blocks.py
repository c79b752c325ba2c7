"""Tests of the atomic blocks of a site."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.atomic import HTML5_BLOCK_TAGS, atomic_blocks, unpack
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import BlockChange, PathChange
from sitecrawl.templates.preparation import prepare

from ..dom.trees import page, pages

SITE = (
    "<div><a href=/>Home</a><a href=/news>News</a></div><div>Story number {0} about topic{0} and city{0}</div>"
    "<p>Copyright ACME</p>"
)


def learned(count, **limits):
    store = BlockStore(**limits)
    for number in range(count):
        store.learn(page(SITE.format(number)).flat)
    return store


def rows(store):
    paths, blocks = store.totals()
    return {row.path: (row.content_pages, row.noise_pages) for row in paths.values()}, {
        key: row.pages for key, row in blocks.items()
    }


def test_counts_of_a_small_site():
    paths, blocks = learned(3).totals()
    assert {row.path: row[2:] for row in paths.values()} == {"HTML.BODY.DIV": (3, 3), "HTML.BODY.P": (0, 3)}
    assert [row.pages for row in blocks.values()] == [3, 3]
    flat = page(SITE.format(0)).flat
    parts = atomic_blocks(flat)
    stored = [unpack(row.features) for row in blocks.values()]
    assert parts.features(flat, 0) in stored
    assert parts.features(flat, 2) in stored


def test_it_reads_as_the_published_method_does():
    store = learned(3)
    published = prepare([page(SITE.format(number)).flat for number in range(3)])
    assert store.template.content_paths == published.content_paths == {"HTML.BODY.DIV"}
    flat = page(SITE.format(0)).flat
    parts = atomic_blocks(flat)
    for b in range(len(parts)):
        vector = parts.features(flat, b)
        assert bool(store.template.noise.similar(vector)) == bool(published.noise.similar(vector))
    assert len(store.template.noise) == len(published.noise) == 1


def test_the_reading_follows_what_is_learned():
    store = learned(1)
    assert not store.template.content_paths
    store.learn(page(SITE.format(1)).flat)
    assert store.template.content_paths == {"HTML.BODY.DIV"}
    assert store.template is store.template


def test_a_block_counts_once_a_page():
    store = BlockStore()
    for _ in range(2):
        store.learn(page("<p>again</p><p>again</p>").flat)
    assert [row.pages for row in store.blocks.values()] == [2]


def test_pages_are_judged_when_they_leave_the_window():
    store = learned(40, window=4, min_share=0.0)
    settled = {row.path: (row.content_pages, row.noise_pages) for row in store.paths.values()}
    assert settled["HTML.BODY.DIV"] == (36, 36)
    # What repeats was known before the first page left.
    assert settled["HTML.BODY.P"] == (0, 36)
    assert rows(store)[0] == {"HTML.BODY.DIV": (40, 40), "HTML.BODY.P": (0, 40)}


def test_memory_levels_off():
    store = BlockStore(window=8, max_blocks=10)
    sizes = []
    for number in range(1000):
        own = "".join(f"<p>{number} {i}</p>" for i in range(20))
        store.learn(page(f"<div>menu</div><ul>{number // 10}</ul>{own}").flat)
        sizes.append((len(store.blocks), len(store.paths)))
    assert max(sizes[300:]) <= max(sizes[:300])
    assert max(blocks for blocks, _ in sizes) < 22 * 9 + 30
    assert list(rows(store)[1].values()) == [1000]


def test_rare_paths_are_forgotten():
    store = BlockStore(window=4, min_share=0.2)
    store.learn(page("<table><tr><td>old</table>").flat)
    for number in range(20):
        store.learn(page(f"<p>{number}</p>").flat)
    assert {row.path for row in store.paths.values()} == {"HTML.BODY.P"}


def test_blocks_of_other_tags_are_counted():
    store = BlockStore(tags=HTML5_BLOCK_TAGS)
    for number in range(2):
        store.learn(page(f"<article>{number}</article>").flat)
    assert store.template.content_paths == {"HTML.BODY.ARTICLE"}
    assert store.template.tags == store.empty().tags == HTML5_BLOCK_TAGS


def test_counts_that_come_to_nothing_are_dropped():
    store = BlockStore()
    path, block = PathChange(1, "HTML.BODY.P", 2, 1), BlockChange(1, 5, 3, b"")
    store.add(3, [path], [block])
    assert (len(store.paths), len(store.blocks), store.pages_seen) == (1, 1, 3)
    store.add(0, [path._replace(content_pages=-2, noise_pages=-1)], [block._replace(pages=-3)])
    assert (store.paths, store.blocks) == ({}, {})


def test_a_cleared_store_knows_nothing():
    store = learned(3)
    store.clear()
    assert (store.pages_seen, store.paths, store.blocks) == (0, {}, {})
    assert not store.template.content_paths


@settings(max_examples=40)
@given(st.lists(pages(), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(found, random):
    one, other = BlockStore(), BlockStore()
    for each in found:
        one.learn(each.flat)
    for each in random.sample(found, len(found)):
        other.learn(each.flat)
    assert rows(one) == rows(other)
    assert one.template.content_paths == other.template.content_paths
