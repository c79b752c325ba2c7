from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.chunks import MOST, chunks, tokens
from sitecrawl.dom.markdown import markdown

PAGE = "p" * 32


def words(rng, count):
    return " ".join("".join(rng.choices("abcdefgh", k=rng.randint(2, 9))) for _ in range(count))


def paragraphs(seed, count=60):
    rng = Random(seed)
    return [words(rng, rng.randint(5, 60)) for _ in range(count)]


def test_chunks_have_their_headings():
    html = (
        "<p>Before.</p><h1>Guide</h1><p>One.</p><h3>Deep</h3><p>Two.</p><ul><li>a</li><li>b</li></ul>"
        "<h2>Second</h2><pre><code># no heading\n\nx = 1\n</code></pre><h1>End</h1><p>Three.</p>"
    )
    found = chunks(PAGE, "", html)
    assert [(one.headings, one.text) for one in found] == [
        ((), "Before."),
        (("Guide",), "One."),
        (("Guide", "Deep"), "Two.\n\n- a\n- b"),
        (("Guide", "Second"), "```\n# no heading\n\nx = 1\n```"),
        (("End",), "Three."),
    ]
    assert [one.tokens for one in found] == [tokens(one.text) for one in found]


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ('<a href="https://example.org/ch-44.html">Chapter 44 - Lists</a>', "Chapter 44 - Lists"),
        ('Of <a href="/a_(b)">moles</a> and <a href="/c">piers</a>', "Of moles and piers"),
        ('<a href="/x"><img src="/y.png" alt="A mole"></a>', "A mole"),
        ("An array a[1](x)", "An array a[1\\](x)"),
    ],
)
def test_headings_have_no_addresses(heading, said):
    (found,) = chunks(PAGE, "", f"<h2>{heading}</h2><p>One.</p>")
    assert found.headings == (said,)


def test_no_text_is_lost_and_no_chunk_is_too_long():
    parts = [*paragraphs(1), "x" * 5000, " ".join(paragraphs(2)), "\u65b0" * 3000]
    found = chunks(PAGE, "\n".join(parts), None)
    assert max(one.tokens for one in found) <= MOST
    assert "".join("".join(one.text for one in found).split()) == "".join("".join(parts).split())
    html = "".join(f"<h2>{n}</h2><p>{part}</p>" for n, part in enumerate(parts))
    told = " ".join(" ".join((*one.headings, one.text)) for one in chunks(PAGE, "", html))
    assert set(told.split()) >= set(" ".join(paragraphs(1)).split())
    assert max(one.tokens for one in chunks(PAGE, "", html)) <= MOST


def test_an_insertion_changes_the_chunks_around_it_only():
    before = paragraphs(3, 200)
    for at in (0, 50, 199):
        after = [*before[:at], "A new paragraph of some ten words was put in here.", *before[at:]]
        old, new = chunks(PAGE, "\n".join(before), None), chunks(PAGE, "\n".join(after), None)
        fresh = {one.id for one in new} - {one.id for one in old}
        assert 1 <= len(fresh) <= 4
        assert len(old) > 30


def test_ids_follow_from_page_headings_and_text():
    html = "<h2>A</h2><p>Same.</p><h2>B</h2><p>Same.</p><h2>A</h2><p>Same.</p>"
    found = [one.id for one in chunks(PAGE, "", html)]
    assert len(set(found)) == 3
    assert found == [one.id for one in chunks(PAGE, "other", html)]
    assert not set(found) & {one.id for one in chunks("q" * 32, "", html)}


def test_an_empty_page_has_no_chunks():
    assert chunks(PAGE, "", None) == []
    assert chunks(PAGE, "", "<p> </p>") == []


@given(st.text(alphabet="ab \n#`~-\u65b0", max_size=3000))
def test_chunks_have_all_characters_of_a_text_and_distinct_ids(text):
    found = chunks(PAGE, text, None)
    assert "".join("".join(one.text for one in found).split()) == "".join(text.split())
    assert len({one.id for one in found}) == len(found)
    html = f"<p>{text}</p>"
    said = "".join("".join(one.text for one in chunks(PAGE, "", html)).split())
    assert said == "".join(markdown(html).split())
