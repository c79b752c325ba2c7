"""Recognises headings that announce the comments of readers, in some 30 languages, by their whole text.

The languages and words are an own choice. [OWN]
"""

import re
from enum import Enum
from functools import lru_cache
from typing import Final

from sitecrawl.dom.bounded_cache import LIMIT

LONGEST: Final = 100
"""Maximum characters of such a heading: it may repeat the title of the page. Own choice."""


class Comments(Enum):
    """The certainty with which a heading announces readers' comments."""

    NAMED = "named"
    """Only a word such as "Comments": a manual may have a section about comments in code."""
    SURE = "sure"
    """A number of comments, or an invitation to write one."""


_NAMED: Final = (
    # English, German, French, Spanish, Portuguese, Italian, Romanian
    r"(?:(?:all|readers?['’]?|user|latest|top|featured|promoted) )?comments?",
    r"(?:leser)?kommentare?|commentaires?|vos (?:commentaires|réactions)|comentarios?|comentários?|commenti",
    r"comentarii",
    # Dutch, Swedish, Danish, Norwegian, Finnish, Polish, Czech, Hungarian, Turkish, Greek
    r"reacties|kommentarer|kommentit|komentarze|komentáře|hozzászólások|yorumlar|σχόλια",
    # Russian, Ukrainian, Vietnamese, Indonesian, Thai, Hindi, Arabic, Hebrew, Persian
    r"комментарии|коментарі|bình luận|komentar|ความคิดเห็น|टिप्पणियाँ|(?:ال)?تعليقات|תגובות|دیدگاه(?:\u200c?ها)?|نظرات",
    # Chinese, Japanese, Korean
    r"(?:网友|全部|最新|热门|精彩)?(?:评论|評論|留言|回應|回应)(?:列表|区)?|コメント(?:一覧|欄)?|댓글",
)
_COUNTED: Final = (
    r"comments?|responses?|repl(?:y|ies)|reactions?|thoughts?",
    r"kommentare?|antworten|gedanken|commentaires?|réponses?|réactions?|pensées?|comentarios?|respuestas?|pensamientos?",
    r"comentários?|respostas?|comment[io]|rispost[ae]|pensier[io]|comentari[iu]|reacties?|gedachten",
    r"kommentar(?:er)?|svar|tankar|kommenttia?|komentarz[ey]?|komentář[eů]?|hozzászólás|yorum|σχόλι[αο]",
    r"комментари(?:й|я|ев)|ответ(?:а|ов)?|коментар(?:і|ів)?|bình luận|komentar|تعليقات?|תגובות|דעות|دیدگاه|نظر",
)
"""Words after a number, in the order of the languages above."""
_NUMBER: Final = (
    r"\d{1,4}(?:[.,]\d{3})?|no|one|a single|keine?|ein|aucun|une?|una|uma?|geen|een|nessun|brak|jeden|нет|אין"
)
_ABOUT: Final = (
    r"(?:to|on|for|in|about|so|from|zu[mr]?|auf|über|à|aux?|sur|a|al|en|sobre|em|su|per|op|over|på|om|til|do|na|о|к|на)"
    r" .*"
)
"""Words after a number of comments that refer to the page: `on “The mole”`."""
_WRITTEN: Final = (
    r"(?:leave|post|add|write|submit|make) (?:a|your|new)(?: new| public)? (?:comment|reply|response)",
    r"join the (?:discussion|conversation)|discussion about this post|your comment|comment viewing options",
    r"(?:schreiben?|hinterlassen?|verfassen?|gib|geben)(?: sie)? (?:einen?|deinen|ihren) (?:kommentar|antwort)",
    r"kommentar (?:schreiben|verfassen|hinterlassen|abgeben|hinzufügen)|antwort (?:schreiben|hinterlassen)",
    r"(?:laissez?r?|publier|poster|ajoute[rz]|écrire|écrivez) un (?:commentaire|réponse)|laisser une réponse",
    r"(?:deja|dejar|escribir?|publicar?|añadir?|agregar?) (?:un |tu )?(?:nuevo )?comentario|deja(?:r)? una respuesta",
    r"(?:deixe|deixar|enviar|envie|publicar|adicionar|escreva) (?:um |o seu |seu )?comentário|deixe uma resposta",
    r"(?:lascia|scrivi|aggiungi|invia)(?: un| il tuo)? (?:commento|risposta)|lasă un (?:comentariu|răspuns)",
    r"(?:laat|geef|plaats|schrijf) een (?:reactie|antwoord)|(?:lämna|skriv) (?:en|ett) (?:kommentar|svar)",
    r"(?:legg igjen|læg|skriv|efterlad) (?:en|et) (?:kommentar|svar)|(?:jätä|lähetä|kirjoita) kommentti",
    r"(?:dodaj|zostaw|napisz) (?:komentarz|odpowiedź)|(?:přidat|přidejte|napsat|pridať) komentář|szólj hozzá",
    r"yorum (?:ekle|yap|yaz|gönder)|bir (?:cevap|yorum|yanıt) (?:yazın|yaz|bırak)|(?:αφήστε|γράψτε) (?:ένα )?σχόλιο",
    r"(?:добавить|оставить|написать|оставьте) комментарий|ваш комментарий|(?:додати|залишити|написати) коментар",
    r"(?:viết|gửi|để lại)(?: một)? bình luận|tinggalkan (?:komentar|balasan)|แสดงความคิดเห็น",
    r"(?:اترك|أضف) (?:تعليق|رد)[اًا]*|(?:השארת|כתיבת|הוספת|הוסף|כתוב) תגובה|دیدگاهتان را بنویسید",
    r"(?:发表|發表|发布|添加|写)(?:新)?(?:评论|評論|回复|回覆|留言)|留下.{0,6}(?:评论|評論|回复|回覆)",
    r"コメントを(?:残す|書く|投稿(?:する)?|追加(?:する)?)|コメントする|댓글 ?(?:쓰기|남기기|달기)|답글 남기기",
)
_ASIAN: Final = (
    r"\d+ ?(?:条|則|则|篇|个|個)?(?:评论|評論|留言|回應|回应)|\d+ ?件?の?コメント|\d+ ?개의 댓글|댓글 ?\d+개?"
)
_AROUND: Final = " \t\n:：»«›.…!\u200f\u200e"
_SURE: Final = re.compile(
    rf"(?:{'|'.join(_NAMED)}) ?(?:[（(\[] ?\d+ ?[)\]）]|: ?\d+|\d+)"
    rf"|(?:{_NUMBER}) (?:{'|'.join(_COUNTED)})(?: {_ABOUT})?|(?:{'|'.join(_WRITTEN)})(?:\W.*)?|{_ASIAN}"
)
_BARE: Final = re.compile("|".join(_NAMED))


@lru_cache(LIMIT)
def announces_comments(text: str) -> Comments | None:
    """Return how certainly a heading announces readers' comments; None if it does not."""
    if len(text) > LONGEST:
        return None
    words = " ".join(text.casefold().split()).strip(_AROUND)
    if _BARE.fullmatch(words):
        return Comments.NAMED
    return Comments.SURE if _SURE.fullmatch(words) else None
