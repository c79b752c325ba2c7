"""Tests of the peers: the real ones where they are installed, and how each is called."""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from types import ModuleType, SimpleNamespace

import pytest

from sitecrawl.errors import ExtractorError, UnknownExtractorError
from sitecrawl.evaluation import peers
from sitecrawl.evaluation.peers import available_peers, get_peer, missing_peers, peer_versions

NAMES = [
    "boilerpy3",
    "defuddle",
    "justext",
    "justext-site",
    "newspaper4k",
    "readability-lxml",
    "readability.js",
    "resiliparse",
    "trafilatura",
    "trafilatura-comments",
    "trafilatura-fast",
]
INDEPENDENT = "none {'stopwords_low': 0.0, 'stopwords_high': 0.0}"
SENTENCE = "The storm has hit the coast, and it is not over yet, as the people of the town have said. "
PAGE = (
    "<html lang=en><head><title>News</title></head><body><nav><ul><li><a href=/>Frontpage</a></li></ul></nav>"
    f"<article><h1>Storm</h1><p>{SENTENCE * 6}</p><p>{SENTENCE * 5}</p></article>"
    "<footer><a href=/imprint>Imprint</a></footer></body></html>"
)


@pytest.fixture
def fake(monkeypatch):
    """Return a function that puts a module with some attributes in the place of a library."""

    def put(name, **attributes):
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    monkeypatch.setattr(peers, "find_spec", lambda name: object() if name != "jieba" else None)
    return put


def test_each_peer_is_there_or_says_what_to_install():
    available, missing = available_peers(), missing_peers()
    assert [name for name in NAMES if name in available or any(f"{name!r}" in text for text in missing)] == NAMES
    assert len(available) + len(missing) == len(NAMES)
    for name in NAMES:
        if name in available:
            text = get_peer(name, (PAGE,))(PAGE, "https://example.org/story.html")
            assert text.count("not over yet") == 11, name
        else:
            with pytest.raises(ExtractorError, match=r"pip install 'sitecrawl\[peers\]'|npm ci --prefix|Node"):
                get_peer(name)


def test_versions_are_those_of_what_is_installed(monkeypatch):
    def version(package):
        if package == "boilerpy3":
            raise PackageNotFoundError(package)
        return f"{len(package)}.0"

    monkeypatch.setattr(peers, "version", version)
    monkeypatch.setattr(peers, "node_version", lambda package: "" if package == "defuddle" else "20.1")
    assert peer_versions() == {
        "@mozilla/readability": "20.1",
        "jusText": "7.0",
        "linkedom": "20.1",
        "newspaper4k": "11.0",
        "readability-lxml": "16.0",
        "resiliparse": "11.0",
        "trafilatura": "11.0",
    }


def test_unknown_peers_list_the_known_ones():
    with pytest.raises(UnknownExtractorError, match=r"'peer:goose'; known: boilerpy3, .*trafilatura-comments"):
        get_peer("peer:goose")


def test_missing_libraries_are_named(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda name: None if name == "lxml_html_clean" else object())
    monkeypatch.setattr(peers, "node_missing", lambda package: f"{package} needs Node")
    assert available_peers() == [
        "boilerpy3",
        "resiliparse",
        "trafilatura",
        "trafilatura-comments",
        "trafilatura-fast",
    ]
    assert missing_peers() == ["The peer 'defuddle' is left out: defuddle needs Node."] + [
        f"The peer {name!r} is left out: {package} is not installed (pip install 'sitecrawl[peers]')."
        for name, package in (
            ("justext", "jusText"),
            ("justext-site", "jusText"),
            ("newspaper4k", "newspaper4k"),
            ("readability-lxml", "readability-lxml"),
        )
    ] + ["The peer 'readability.js' is left out: @mozilla/readability needs Node."]
    with pytest.raises(ExtractorError, match="'justext' cannot run: jusText is not installed"):
        get_peer("peer:justext")


def test_libraries_that_cannot_be_imported_are_named(fake, monkeypatch):
    fake("boilerpy3")
    monkeypatch.setitem(sys.modules, "boilerpy3.extractors", None)
    with pytest.raises(ExtractorError, match="'boilerpy3' cannot be imported: "):
        get_peer("boilerpy3")


# --- how each is called ---


