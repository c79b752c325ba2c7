from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.extractors.explanation import FURTHER, explain, explanation_html, explanation_text
from sitecrawl.templates.learner import TemplateLearner
from tests.unit.evaluation.site import page as ordinary
from tests.unit.extractors.combined.test_further_articles import NAMES, article, page_of


def pages():
    return [Page.from_html(ordinary(i), f"https://harbour.example/{i}") for i in range(6)]


def context(found):
    learner = TemplateLearner(min_pages=1)
    for page in found:
        learner.see(page)
    return SiteContext(learner.publish()[0], learned=True)


def test_each_block_has_its_verdict_and_what_speaks_for_it():
    found = pages()
    site, method = context(found), get_extractor("combined")
    extraction = method.extract(found[2], site)
    verdicts = explain(found[2], extraction, site, method.chances(found[2], site))
    kept = [one for one in verdicts if one.kept]
    assert [one.text[:6] for one in kept] == ["Ship 2"]
    assert kept[0].chance > 0.5 > verdicts[0].chance
    assert (kept[0].shared, verdicts[0].shared) == (0.0, 1.0)
    assert (kept[0].place, kept[0].links, verdicts[0].links) == ("main > p", 0.0, 1.0)


def test_without_a_template_or_chances_there_are_dashes():
    page = pages()[0]
    verdicts = explain(page, get_extractor("cnr").extract(page), None)
    assert {(one.shared, one.chance) for one in verdicts} == {(None, None)}
    lines = explanation_text(verdicts, "cnr: content").splitlines()
    assert lines[0] == "cnr: content"
    kept = [line for line in lines[2:] if line.startswith("keep")]
    assert any("Ship 0 came in" in line for line in kept)
    assert len(lines) == 2 + len(verdicts)
    assert all("     -" in line for line in lines[2:])
    assert "\x1b" in explanation_text(verdicts, "", colours=True)


def test_the_page_shades_blocks_and_escapes_their_text():
    page = Page.from_html(
        "<title>A &lt;b&gt;</title><p>Say &lt;script&gt; and more of it, please.</p>", "https://e.example/"
    )
    verdicts = explain(page, get_extractor("everything").extract(page), None)
    html = explanation_html(verdicts, page.title, "everything: content")
    assert '<p class="keep">Say &lt;script&gt; and more' in html
    assert "<h1>A &lt;b&gt;</h1>" in html
    assert "http" not in html.replace("https://e.example", "")
    found = pages()
    site = context(found)
    shaded = explanation_html(explain(found[1], get_extractor("combined").extract(found[1], site), site), "t", "s")
    assert 'class="template">Home' in shaded


def test_a_block_of_a_further_article_says_so_unless_an_override_does():
    page = page_of(article(NAMES[0]) + article(NAMES[1]))
    method = get_extractor("combined")
    extraction, chances = method.extract(page), method.chances(page)
    verdicts = explain(page, extraction, None, chances)
    assert [one.reason == FURTHER for one in verdicts] == [False, False, True, True]
    assert [one.chance for one in verdicts[2:]] == [0.0, 0.0]
    root = explain(page, extraction, None, chances, [(0, "named by hand")])
    assert {one.reason for one in root} == {"named by hand"}
    cnr = get_extractor("cnr").extract(page)
    assert FURTHER not in {one.reason for one in explain(page, cnr, None)}
