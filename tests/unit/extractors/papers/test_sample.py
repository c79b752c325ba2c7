"""Tests of how methods use the neighbours; occurrences are tested with Web-ConEx."""

from sitecrawl.extractors.papers.sample import Learned, without_copies

from ...dom.trees import page


def test_copies_are_left_out():
    found, other = page("<p>own</p>").flat, page("<p>other</p>").flat
    assert without_copies(found, [page("<p>own</p>").flat, other, found]) == [other]


def test_a_sample_is_learned_once():
    asked = []
    learned = Learned(lambda pages: asked.append(pages) or len(asked))
    one, same, other = (page("<p>one</p>").flat for _ in range(3))
    assert [learned.of([one, same]), learned.of((one, same))] == [1, 1]
    assert [learned.of([one, other]), learned.of([other, one]), learned.of([other])] == [2, 3, 4]
    assert learned.of([]) == 5
    assert learned.of([]) == 5
