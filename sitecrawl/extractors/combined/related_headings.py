"""Recognises headings that announce other pages of the site, in some 25 languages, by their whole text.

The languages and words are an own choice. [OWN]
"""

import re
from enum import Enum
from functools import lru_cache
from typing import Final

from sitecrawl.dom.bounded_cache import LIMIT

LONGEST: Final = 60
"""Maximum characters of such a heading. Own choice."""


class Announced(Enum):
    """The kind of list that a heading announces."""

    RELATED = "related"
    """Pages on the same subject."""
    OFFERED = "offered"
    """Pages that the reader may like: similar offers, records and threads. A reference has none."""
    CARDS = "cards"
    """Pages on the same subject, and further products, if cards follow. Above plain links it is content of services."""
    FURTHER = "further"
    """Pages on the same subject, if cards follow. A line such as "See also: moles" is content."""
    OTHERS = "others"
    """The latest or most read pages. On a front page these are content."""


_RELATED: Final = (
    # English
    r"(?:related|recommended|similar|other) (?:posts?|articles?|stories|news|entries|reads?|coverage)"
    r"(?: you (?:may|might|will) (?:enjoy|like))?"
    r"|more (?:posts|articles|stories)|(?:what to )?read (?:also|next)|also read|related reading|up next"
    r"|don['’]t miss(?: these| this)?"
    r"|more on this(?: story| topic)?|sponsored (?:links|content|stories)"
    r"|keep reading",
    # German
    r"(?:ähnliche|verwandte|weitere) (?:artikel|beiträge|nachrichten|meldungen)|verwandte themen|mehr zum thema"
    r"|lesen sie auch|auch (?:interessant|lesenswert)"
    r"|mehr (?:artikel|beiträge|nachrichten)|empfohlene (?:artikel|beiträge)",
    # French
    r"articles (?:similaires|li[eé]s|connexes)|(?:à )?lire (?:aussi|également)|sur le même (?:sujet|thème)"
    r"|dans la même (?:rubrique|catégorie)|articles recommandés"
    r"|recommandés? pour vous",
    # Spanish, Portuguese, Italian, Romanian
    r"(?:art[ií]culos|entradas|not[ai]s|noticias) (?:relacionad|recomendad)[oa]s|lee tambi[eé]n|te recomendamos"
    r"|más noticias",
    r"(?:posts|artigos|not[ií]cias|mat[eé]rias) (?:relacionad|recomendad)[oa]s|leia (?:tamb[eé]m|mais)|veja também"
    r"|recomendad[oa]s? para você|mais notícias",
    r"(?:articoli|notizie) (?:correlat|consigliat)[ei]|leggi anche|potrebbe(?:ro)? (?:anche )?interessarti(?: anche)?"
    r"|altr[ei] (?:articoli|notizie)",
    r"articole (?:similare|asemănătoare)|citește și",
    # Dutch, Swedish, Danish, Norwegian, Finnish
    r"(?:gerelateerde|aanbevolen) (?:artikelen|berichten)|lees ook|ook interessant|meer nieuws"
    r"|relaterade (?:artiklar|inlägg)|läs (?:också|även)",
    r"relaterede (?:artikler|indlæg)|læs også|relaterte (?:artikler|innlegg)|les også|lue myös",
    # Polish, Czech, Hungarian, Turkish, Greek
    r"(?:powiązane|podobne|polecane) (?:wpisy|artykuły)|(?:czytaj|przeczytaj|zobacz) (?:też|także|również)",
    r"související (?:články|příspěvky)|čtěte také|mohlo by vás zajímat|(?:kapcsolódó|hasonló) (?:cikkek|bejegyzések)",
    r"(?:benzer|ilgili|önerilen) (?:yazılar|haberler)"
    r"|σχετικά άρθρα|διαβάστε (?:επίσης|ακόμα)",
    # Russian, Ukrainian
    r"похожие (?:статьи|записи|материалы)|читайте (?:также|також|ещё|еще)"
    r"|рекомендуем (?:почитать|прочитать)"
    r"|(?:(?:ссылки|новости|материалы|статьи|ещё|еще) )?по теме",
    r"другие (?:новости|материалы|статьи)|схожі (?:записи|статті)|за темою",
    # Vietnamese, Indonesian, Thai, Hindi, Arabic, Hebrew, Persian
    r"(?:tin|bài|bài viết) liên quan|có thể bạn quan tâm|baca juga|(?:artikel|berita) (?:terkait|lainnya)"
    r"|(?:บทความ|ข่าว|เรื่อง)ที่เกี่ยวข้อง|(?:यह|ये) भी पढ़ें",
    r"اقرأ أيضا|قد يعجبك أيضا|(?:مواضيع|مقالات|أخبار) ذات صلة"
    r"|כתבות (?:נוספות|קשורות)|פוסטים קשורים|(?:مطالب|اخبار) مرتبط",
    # Chinese, Japanese, Korean
    r"(?:相关|延伸|推荐)(?:文章|阅读|推荐|新闻|资讯|报道)|[为為][你您](?:推荐|推薦)|大家都?在看"
    r"|更多(?:推荐|文章|阅读|新闻|新聞)|[你您]可能(?:还|也|還)?(?:会|會)?(?:喜欢|喜歡|感兴趣|感興趣)(?:的(?:文章|内容))?"
    r"|(?:相關|推薦)(?:文章|新聞|報導)|(?:延伸|推薦)閱讀",
    r"関連(?:記事|ニュース|エントリー?)|(?:あわせて|合わせて)読みたい(?:記事)?|こちらもおすすめ|この記事もおすすめ|あなたにおすすめ(?:の記事)?",
    r"관련 ?(?:글|포스트|기사|뉴스)|함께 (?:보면|읽으면) 좋은 글",
)
_OFFERED: Final = (
    r"(?:if you (?:liked|enjoyed) this(?: \w{1,12})?,? )?you (?:may|might) (?:also )?(?:like|enjoy|be interested in)"
    r"|recommended for you|(?:people|readers|customers|guests|others)(?: like you)? also (?:bought|liked|read|viewed)"
    r"|customers who (?:bought|viewed) this(?: item| product)? also (?:bought|viewed)|related searches"
    r"|(?:more|other) (?:\w{3,12} )?recipes (?:you(?:['’]ll| may| might| will)? (?:also )?(?:like|love|enjoy)|to try)",
    r"das könnte (?:dich|sie|ihnen|dir) auch (?:interessieren|gefallen)|vous (?:aimerez|pourriez) aussi(?: aimer)?"
    r"|(?:tambi[eé]n )?(?:te|le) puede (?:interesar|gustar)|você (?:também )?(?:pode|vai) gostar"
    r"|ti potrebbe(?:ro)? (?:anche )?(?:interessare|piacere)(?: anche)?",
    r"(?:вам|вас) (?:также )?может (?:понравиться|заинтересовать)|(?:bunlar da )?ilginizi çekebilir|猜你喜[欢歡]",
    r"(?:related|recommended|similar) (?:listings?|propert(?:y|ies)|homes|jobs?|vacancies|adverts?|ads|vehicles|cars)"
    r"|more like this|(?:related|similar) (?:threads?|discussions?|questions?)"
    r"|similar (?:topics|titles|movies|films|events|recipes)",
    r"ähnliche (?:anzeigen|inserate|angebote|stellen(?:angebote|anzeigen)?|jobs|immobilien|objekte|fahrzeuge|themen"
    r"|fragen|rezepte|titel)|weitere (?:anzeigen|inserate|stellenangebote|fahrzeuge)",
    r"(?:annonces|offres(?: d['’]emploi)?|biens|véhicules|sujets|discussions|questions|recettes) similaires",
    r"(?:anuncios|ofertas|empleos|inmuebles|propiedades|viviendas|vehículos|coches|temas|recetas)"
    r" (?:similares|parecid[oa]s)|preguntas (?:similares|relacionadas)",
    r"(?:anúncios|vagas|imóveis|veículos|carros|tópicos|receitas) (?:semelhantes|similares|parecid[oa]s)"
    r"|perguntas (?:semelhantes|relacionadas)",
    r"(?:annunci|offerte|immobili|veicoli|auto|discussioni|ricette) simili|domande (?:simili|correlate)",
    r"(?:vergelijkbare|soortgelijke) (?:advertenties|vacatures|woningen|auto['’]s|onderwerpen)"
    r"|liknande (?:annonser|jobb|bostäder|trådar)|lignende (?:annoncer|annonser|stillinger|boliger)",
    r"podobne (?:ogłoszenia|oferty|tematy|pytania|przepisy)|benzer (?:ilanlar|konular|sorular)"
    r"|похожие (?:объявления|предложения|вакансии|темы|вопросы|рецепты)|схожі (?:оголошення|вакансії|теми)",
    r"(?:相似|类似|相关)(?:职位|房源|车源|帖子|主题|问题)|(?:類似|関連)(?:の)?(?:求人|物件|スレッド|質問)",
)
_FURTHER: Final = (
    r"related (?:links|information|resources|guides|guidance|services|documents|publications|events|projects|courses)"
    r"|see also|siehe auch|verwandte (?:links|seiten|leistungen)"
    r"|weitere (?:links|seiten|themen|informationen|veranstaltungen|leistungen)",
    r"voir aussi|liens (?:connexes|associés)|pages (?:connexes|associées)|véase también|ver también|ver também"
    r"|enlaces relacionados|vedi anche|link correlati|zie ook|gerelateerde (?:links|pagina['’]s)",
    r"se (?:även|också|også)|katso myös|viz (?:také|též)|lásd még|ayrıca bakınız|(?:см\.|смотрите) также|див\. також"
    r"|참고 ?링크|같이 보기|관련 ?(?:링크|페이지)|関連(?:リンク|ページ|項目)|参见|另见|參見",
)
_CARDS: Final = (
    r"related(?: (?:content|pages|topics))?|more from (?:the|our|this) blog|verwandte inhalte"
    r"|contenus? (?:associé|lié)s?|contenidos? relacionados?|contenuti correlati|相关内容|相關內容|関連コンテンツ",
    r"(?:related|recommended|similar|suggested) (?:items?|products?)|frequently bought together"
    r"|complete (?:the|your) (?:look|outfit|set)|pairs (?:well|perfectly|great) with"
    r"|(?:ähnliche|verwandte|passende|empfohlene) (?:artikel|produkte)|kunden kauften auch|das passt dazu"
    r"|produits (?:similaires|associés|connexes|recommandés)|productos (?:relacionados|similares|recomendados)"
    r"|produtos (?:relacionados|similares|semelhantes|recomendados)|prodotti (?:correlati|simili|consigliati)"
    r"|(?:gerelateerde|vergelijkbare|aanbevolen) producten|relaterade produkter|(?:podobne|powiązane|polecane) produkty"
    r"|(?:похожие|сопутствующие|рекомендуемые) товары|(?:benzer|ilgili|önerilen) ürünler"
    r"|sản phẩm (?:liên quan|tương tự)"
    r"|(?:相关|相關|推荐|推薦)(?:产品|產品|商品)|(?:関連|おすすめ)(?:商品|製品)|(?:관련|추천) ?(?:상품|제품)",
)
_OTHERS: Final = (
    r"(?:the )?(?:latest|recent|newest|popular|trending|featured|top) (?:posts|articles|stories|news|videos)"
    r"|trending(?: now)?"
    r"|most (?:read|popular|viewed|shared)(?: (?:posts|articles|stories|news))?|editor['’]?s['’]? picks?"
    r"|from (?:the|our) blog|(?:in )?other news",
    r"(?:neueste|aktuelle|meistgelesene|beliebte) (?:artikel|beiträge|nachrichten|meldungen)|meistgelesen",
    r"derniers (?:articles|posts)|(?:articles|posts) récents|les plus (?:lus|populaires)"
    r"|dernières (?:actualités|nouvelles|infos)",
    r"lo más (?:leído|visto|popular)|(?:entradas|artículos) recientes|últimas (?:noticias|entradas)",
    r"mais lidas|últimas notícias|(?:posts|artigos) recentes|(?:i )?più letti|ultime (?:notizie|news)"
    r"|(?:articoli|post) recenti",
    r"najczęściej czytane|meest gelezen|(?:laatste|recente) (?:nieuws|(?:blog)?(?:berichten|posts)|artikelen)",
    r"(?:najnowsze|ostatnie) (?:wpisy|artykuły|posty)|nejnovější (?:články|příspěvky)|nejčtenější"
    r"|(?:legutóbbi|legfrissebb) (?:bejegyzések|cikkek)|legolvasottabb(?:ak)?|articole recente|cele mai citite",
    r"(?:senaste|seneste|siste) (?:nyheter|nyheder|inlägg|indlæg|innlegg)|mest (?:läst|læst|lest)a?|luetuimmat"
    r"|son (?:yazılar|haberler|gönderiler)|(?:popüler|öne çıkan) yazılar|en çok okunanlar",
    r"πρόσφατ(?:α|ες) (?:άρθρα|νέα|αναρτήσεις)|δημοφιλή άρθρα|останні (?:новини|записи|статті)|популярні статті",
    r"(?:أحدث|آخر) (?:المقالات|الأخبار|المواضيع|التدوينات)|الأكثر (?:قراءة|مشاهدة|شعبية)|פוסטים אחרונים|הנקראים ביותר"
    r"|bài viết (?:mới|gần đây)(?: nhất)?|tin mới(?: nhất)?|(?:artikel|berita) (?:terbaru|terpopuler)|terpopuler"
    r"|(?:บทความ|ข่าว)ล่าสุด",
    r"(?:последние|свежие|недавние|популярные) (?:новости|записи|статьи|материалы|посты)|популярное"
    r"|самое (?:читаемое|популярное)",
    r"(?:最新|热门|热点|精选)(?:文章|新闻|资讯|推荐|阅读|排行)|(?:点击|阅读)排行榜?|(?:最新|熱門)(?:文章|新聞|消息)",
    r"(?:カテゴリ別|会員限定)?(?:新着|最新|人気|注目|おすすめ|会員限定)の?(?:記事|ニュース|エントリー?)(?:ランキング)?"
    r"|(?:アクセス|記事|人気)ランキング",
    r"(?:최신|최근|인기|추천|주요|많이 본) ?(?:글|게시물|기사|뉴스|포스트)",
)
_HEADING: Final = re.compile(
    rf"\W{{0,9}}(?:(?P<related>{'|'.join(_RELATED)})|(?P<offered>{'|'.join(_OFFERED)})"
    rf"|(?P<cards>{'|'.join(_CARDS)})|(?P<further>{'|'.join(_FURTHER)})|(?P<others>{'|'.join(_OTHERS)}))\W{{0,9}}",
    re.IGNORECASE,
)


@lru_cache(LIMIT)
def announced(heading: str) -> Announced | None:
    """Return the kind of list that a heading announces; None if it announces no other pages.

    The result is cached, since the pages of a site share such headings.
    """
    match = _HEADING.fullmatch(heading) if len(heading) <= LONGEST else None
    return Announced(match.lastgroup) if match is not None else None
