"""Lines about a post and boxes of sponsors are dropped."""

import pytest

from sitecrawl.extractors.combined.notices import without_notices

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_notices)


@pytest.mark.parametrize(
    "text",
    [
        "This entry was posted on Sunday, July 2, 2006 by Ann.",
        "Posted by Ann at 10:15",
        "Filed under: moles",
        "Zuletzt geändert am 3.4.2020",
        "Publié le 2 mai 2011 par Ann",
        "Publicado el 2 de mayo de 2011",
        "Опубликовано 12.03.2015",
        "Última actualización: 3 de mayo de 2020",
        "Dernière mise à jour le 2 mai 2011",
        "Ultimo aggiornamento: 2 maggio 2011",
        "Laatst bijgewerkt op 2 mei 2011",
        "최종 수정 March 24, 2021",
        "Page last reviewed: 6 May 2018",
        "Next review due: 6 May 2021",
        "Vérifié le 7 novembre 2020 - Direction des ports",
        "Page mise à jour le 3/4/2020",
        "Publicado em 3 de maio de 2020",
        "Aggiornato il 2 maggio 2011",
        "Bijgewerkt op 2 mei 2011",
        "Stand: 18. Oktober 2018",
        "Stand: Juli 2026",
        "Stand 03.04.2020",
        "Posted 2016/06/14 Blog",
        "by Colin Finch | July 4, 2018",
        "By Jeff FinchMonday, November 18, 2019",
        "Written by Ann Finch on 12 May 2019 at 10:15 pm",
        "von Ann Finch, 8. August 2020 21:49 Uhr",
        "par Ann Finch le 2 mai 2011",
        "por Ann Finch • 3 de mayo de 2020",
        "Por Ann, publicado el 21 de diciembre, 2009 | 4 comentarios",
        "By Ann Finch, published on 4 July 2018",
        "Author: Ann Finch - 2020-05-03",
        "Defined in src/harbour/mole.ts:12",
        "最終更新日：2021年3月16日",
        "发布时间: 2021-03-16 10:15",
        "スポンサーリンク",
    ],
)
def test_a_line_about_the_post_is_dropped(text):
    assert dropped(f"<main>{TEXT}<p>{text}</p></main>") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Posted to the mole, the guards saw 3 ships.",
        "Defined in src/harbour/mole.ts:12 and used below.",
        "Defined in chapter 12",
        "Posted on social media by the people of the harbour, the pictures show stones.",
        "The last updated mole of 2011 is long.",
        "Stand: 3 Boote am Steg",
        "Next review the 3 moles of the harbour, from the north.",
        f"Posted on 2 May: {'the mole, ' * 40}",
        "Última actualización que vio el puerto en 2011.",
        "Opened in 1932, the bridge carries trains and trams.",
        "Published by Penguin in 1998, the novel was soon forgotten.",
        "By May 3, 2019 the mole was built.",
        "by Ann Finch",
        "公開された港の話",
        "更新 2 回目の話です。",
        "By Ann Finch and others in 1998",
        "Posted 3 guards at the mole",
        f"by Ann Finch {'and her sisters ' * 6}| July 4, 2018",
    ],
)
def test_sentences_stay(text):
    assert dropped(f"<main>{TEXT}<p>{text}</p></main>") == []


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("Ann Finch • July 4, 2018", False),
        ("Ann van Finch | 4 July 2018 | 5 min read", False),
        ("Ann Finch, July 4, 2018", True),
        ("Harbours | July 4, 2018", True),
        ("The mole of stone | July 4, 2018", True),
    ],
)
def test_at_the_beginning_a_name_and_a_date_between_marks_are_dropped(line, stays):
    assert dropped(f"<main><p>{line}</p>{TEXT}</main>") == ([] if stays else [line])
    assert dropped(f"<main><h2>{line}</h2>{TEXT}</main>") == []
    assert dropped(f"<main>{TEXT * 4}<p>{line}</p></main>") == []


@pytest.mark.parametrize(("count", "stays"), [(2, False), (3, True)])
def test_several_authors_with_dates_are_a_list_of_articles(count, stays):
    lines = [f"by Ann Finch | July {day}, 2018" for day in range(1, count + 1)]
    assert dropped(f"<main>{TEXT}{''.join(f'<p>{line}</p>' for line in lines)}</main>") == ([] if stays else lines)


def test_links_to_a_place_named_comment_stay():
    option = "<tr><td><a href=#comment>-comment string</a><td>annotate the image</tr>"
    assert dropped(f"<main>{TEXT}<table>{option}</table></main>") == []


