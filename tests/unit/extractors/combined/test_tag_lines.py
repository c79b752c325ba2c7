"""Lines with the tags or categories of the page are dropped."""

import pytest

from sitecrawl.extractors.combined.tag_lines import without_tag_lines

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought from far away.</p>"
LINKS = "<a href=/tag/moles>moles</a>, <a href=/tag/harbours>harbours</a>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_tag_lines)


@pytest.mark.parametrize(
    "label",
    [
        "Tags:", "Tag :", "Filed under:", "Posted in:", "Categories:", "Category:", "Topics:", "Keywords:", "Schlagwörter:",
        "Kategorie:", "Kategorien:", "Catégorie :", "Étiquettes :", "Mots-clés :", "Etiquetas:", "Categorías:", "Categorias:",
        "Categoria:", "Trefwoorden:", "Categorieën:", "Kategorier:", "Tagi:", "Štítky:", "Címkék:", "Κατηγορίες:", "Теги:",
        "Рубрика:", "Категории:", "תגיות:", "الوسوم:", "标签：", "文章分类：", "タグ：", "カテゴリ：", "태그:",
    ],
)  # fmt: skip
def test_a_label_with_nothing_but_links_is_dropped(label):
    line = f"{label} moles, harbours"
    assert dropped(f"{TEXT}<p>{label} {LINKS}</p>{TEXT}") == [line]
    assert dropped(f"{TEXT}<div><span>{label}</span> {LINKS}</div>") == [line]


@pytest.mark.parametrize(
    "line",
    [
        "<p>Tags: moles, harbours</p>",  # no links
        f"<p>Tags: {LINKS} are what the harbour master writes on stones.</p>",
        f"<p>Sources: {LINKS}</p>",
        f"<p>Tags {LINKS}</p>",
        f"<p>{LINKS}</p>",
        f"<table><tr><th>Tags: {LINKS}</th><td>Category: {LINKS}</td></tr></table>",
        f"<dl><dt>mole</dt><dd><p>A wall in the sea.</p><div class=categories>Categories: {LINKS}</div></dd></dl>",
    ],
)
def test_other_lines_stay(line):
    assert dropped(f"{TEXT}{line}{TEXT}") == []


def test_lines_that_describe_the_entries_of_a_page_stay():
    line = f"<p>Tags: {LINKS}</p>"
    assert dropped(f"{TEXT}{line}" * 3) == ["Tags: moles, harbours"] * 3
    assert dropped(f"{TEXT}{line}" * 4) == []


def test_a_page_that_would_lose_everything_keeps_them():
    assert dropped(f"<p>Tags: {LINKS}</p>") == []
