"""Headings that announce comments are known by their whole text, in many languages."""

import pytest

from sitecrawl.extractors.combined.comment_headings import LONGEST, Comments, announces_comments

SURE = [
    *(
        "3 comments",
        "1 Comment:",
        "No comments",
        "12 Responses to The mole",
        "One thought on “The mole”",
        "1,204 Replies",
    ),
    *(
        "Comments (7)",
        "Comments: 7",
        "Leave a Reply",
        "Leave a Reply Cancel reply",
        "Post a comment",
        "Join the discussion!",
    ),
    *(
        "2 Kommentare",
        "Kommentare (2)",
        "Schreibe einen Kommentar",
        "Kommentar hinterlassen",
        "4 Gedanken zu „Die Mole“",
    ),
    *("3 commentaires", "Aucun commentaire:", "Laisser un commentaire", "Laissez un commentaire Annuler la réponse"),
    *("5 comentarios", "Deja un comentario", "Deja una respuesta", "2 comentários", "Deixe uma resposta"),
    *("Enviar Comentário Cancelar resposta", "4 commenti", "Lascia un commento", "2 reacties", "Geef een reactie"),
    *("1 kommentar", "Lämna ett svar", "Skriv en kommentar", "Jätä kommentti", "2 komentarze", "Dodaj komentarz"),
    *("Přidat komentář", "2 hozzászólás", "5 yorum", "Yorum ekle", "3 σχόλια", "Добавить комментарий", "3 комментария"),
    *("Залишити коментар", "5 bình luận", "Tinggalkan Balasan", "اترك تعليقاً", "15 תגובות »", "השארת תגובה"),
    *("评论(3)", "3 条评论", "发表评论", "コメントを残す", "コメント (2)", "댓글 3", "답글 남기기"),
]
NAMED = [
    *(
        "Comments",
        "Comment",
        "Reader comments",
        "All comments",
        "Kommentare",
        "Commentaires",
        "Comentarios",
        "Comentários",
        "Commenti",
    ),
    *(
        "Reacties",
        "Kommentarer",
        "Komentarze",
        "Yorumlar",
        "Комментарии",
        "תגובות",
        "评论",
        "网友评论",
        "コメント",
        "댓글",
    ),
]
OTHER = [
    *(
        "2.7 Comments",
        "Comments in code",
        "Discussion",
        "Answers",
        "How to leave a comment",
        "Recent comments",
    ),
    *(
        "Responses",
        "About responses",
        "comment:3 changed 2 years ago",
        "Comment démarrer",
        "Response codes",
        "Commentary",
    ),
    *("3 ways to comment", "No response codes", "Add a comments field", "", "コメントの書き方", "评论员文章"),
]


@pytest.mark.parametrize("text", SURE)
def test_a_number_or_a_form_is_sure(text):
    assert announces_comments(text) is Comments.SURE


@pytest.mark.parametrize("text", NAMED)
def test_one_word_names_them(text):
    assert announces_comments(text) is Comments.NAMED
    assert announces_comments(f" {text.upper()}: ") is Comments.NAMED


@pytest.mark.parametrize("text", OTHER)
def test_other_headings_say_nothing(text):
    assert announces_comments(text) is None


def test_a_long_heading_says_nothing():
    text = "3 responses to " + "a" * (LONGEST - len("3 responses to "))
    assert announces_comments(text) is Comments.SURE
    assert announces_comments(f"{text}a") is None
