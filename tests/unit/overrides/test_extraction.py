from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind, get_extractor
from sitecrawl.overrides.extraction import Outcome, extract
from sitecrawl.overrides.reading import parse_override

HTML = (
    "<title>Page | Site</title><body><nav>menu</nav><main class=post><h1>Head</h1><p>first <b>bold</b> words</p>"
    "<div class=share>share<img src=s.png></div><p>second<img class=pixel src=t.gif></p></main>"
    "<div id=comments><p>a reader</p></div><footer>foot</footer>"
)


class Fixed:
    """A method that chooses given nodes."""

    name, needs = "fixed", frozenset()

    def __init__(self, selector="p", kind=Kind.CONTENT):
        self.selector, self.kind, self.why = selector, kind, ""

    def extract(self, page, site=None):
        nodes = tuple(i for i, tag in enumerate(page.flat.tag) if tag == self.selector)
        return Extraction(nodes, self.name, 0.4, self.kind, why=self.why)


def run(override, method=None, html=HTML, path="/"):
    page = Page.from_html(html, f"https://e.example{path}")
    found = extract(page, method or Fixed(), None, parse_override(override, "e.yaml").rule(page.url))
    return page, found


def text(override, method=None, html=HTML, path="/"):
    page, found = run(override, method, html, path)
    return page.text(found.extraction.nodes)


def test_content_beats_the_method():
    page, found = run("{content: .post, exclude: .share, title: h1}")
    extraction = found.extraction
    assert page.text(extraction.nodes) == "Head\nfirst bold words\nsecond"
    assert (extraction.method, extraction.confidence, extraction.kind) == ("override", 1.0, Kind.CONTENT)
    assert (extraction.title, found.outcome) == ("Head", Outcome.CHOSEN)
    assert [tuple(use) for use in found.uses] == [
        ("content", ".post", 1),
        ("exclude", ".share", 1),
        ("title", "h1", 1),
    ]


def test_the_date_is_the_first_one_that_a_selector_finds():
    html = "<main><p class=at>3 February 2026</p><p>words</p></main>"
    page, found = run("{published: [time, .at, p]}", html=html)
    assert found.extraction.published == "3 February 2026"
    assert [tuple(use) for use in found.uses] == [("published", "time", 0), ("published", ".at", 1)]
    assert page.text(found.extraction.nodes) == text("{title: h1}", html=html)


def test_the_first_selector_with_text_counts():
    assert text("content: [.none, '.pixel', footer, main]") == "foot"
    assert text("content: 'footer, nav'") == "menu\nfoot"
    assert text("content: [//script, 'main p', main]") == "first bold words\nsecond"


def test_what_is_excluded_goes_without_text_too():
    page, found = run("{content: main, exclude: [.share, .pixel]}")
    html = page.html(found.extraction.nodes)
    assert "<img" not in html
    assert "<p>second</p>" in html
    assert "<b>bold</b>" in html


def test_selectors_that_match_nothing_leave_it_to_the_method():
    page, found = run("{content: '.gone', exclude: 'b, #comments'}")
    assert page.text(found.extraction.nodes) == "first words\nsecond"
    assert (found.outcome, found.extraction.method, found.extraction.confidence) == (
        Outcome.FALLBACK,
        "fixed+override",
        0.4,
    )
    _, found = run("content: .gone")
    assert (found.outcome, found.extraction.method) == (Outcome.FALLBACK, "fixed")


def test_exclude_alone_corrects_the_method():
    page, found = run("exclude: '#comments'")
    assert page.text(found.extraction.nodes) == "first bold words\nsecond"
    assert (found.outcome, found.extraction.method) == (Outcome.CORRECTED, "fixed+override")
    _, found = run("exclude: body")
    assert (found.extraction.nodes, found.extraction.kind) == ((), Kind.NONE)


def test_a_title_alone_changes_nothing_else():
    _, found = run("title: [.none, '//h1']")
    assert (found.extraction.title, found.extraction.method, found.outcome) == ("Head", "fixed", Outcome.CORRECTED)
    _, found = run("title: .none")
    assert found.extraction.title is None