def test_a_box_with_the_heading_of_a_sponsor_is_dropped():
    box = "<div><h3>Sponsored by Stones & Sons</h3><p>We break stones.</p></div>"
    assert dropped(f"<main>{TEXT}{box}</main>") == ["Sponsored by Stones & Sons", "We break stones."]
    assert dropped(f"<main>{TEXT}<div><p>Sponsored by Stones & Sons</p><p>We break stones.</p></div></main>") == [
        "Sponsored by Stones & Sons"
    ]
    assert dropped(f"<main><h3>Sponsored by Stones & Sons</h3>{TEXT}</main>") == ["Sponsored by Stones & Sons"]
    assert dropped(f"<main><div><h3>Anzeige</h3><p>Steine.</p></div>{TEXT}</main>") == ["Anzeige", "Steine."]
    assert dropped(f"<main>{TEXT}<div><h3>Advertisement in harbours</h3><p>Of old.</p></div></main>") == []
    assert dropped(f"<main><div><h3>Sponsored by Stones & Sons</h3>{TEXT}</div></main>") == []  # the page itself


@pytest.mark.parametrize(("sponsors", "gone"), [(4, 8), (9, 0)])
def test_boxes_of_sponsors_may_be_longer_than_an_announcement(sponsors, gone):
    box = "<div><h3>Sponsored by Stones & Sons</h3><p>We break stones of any size for harbours.</p></div>"
    assert len(dropped(f"<main>{TEXT}{box * sponsors}</main>")) == gone


def test_a_page_of_nothing_else_stays():
    assert dropped("<p>Posted on 2 May 2011</p>") == []


@pytest.mark.parametrize(
    "text",
    [
        "Found a mistake? Select the text and press Ctrl+Enter.",
        "Если вы заметили ошибку, выделите текст и нажмите Ctrl + Enter",
        "Знайшли помилку? Виділіть її та натисніть <b>Ctrl</b>+<b>Enter</b>!",
        "Если вы заметили ошибку, выделите текст и нажмите Ctrl+Enter, чтобы сообщить об этом",
    ],
)
def test_a_line_that_asks_for_mistakes_is_dropped_at_the_end(text):
    assert len(dropped(f"<main>{TEXT}<div>{text}</div></main>")) == 1
    assert dropped(f"<main>{TEXT}<div>{text}</div>{TEXT * 3}</main>") == []
    assert dropped(f"<main>{TEXT}<ul><li>{text}</li></ul></main>") == []
    assert dropped(f"<main>{TEXT}<div>{text}. It sends the message.</div></main>") == []
    assert dropped(f"<main>{TEXT}<div>{'The mole is long. ' * 20}{text}</div></main>") == []


def test_a_box_that_asks_for_mistakes_is_dropped_whole():
    line = "<p>Select the text and press Ctrl+Enter to send it to the editor!</p>"
    box = f"<div><b>A mistake?</b>{line}<p>Select the text, then touch Report.</p></div>"
    assert len(dropped(f"<main>{TEXT}{box}</main>")) == 3
    assert len(dropped(f"<main>{TEXT}{box.replace('mistake?', 'mistake')}</main>")) == 1
    assert len(dropped(f"<main>{TEXT}<div><p>Is it long?</p>{TEXT * 9}{line}</div></main>")) == 1


def test_a_shortcut_alone_is_content():
    assert dropped(f"<main>{TEXT}<p>Send: Ctrl+Enter</p></main>") == []


def test_a_line_above_buttons_to_share_is_dropped():
    assert dropped(f"<main>{TEXT}<div>このニュースをシェア</div></main>") == ["このニュースをシェア"]
    assert dropped(f"<main>{TEXT}<div>このニュースをシェア</div>{TEXT}</main>") == ["このニュースをシェア"]
    assert dropped(f"<main>{TEXT}<p>このニュースをシェアした人は多い。</p></main>") == []


@pytest.mark.parametrize(
    "text",
    [
        "This document was generated using <a href=/><em>makeinfo</em></a>.",
        "Generated on 3 May 2021 by <a href=/>Doxygen</a> 1.9.1",
        "generated by <a href=/>GAPDoc2HTML</a>",
        "This archive was generated by hypermail 2.1.5 : Wed 3 May 2021",
        "This document was created by <a href=/>man2html</a>, using the manual pages.<br>Time: 11:25:42 GMT, May 3, 2021",
        "Dieses Dokument wurde automatisch generiert mit LaTeX2HTML",
        "Cette page a été générée avec Hugo",
    ],
)
def test_the_program_that_wrote_the_page_is_dropped_at_its_end(text):
    assert len(dropped(f"<main>{TEXT}<p>{text}</p></main>")) == 1
    assert dropped(f"<main>{TEXT}<p>{text}</p>{TEXT * 3}</main>") == []
    assert dropped(f"<main>{TEXT}<ul><li>{text}</ul></main>") == []


@pytest.mark.parametrize(
    "text",
    [
        "<p>The noise was generated by ships</p>",
        "<p>This mole was created by hand, with stones</p>",
        "<p>The mole is long</p><h2>Generated by waves</h2>",
        f"<p>Generated by the storm, {'the waves are long, ' * 12}and high</p>",
    ],
)
def test_a_last_line_about_other_things_stays(text):
    assert dropped(f"<main>{TEXT}{text}</main>") == []