def test_trafilatura_with_and_without_comments_and_fallbacks(fake):
    fake(
        "trafilatura",
        extract=lambda html, include_comments, fast: f"{html} {include_comments} {fast}" if html else None,
    )
    assert get_peer("trafilatura")("text", "") == "text False False"
    assert get_peer("peer:trafilatura-comments")("text", "") == "text True False"
    assert get_peer("trafilatura-fast")("text", "") == "text False True"
    assert get_peer("trafilatura")("", "") == ""


def test_readability_is_made_text_by_the_rules_here(fake):
    class Document:
        def __init__(self, html, url):
            self.html = html if url is None else f"<p>{url}</p>"

        def summary(self, html_partial):
            return self.html if html_partial else ""

    fake("readability", Document=Document)
    peer = get_peer("readability-lxml")
    assert peer("<div><p>One</p><ul><li>Two <b>three</b></li></ul></div>", "") == "One\n- Two three"
    assert peer("", "https://example.org/") == "https://example.org/"
    assert peer("", "") == ""


def test_libraries_of_node_are_made_text_by_the_rules_here(monkeypatch):
    answers = {"one": "<div><p>One</p><ul><li>Two <b>three</b></li></ul></div>", "none": ""}
    process = SimpleNamespace(
        html=lambda peer, html, url: f"{answers[html]}<p>{peer} {url}</p>" if url else answers[html]
    )
    monkeypatch.setattr(peers, "node_missing", lambda package: "")
    monkeypatch.setattr(peers, "node_process", lambda: process)
    assert get_peer("readability.js")("one", "") == "One\n- Two three"
    assert get_peer("peer:defuddle")("none", "https://example.org/") == "defuddle https://example.org/"
    assert get_peer("defuddle")("none", "") == ""


def test_resiliparse_gives_main_content_only(fake):
    fake("resiliparse")
    fake("resiliparse.extract")
    fake(
        "resiliparse.extract.html2text", extract_plain_text=lambda html, **options: f"{html} {sorted(options.items())}"
    )
    expected = "text [('alt_texts', False), ('comments', False), ('main_content', True)]"
    assert get_peer("resiliparse")("text", "") == expected


def test_newspaper_fetches_nothing_and_cuts_nothing(fake):
    class Article:
        def __init__(self, url, **options):
            self.url, self.options, self.text = url, options, None

        def download(self, input_html):
            self.html = input_html

        def parse(self):
            if self.html:
                self.text = f"{self.url} {self.options}"

    fake("newspaper", Article=Article)
    body = fake("newspaper.extractors.articlebody_extractor")
    peer = get_peer("newspaper4k")
    assert list(body.set("page")) == ["p", "a", "g", "e"]  # not in the order of addresses
    assert peer("page", "") == "https://example.org/ {'fetch_images': False, 'max_text': 4}"
    assert peer("", "https://example.com/") == ""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<html><p>x", INDEPENDENT),
        ("<html lang=en-GB><p>x", "English {}"),
        ("<!doctype html>\n<HTML class=a LANG='de-AT'><p>x", "German {}"),
        ('<html xml:lang="PT_br">', "Portuguese {}"),
        ("<html lang=zh-Hant>", INDEPENDENT),
        ("<html lang=''>", INDEPENDENT),
        ("<html><body lang=fr>", INDEPENDENT),
    ],
)
def test_justext_reads_the_declared_language(fake, html, expected):
    def justext(found, stop_words, **options):
        assert found == html
        text = f"{''.join(sorted(stop_words)) or 'none'} {options}"
        return [
            SimpleNamespace(text=text, dom_path="p", is_boilerplate=False),
            SimpleNamespace(text="menu", dom_path="li", is_boilerplate=True),
        ]

    fake("justext", justext=justext, get_stoplist=lambda name: frozenset([name]))
    assert get_peer("justext")(html, "") == expected


def test_the_lists_of_justext_exist():
    assert peers._STOP_WORDS["en"] == "English"
    for library in (import_module("justext") for name in available_peers() if name == "justext"):
        assert set(peers._STOP_WORDS.values()) <= library.get_stoplists()


def test_the_site_level_peer_learns_from_all_pages(fake):
    def justext(html, stop_words, **options):
        texts = html.split("|")
        return [SimpleNamespace(text=text.lower(), dom_path="p", is_boilerplate=text.isupper()) for text in texts]

    fake("justext", justext=justext, get_stoplist=frozenset)
    pages = ["one good line|BAD|foot", "another good line|foot"]
    peer = get_peer("justext-site", pages)
    assert [peer(html, "") for html in pages] == ["one good line\nbad", "another good line"]
    assert peer("a page that was not learned|foot", "") == "a page that was not learned"
