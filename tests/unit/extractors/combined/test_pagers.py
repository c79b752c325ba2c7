"""Links to neighbour pages are dropped, with their lists."""

import pytest

from sitecrawl.extractors.combined.pagers import without_pagers

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_pagers)


@pytest.mark.parametrize(
    "text",
    [
        "Next message: <a href=/2>Ann: moles and their stones</a>",
        "<a href=/2>Next</a>",
        "<a href=/2>« Previous post</a>",
        "<a href=/2>Nächster Beitrag: Molen</a>",
        "<a href=/2>Article suivant</a>",
        "<a href=/2>Entrada anterior</a>",
        "<a href=/2>下一篇：码头</a>",
        "<a href=/2>Следующая: мол</a>",
        "<a href=/2>‹ Moles of the harbour</a>",
        "<a href=/2>« Moles of the harbour</a>",
        "[<a href=/2> &lt;&lt; </a>]",
        "← Previous<br> <a href=/2>Moles of the harbour</a>",
        "‹ Vorheriger Beitrag <a href=/2>Moles</a>",
        "[Prev:&nbsp;<a href=/2>Moles</a>]",
        "[ <a href=/2>anterior</a> ] [ <a href=/3>Conteúdo</a> ] [ <a href=/4>próximo</a> ]",
        "(<a href=/2>Next</a>)",
        "| [<a href=/2>Previous page</a>] |",
        "<a href=/>Up</a>",
        "— <a href=/1>前</a> — <a href=/>目次</a> — 次 —",
        "[<a href=/>Contents</a>][<a href=/index>Index</a>]",
        "<a href=#index>Index</a> <a href=/>Return to Main Contents</a>",
        "<span>‹ Previous</span>",
        "- <a href=/2>Next unit</a> -",
        "<a href=/2>Previous lesson</a>",
        "Newer posts →",
    ],
)
def test_a_link_to_a_neighbour_is_dropped(text):
    assert len(dropped(f"{TEXT}<div>{text}</div>")) == 1


def test_a_sign_in_a_table_with_headers_is_no_pager():
    rows = "<tr><td><a href=#a>Moles</a><td><a href=#b>✔</a><tr><td><a href=#c>Piers</a><td><a href=#d>✔</a>"
    assert not dropped(f"{TEXT}<table><tr><th>Work<th>Built{rows}</table>{TEXT}")
    assert len(dropped(f"{TEXT}<table>{rows}</table>{TEXT}")) == 4


WORDS = """next|previous chapter|preview|newer posts|older|in reply to|maybe reply|reply|messages sorted by|nächster|vorherige
nachricht suivante|seite précédente|kapitel siguiente|page anterior|message próxima|billet próximo|página seguinte
mensaje successivo|artigo precedente|articolo suivant|messaggio siguiente|pagina successiva|post anterior|suivante
précédent|siguiente|anterior|próximo|seguinte|successiva|precedente|nächste artikel|vorheriger beitrag|artículo siguiente
entrada anterior|article suivant|следующая|предыдущий|poprzedni|następna|önceki|sonraki|volgende|vorige|上一篇|下页|前へ
次へ|前の記事|次の記事|이전글|다음 글"""


@pytest.mark.parametrize("word", WORDS.replace("\n", "|").split("|"))
def test_all_words_of_pagers_are_known_in_small_and_capital_letters(word):
    for text in (word, word.upper(), f"« {word}"):
        assert len(dropped(f"{TEXT}<div><a href=/2>{text}</a></div>")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<a href=/2>Next steps of the harbour</a>",
        "Next: the mole",
        "<a href=/2>The previous harbour</a>",
        "<a href=/2>« Les môles »</a>",
        "‹ <a href=/2>moles</a>, of which there are many more in this harbour",
        "* * *",
        "← Moles <a href=/2>of the harbour</a>",
        "<a href=/2>Previous moles</a>",
        "[<a href=/2>Next steps]</a>",
        "[Next]",
        "‹ Previous ships",
        "Next → mole",
        "<a href=/2>next-line</a>",
        f"Next: <a href=/2>moles</a>, of which there are many more in this harbour. {TEXT}",
    ],
)
def test_other_lines_stay(text):
    assert dropped(f"{TEXT}<div>{text}</div>") == []


@pytest.mark.parametrize(
    "text", ["<a href=/>Contents</a>", "<a href=/>Up</a> the mole", "Up", "<a href=/>Mole</a> | Up"]
)
def test_a_word_of_a_book_or_of_other_things_stays(text):
    assert dropped(f"<main>{TEXT}<div>{text}</div></main>") == []


def test_the_list_of_two_such_links_is_dropped_as_a_whole():
    rest = "<li><a href=/4>Moles, by date</a></li>"
    both = f"<ul><li>Next: <a href=/2>moles</a></li><li>Previous: <a href=/3>ships</a></li>{rest}</ul>"
    assert len(dropped(TEXT + both)) == 3
    assert len(dropped(f"{TEXT}<ul><li>Next: <a href=/2>moles</a></li>{rest}</ul>")) == 1
    assert len(dropped(f"{TEXT}<div>{TEXT}{both}</div>")) == 3  # the text around the list stays


def test_a_page_of_nothing_else_stays():
    assert dropped("<a href=/2>Next</a>") == []
