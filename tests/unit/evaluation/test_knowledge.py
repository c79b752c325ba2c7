from sitecrawl.dom.page import Page
from sitecrawl.evaluation.knowledge import SiteKnowledge, crawl_order, learning_order
from sitecrawl.extractors.base import get_extractor
from tests.unit.evaluation.site import rows


def pages(count=6):
    return [Page.from_html(row["html"], row["url"]) for row in rows(count)]


def test_pages_come_in_the_order_in_which_links_find_them():
    found = pages()
    assert crawl_order(found) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert crawl_order(found[::-1]) == [0, 7, 6, 5, 4, 3, 2, 1]  # home, then its menu, then its list
    assert crawl_order(found[1:]) == [0, 1, 2, 3, 4, 5, 6]


def test_pages_are_learned_in_crawl_order_or_in_one_random_order():
    found = pages(20)[::-1]
    assert learning_order(found, "crawl") == crawl_order(found)
    shuffled = learning_order(found, "random")
    assert shuffled == learning_order(found, "random")
    assert sorted(shuffled) == list(range(22))
    assert shuffled not in (sorted(shuffled), crawl_order(found))


def test_nothing_learned_is_no_knowledge():
    knowledge = SiteKnowledge.learn(pages(), range(8), 0)
    context = knowledge.context(3, get_extractor("webconex"))
    assert (context.template, context.blocks, context.neighbours, context.learned) == (None, None, (), False)


def test_the_first_pages_are_learned_and_only_they_are_neighbours():
    found = pages()
    knowledge = SiteKnowledge.learn(found, crawl_order(found), 3)
    assert knowledge.template.pages_seen == 3
    inside = knowledge.context(1, get_extractor("webconex"))
    assert inside.learned
    assert inside.neighbours == (found[0].flat, found[2].flat)
    outside = knowledge.context(5, get_extractor("webconex"))
    assert not outside.learned
    assert len(outside.neighbours) == 3
    assert all(any(flat is found[i].flat for i in range(3)) for flat in outside.neighbours)


def test_methods_with_a_sample_size_get_the_same_pages_for_the_whole_site():
    found = pages(40)
    knowledge = SiteKnowledge.learn(found, crawl_order(found), 42)
    method = get_extractor("rbm-td")
    one, two = knowledge.context(1, method).neighbours, knowledge.context(30, method).neighbours
    assert len(one) == 25
    assert all(a is b for a, b in zip(one, two, strict=True))
    assert knowledge.context(1, get_extractor("cnr")).neighbours == ()


def test_pages_without_urls_of_their_own_are_compared_with_each_other():
    """Those of a page set may all have the same URL."""
    found = [Page.from_html(row["html"], "https://harbour.example/page") for row in rows(5)]
    knowledge = SiteKnowledge.learn(found, range(7), 7)
    for method in ("webconex", "temex"):
        neighbours = knowledge.context(6, get_extractor(method)).neighbours
        assert [next(i for i, one in enumerate(found) if one.flat is flat) for flat in neighbours] == [0, 1, 2, 3]


def test_only_methods_that_obey_a_decision_have_one():
    found = pages()
    knowledge = SiteKnowledge.learn(found, crawl_order(found), 6)
    decision = knowledge.decision(get_extractor("combined"))
    assert decision.binds and decision.pages == 6
    assert knowledge.decision(get_extractor("cnr")) is None
    assert SiteKnowledge.learn(found, range(8), 0).decision(get_extractor("combined")) is None