def test_the_kind_of_a_rule_replaces_that_of_the_method():
    listing = Fixed(kind=Kind.LISTING)
    assert run("exclude: nav", listing)[1].extraction.kind is Kind.LISTING
    assert run("kind: article", listing)[1].extraction.kind is Kind.CONTENT
    assert run("kind: article", Fixed(kind=Kind.NONE))[1].extraction.kind is Kind.CONTENT
    assert run("kind: article", Fixed("video"))[1].extraction.kind is Kind.NONE
    assert run("kind: listing")[1].extraction.kind is Kind.LISTING
    assert run("exclude: body", listing)[1].extraction.kind is Kind.LISTING
    assert run("kind: listing", Fixed("video"))[1].extraction.kind is Kind.LISTING
    assert run("{kind: listing, content: main}")[1].extraction.kind is Kind.LISTING
    _, found = run("{kind: none, title: h1}")
    assert (found.extraction.nodes, found.extraction.kind, found.extraction.confidence) == ((), Kind.NONE, 1.0)
    assert found.extraction.title == "Head"
    assert run("exclude: nav", Fixed(kind=Kind.NONE))[1].extraction.nodes == ()


def test_the_reason_of_a_kind_is_the_methods_until_an_override_says_another():
    listing = Fixed(kind=Kind.LISTING)
    listing.why = "it looks like a listing"
    assert run("exclude: nav", listing)[1].extraction.why == "it looks like a listing"
    assert run("kind: listing", listing)[1].extraction.why == "an override says so"
    assert run("kind: article", listing)[1].extraction.why == "an override says so"
    assert run("content: main", listing)[1].extraction.why == ""


def test_a_kind_that_is_said_is_named_in_the_method_also_where_the_method_agrees():
    assert run("kind: listing", Fixed(kind=Kind.LISTING))[1].extraction.method == "fixed+override"
    assert run("kind: listing")[1].extraction.method == "fixed+override"
    assert run("exclude: video", Fixed(kind=Kind.LISTING))[1].extraction.method == "fixed"


def test_comments_are_kept_or_dropped_as_the_rule_says():
    main = Fixed("main")
    assert "a reader" not in text("title: h1", main)
    assert text("comments: keep", main).endswith("second\na reader")
    assert text("kind: forum", main).endswith("second\na reader")
    assert "a reader" not in text("{kind: forum, comments: drop}", main)
    assert text("comments: drop", Fixed("p")) == "first bold words\nsecond"
    assert "a reader" not in text("{content: body, comments: drop}")
    assert "a reader" in text("content: body")
    page, found = run("comments: keep", Fixed("video"))
    assert (page.text(found.extraction.nodes), found.extraction.kind) == ("a reader", Kind.CONTENT)


def test_layouts_have_their_names():
    _, found = run("{content: main, layouts: [{url: /a/*, name: short, content: h1}]}", path="/a/b")
    assert found.extraction.method == "override:short"
    page, found = run("{layouts: [{url: /a/*, exclude: b}]}", path="/a/b")
    assert found.extraction.method == "fixed+override:1"
    assert page.text(found.extraction.nodes) == "first words\nsecond\na reader"


def test_without_a_rule_the_method_is_all():
    page = Page.from_html(HTML, "https://e.example/")
    method = get_extractor("everything")
    found = extract(page, method, None, None)
    assert (found.extraction, found.outcome, found.marks) == (method.extract(page), None, ())


def test_what_is_no_node_is_not_chosen():
    assert (
        text("content: [title, script, main h1]", html="<title>T</title><body><script>x</script><main><h1>a</h1>")
        == "a"
    )


def test_deep_pages_take_no_time():
    html = "<div class=a>x" * 2000 + "<p class=b>y"
    assert text("{content: .a, exclude: .b}", html=html).startswith("x\nx")
    assert text("{content: .b}", html=html) == "y"


def test_what_is_included_is_added_to_what_was_chosen():
    page, found = run("{include: nav, exclude: .share}")
    assert page.text(found.extraction.nodes) == "menu\nfirst bold words\nsecond\na reader"
    assert (found.outcome, found.extraction.method, found.extraction.confidence) == (
        Outcome.CORRECTED,
        "fixed+override",
        0.4,
    )
    assert text("{content: h1, include: [nav, footer]}") == "menu\nHead\nfoot"
    assert text("{include: main, exclude: .share}") == "Head\nfirst bold words\nsecond\na reader"


def test_what_is_included_is_content_where_the_method_found_nothing():
    page, found = run("include: footer", Fixed(kind=Kind.NONE))
    assert (page.text(found.extraction.nodes), found.extraction.kind) == ("foot", Kind.CONTENT)
    page, found = run("include: .nowhere", Fixed(kind=Kind.NONE))
    assert (found.extraction.nodes, found.extraction.kind) == ((), Kind.NONE)
