"""Tests of the table of segments, against counting by hand."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.templates.segments import SegmentTable, segment_key, segment_keys

from ..dom.trees import page, pages


def by_hand(flat):
    """The segments of a page as (tags, words)."""
    found = set()
    for i, name in enumerate(flat.tag):
        if name == "#text":
            tags = [flat.tag[above] for above in flat.ancestors(i)][::-1]
            found.add((".".join(tags).upper(), " ".join(flat.text[i].split())))
    return found


def filled(*flats, **options):
    table = SegmentTable(**options)
    for flat in flats:
        table.add(flat)
    return table


@given(st.lists(pages(), max_size=6))
def test_pages_are_counted(found):
    flats = [each.flat for each in found]
    table = filled(*flats)
    counts = Counter(segment for flat in flats for segment in by_hand(flat))
    assert len(table) == len(counts)
    assert table.pages_seen == len(flats)
    assert all(table.pages(segment_key(*segment)) == count for segment, count in counts.items())


@given(pages())
def test_keys_are_those_of_texts(found):
    keys = segment_keys(found.flat)
    assert [bool(key) for key in keys] == [name == "#text" for name in found.flat.tag]


def test_a_page_counts_once_and_classes_and_places_do_not():
    table = filled(page("<ul><li>x</li><li class=a>x</li></ul>").flat, page("<ul id=b><li>y</li><li>x</li></ul>").flat)
    assert table.pages(segment_key("HTML.BODY.UL.LI", " x ")) == 2
    assert table.pages(segment_key("HTML.BODY.OL.LI", "x")) == 0


def test_rare_segments_are_forgotten_and_others_stay():
    flats = [page(f"<p>same</p><p>own {i}</p>{'<p>twice</p>' * (i < 2)}").flat for i in range(8)]
    table = filled(*flats, window=4)
    assert table.pages(segment_key("HTML.BODY.P", "same")) == 8
    assert table.pages(segment_key("HTML.BODY.P", "twice")) == 2
    own = [table.pages(segment_key("HTML.BODY.P", f"own {i}")) for i in range(8)]
    assert own == [0] * 4 + [1] * 4
    assert table.shrink() == 0
    assert len(table) == 6


def test_what_counts_as_rare_is_an_option():
    flats = [page(f"<p>own {i}</p>{'<p>twice</p>' * (i < 2)}").flat for i in range(8)]
    table = filled(*flats, window=4, least_pages=3)
    assert table.pages(segment_key("HTML.BODY.P", "twice")) == 0


def test_memory_stays_bounded():
    table = SegmentTable(window=10)
    for i in range(300):
        table.add(page(f"<p>same</p><p>own {i}</p>").flat)
    assert len(table) <= 1 + 2 * 10
