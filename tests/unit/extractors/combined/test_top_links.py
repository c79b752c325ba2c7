"""Lines that lead back to the top of their own page are dropped."""

import pytest

from sitecrawl.extractors.combined.top_links import without_top_links

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_top_links)


@pytest.mark.parametrize(
    "text",
    [
        *("Back to top", "↑ Top", "[top]", "Go to top of page", "Return to the table of contents", "Nach oben"),
        *("Zurück zum Seitenanfang", "Retour en haut de page", "Haut de la page", "Volver arriba", "Voltar ao topo"),
        *("Torna all'inizio", "Terug naar boven", "Till toppen", "Takaisin ylös", "Powrót do góry", "Nahoru"),
        *("Vissza a tetejére", "Наверх", "К началу страницы", "Догори", "Başa dön", "Επιστροφή στην αρχή"),
        *("العودة إلى الأعلى", "חזרה למעלה", "Về đầu trang", "Kembali ke atas", "返回顶部", "回到頂端"),
        *("ページの先頭へ戻る", "目次へ", "맨 위로"),
    ],
)
def test_a_link_to_the_top_is_dropped(text):
    assert dropped([TEXT, f"<p><a href='#top'>{text}</a></p>", TEXT]) == [text]


def test_the_link_may_be_around_the_line():
    assert dropped([TEXT, "<a href='/moles#'><p>Back to top</p></a>"]) == ["Back to top"]


@pytest.mark.parametrize(
    "line",
    [
        "<p><a href='/top'>Back to top</a></p>",  # another page
        "<p>Back to top</p>",
        "<p><a href='#top'>Back to top speed</a></p>",
        "<p><a href='#top'>Top ten moles</a></p>",
        "<p>See <a href='#s2'>the section on stones</a></p>",
    ],
)
def test_other_lines_stay(line):
    assert dropped([TEXT, line]) == []


def test_a_page_of_nothing_else_stays():
    site = Sample([[TEXT, "<p><a href='#top'>Back to top</a></p>"]])
    only = [text == "Back to top" for text in site.texts]
    assert True in only
    assert without_top_links(site.flat, site.blocks, only) == only
