"""Headings that announce other pages, by their whole text."""

import pytest

from sitecrawl.extractors.combined.related_headings import LONGEST, Announced, announced


@pytest.mark.parametrize(
    "heading",
    [
        "Related Posts",
        "» Related articles:",
        "Other posts you may enjoy",
        "Don’t miss",
        "What to read next",
        "Weitere Artikel",
        "Auch lesenswert",
        "Lire aussi :",
        "Leggi anche",
        "Läs också",
        "Zobacz także",
        "Ссылки по теме:",
        "Читайте також",
        "Διαβάστε επίσης",
        "Bài viết liên quan",
        "เรื่องที่เกี่ยวข้อง",
        "اقرأ أيضا",
        "相关新闻：",
        "为你推荐",
        "你可能也喜欢",
        "あわせて読みたい",
        "관련기사",
    ],
)
def test_related_pages(heading):
    assert announced(heading) is Announced.RELATED


@pytest.mark.parametrize(
    "heading",
    [
        "If you liked this post, you might also like",
        "More recipes you’ll love",
        "More easy recipes to try",
        "Recommended for you",
        "Customers also bought",
        "Vous pourriez aussi aimer",
        "Te puede interesar",
        "También te puede gustar",
        "Você também pode gostar",
        "Ti potrebbe interessare anche",
        "Вам также может понравиться",
        "More like this",
        "Similar jobs",
        "Related questions",
        "Ähnliche Anzeigen",
        "Offres d’emploi similaires",
        "Anuncios similares",
        "Vagas semelhantes",
        "Annunci simili",
        "Liknande annonser",
        "Podobne oferty",
        "Похожие объявления",
        "相似职位",
    ],
)
def test_pages_that_the_reader_may_like(heading):
    assert announced(heading) is Announced.OFFERED


@pytest.mark.parametrize(
    "heading",
    [
        "Related",
        "Related content:",
        "Contenidos relacionados",
        "関連コンテンツ",
        "Recommended items",
        "Similar products",
        "Frequently bought together",
        "Ähnliche Produkte",
        "Produits similaires",
        "Похожие товары",
        "推荐商品",
        "関連商品",
    ],
)
def test_related_pages_if_cards_follow(heading):
    assert announced(heading) is Announced.CARDS


@pytest.mark.parametrize(
    "heading", ["See also", "Voir aussi", "Siehe auch:", "Related links", "Vedi anche", "См. также", "関連リンク"]
)
def test_further_pages_if_cards_follow(heading):
    assert announced(heading) is Announced.FURTHER


@pytest.mark.parametrize(
    "heading",
    [
        "The latest news",
        "Trending now",
        "Most read",
        "Editor’s picks",
        "Meistgelesene Artikel",
        "Lo más leído",
        "Последние новости",
        "热门文章",
        "カテゴリ別新着記事",
        "アクセスランキング",
        "인기 기사",
        "Posts récents",
        "Post recenti",
        "Recente blogposts",
        "Ostatnie posty",
        "Legutóbbi bejegyzések",
        "Senaste inlägg",
        "Son Yazılar",
        "Πρόσφατες αναρτήσεις",
        "Недавние посты",
        "أحدث المقالات",
        "Bài viết mới nhất",
        "최근 게시물",
    ],
)
def test_the_latest_pages_and_those_most_read(heading):
    assert announced(heading) is Announced.OTHERS


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "Related work",
        "Related posts of this harbour",
        "News",
        "The latest news from the harbour",
        "Más",
        "Related posts" + "!" * LONGEST,
    ],
)
def test_other_headings_announce_nothing(heading):
    assert announced(heading) is None
