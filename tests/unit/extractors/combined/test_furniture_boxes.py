"""Boxes with class names of furniture are dropped on any page."""

import pytest

from sitecrawl.extractors.combined.furniture_boxes import furniture_rows, without_furniture

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
SAID = "What a fine mole you have there, I would say."
FORM = "<form><input name=mail><textarea></textarea></form>"


def dropped(html, *, thread=False):
    """Return the texts that are dropped of a page that keeps all."""
    site = Sample([html])
    kept = [True] * len(site.texts)
    found = without_furniture(site.flat, site.blocks, kept, furniture_rows(site.flat), thread=thread)
    return site.chosen([not one for one in found])


@pytest.mark.parametrize(
    "names",
    [
        "comments",
        "comment-list odd",
        "kommentare",
        "sidebar",
        "right_sidebar",
        "SubNav",
        "sub_column",
        "SideCol",
        "modal",
        "newsletter-popup-box",
        "cookie-modal-dialog",
        "cookie-consent",
        "CookieBanner wide",
        "onetrust-consent-sdk",
        "gdpr-notice-wrapper",
        "cookie-bar-content",
        "tooltip t1",
        "ui-tooltip",
        "CToolTip",
        "tool-tip__content",
        "wt-popover small",
        "cms-popover-tooltip",
        "consent_manager",
        "article-licensing box",
        "post-copyright-info w-full",
        "license-box my-3",
        "article-meta level",
        "article-tags is-size-7",
        "author-box-wrap",
        "about_the_author",
        "postmetadata alt",
        "entry-meta",
        "blog-post-meta",
        "sl-blog-metadata",
        "c-article__meta",
        "byline",
        "update-history",
        "gem-c-published-dates__change-history",
    ],
)
def test_boxes_of_these_names_are_dropped(names):
    assert dropped(f"<main>{TEXT * 2}<div class='{names}'><div>{SAID}</div></div></main>") == [SAID]


@pytest.mark.parametrize(
    "names",
    [
        "comment",
        "main-with-sidebar",
        "author",
        "metadata",
        "note",
        "dialogue",
        "modal-verbs",
        "contact",
        "toc",
        "page-licence-plates",
        "licence-boxes",
        "article-metadata-schema",
        "cookies",
        "informed-consent",
        "cookie-recipes",
        "cookie-bar-visible",
        "has-tooltip",
        "show-tooltip",
        "tooltipped",
        "has-popover",
        "history",
        "version-history",
        "local-history",
    ],
)
def test_other_names_say_nothing(names):
    assert dropped(f"<main>{TEXT * 2}<div class='{names}'>{SAID}</div></main>") == []


@pytest.mark.parametrize(
    ("names", "gone"),
    [("signature", True), ("entry__signature", True), ("post-signature", True), ("with-signature", False)],
)
def test_signatures_in_threads_are_dropped(names, gone):
    page = f"<main>{TEXT * 2}<div class='{names}'>{SAID}</div></main>"
    assert dropped(page, thread=True) == ([SAID] if gone else [])
    assert dropped(page) == []


def test_a_page_that_consists_of_such_boxes_keeps_them():
    assert dropped(f"<main><p>Moles.</p><div class=comments><div>{SAID}</div></div></main>") == []


@pytest.mark.parametrize("name", ["cookie-consent", "tooltip"])
def test_what_is_shown_over_the_page_is_dropped_however_long_it_is(name):
    said = "".join(f"<p>{SAID}</p>" for _ in range(30))
    assert len(dropped(f"<main>{TEXT * 2}<div id={name}>{said}</div></main>")) == 30


def test_a_page_about_cookies_keeps_its_text():
    assert dropped(f"<main><h1>Cookies</h1><div class=cookie-notice>{TEXT * 3}</div></main>") == []
    assert dropped(f"<div class=cookie-notice><h1>Cookies</h1>{TEXT * 3}</div>{TEXT * 3}") == []


def test_a_box_over_the_page_is_dropped_inside_a_wrapper_of_the_page_with_such_a_name():
    box = f"<div class=cookie-notice>{SAID}</div>"
    assert dropped(f"<div class=cookie-notice><main><h1>Moles</h1>{TEXT * 2}</main>{box}</div>") == [SAID]


@pytest.mark.parametrize(("sentences", "expected"), [(3, 3), (30, 0)])
def test_the_licence_of_a_post_is_dropped_beside_a_line_and_the_text_of_a_licence_is_not(sentences, expected):
    said = "".join(f"<p>{SAID}</p>" for _ in range(sentences))
    assert len(dropped(f"<main><h1>Moles</h1><div class=article-copyright>{said}</div></main>")) == expected


def test_the_licence_of_a_post_stays_around_the_headline_and_where_it_is_the_page():
    assert dropped(f"<div class=page-license><h1>Moles</h1><p>{SAID}</p></div><p>Moles.</p>") == []
    assert dropped(f"<main><div class=article-license><p>{SAID}</p></div></main>") == []


LIST = f"<main><p>Enjoy these moles!</p><div class=comment-list>{''.join(f'<p>{SAID}</p>' for _ in range(30))}</div></main>"


@pytest.mark.parametrize(
    ("own", "comments", "expected"),
    [(0.8, 0.5, True), (0.8, 0.7, False), (0.6, 0.3, False), (None, None, False)],
)
def test_comments_below_a_short_text_are_dropped_if_that_is_surely_content(own, comments, expected):
    site = Sample([LIST])
    kept = [True] * len(site.texts)
    chances = [] if own is None else [own, *[comments] * (len(kept) - 1)]
    named = furniture_rows(site.flat)
    found = without_furniture(site.flat, site.blocks, kept, named, thread=False, chances=chances)
    assert found == ([True] + [False] * (len(kept) - 1) if expected else kept)
    assert without_furniture(site.flat, site.blocks, kept, named, thread=True, chances=chances) == kept


@pytest.mark.parametrize(("chance", "gone"), [(0.6, True), (0.8, False), (None, False)])
def test_a_side_column_that_is_longer_than_the_text_is_dropped_if_only_the_text_is_surely_content(chance, gone):
    notes = "".join(f"<p>{SAID}</p>" for _ in range(9))
    site = Sample([f"<div><main><p>Moles are old.</p></main><div class=sidebar>{notes}</div></div>"])
    kept = [True] * len(site.texts)
    chances = [] if chance is None else [0.9, *[chance] * 9]
    named = furniture_rows(site.flat)
    found = without_furniture(site.flat, site.blocks, kept, named, thread=False, chances=chances)
    assert found == ([True] + [False] * 9 if gone else kept)


def test_a_paragraph_or_a_word_in_a_line_is_no_box():
    assert dropped(f"<main>{TEXT * 2}<p class=comments>{SAID}</p></main>") == []
    assert dropped(f"<main>{TEXT * 2}<p class=byline>{SAID}</p></main>") == [
        SAID
    ]  # but it may be a line about the post
    assert dropped(f"<main>{TEXT * 2}<p><span class=byline>Ann.</span> {SAID}</p></main>") == []


def test_an_inset_between_two_texts_is_no_side_column():
    assert dropped(f"<main>{TEXT}<aside class=sidebar>{SAID}</aside>{TEXT}</main>") == []
    assert dropped(f"<div>{TEXT * 2}<div class=sidebar>{SAID}</div><div class=sidebar>{SAID}</div></div>") == [SAID] * 2


def test_in_a_thread_the_answers_are_content_and_what_is_beside_them_is_not():
    page = f"<main>{TEXT * 2}<div class=comments><p>{SAID}</p></div><p class=author>Ann</p></main>"
    assert dropped(page, thread=True) == ["Ann"]
    assert dropped(page) == [SAID]


def test_a_box_for_contact_is_dropped_if_it_has_a_form():
    assert dropped(f"<main>{TEXT * 2}<div class=contact>{SAID}{FORM}</div></main>") == [SAID]
    assert dropped(f"<main>{TEXT * 2}<div class=contact>{SAID}<form>Send</form></div></main>") == []


def test_nested_boxes_are_dropped_with_the_outermost():
    nested = "<div class=comments>" * 500 + SAID + "</div>" * 500
    assert dropped(f"<main>{TEXT * 2}{nested}</main>") == [SAID]


def section(*parts):
    return f"<section><h2>Moles of the north</h2>{''.join(parts)}</section>"


def test_an_inset_at_the_end_of_a_section_is_no_side_column():
    inset = f"<div class=sidebar><p>{SAID}</p></div>"
    assert dropped(f"<main>{section(TEXT, inset)}{section(TEXT)}</main>") == []
    assert dropped(f"<main>{section(inset, TEXT)}{section(TEXT)}</main>") == []
    assert dropped(f"<div><main>{section(TEXT)}{section(TEXT)}</main>{inset}</div>") == [SAID]
    assert dropped(f"<div><main>{section(TEXT)}</main><div>{inset}</div></div>") == [SAID]


def test_prose_right_beside_the_paragraphs_is_an_inset():
    prose = f"{SAID} {SAID} {SAID}"
    assert dropped(f"<main>{TEXT * 5}<div class=sidebar><p>{prose}</p></div></main>") == []
    assert dropped(f"<main>{TEXT * 5}<div class=sidebar><p><a href=/x>{prose}</a></p></div></main>") == [prose]
    assert dropped(f"<div><main>{TEXT * 5}</main><div class=sidebar><p>{prose}</p></div></div>") == [prose]


def test_a_section_about_comments_amid_the_text_is_no_discussion():
    about = f"<section class=comments><p>{SAID}</p></section>"
    assert dropped(f"<main>{section(TEXT)}{about}{section(TEXT)}</main>") == []
    assert dropped(f"<main>{section(TEXT, about)}{section(TEXT)}</main>") == []
    assert dropped(f"<main>{section(TEXT)}{section(TEXT)}{about}</main>") == [SAID]
    assert dropped(f"<main>{about}{section(TEXT)}{section(TEXT)}</main>") == [SAID]
    assert dropped(f"<main>{section(TEXT * 15)}{about}{section(TEXT)}</main>") == [SAID]  # too little below it
    assert dropped(f"<div><main>{section(TEXT * 20)}</main>{about}<div>{section(TEXT * 2)}</div></div>") == [SAID]


def test_a_section_about_comments_near_the_beginning_of_a_long_manual_is_no_discussion():
    about = f"<section class=comments><p>{SAID}</p></section>"
    below = section(TEXT * 75) * 2
    assert dropped(f"<main>{section(TEXT * 12)}{about}{below}</main>") == []
    assert dropped(f"<main>{section(TEXT)}{about}{below}</main>") == [SAID]


@pytest.mark.parametrize("heading", ["The Print Dialog", "Tooltips", "Cookie consent"])
def test_a_section_about_dialogs_or_tooltips_amid_the_text_is_none(heading):
    about = f"<section id={heading.lower().replace(' ', '-')}><h3>{heading}</h3><p>{SAID}</p></section>"
    assert dropped(f"<main>{section(TEXT)}{about}{section(TEXT * 3)}</main>") == []
    assert dropped(f"<main>{section(TEXT)}{about.replace('h3', 'p')}{section(TEXT * 3)}</main>") == [heading, SAID]
    assert dropped(f"<main>{section(TEXT)}{about.replace('<h3>', '<h3>Our ')}{section(TEXT * 3)}</main>")
    assert dropped(f"<main>{section(TEXT)}{section(TEXT * 3)}{about}</main>") == [heading, SAID]


def test_side_columns_of_links_are_dropped_however_long_they_are():
    labels = "".join(f"<li><a href=/label/{n}>Label {n}</a> (14)</li>" for n in range(99))
    words = "".join(f"<li>Label {n} (14)</li>" for n in range(99))
    assert len(dropped(f"<main>{TEXT * 4}</main><div class=sidebar><ul>{labels}</ul></div>")) == 99
    assert dropped(f"<main>{TEXT * 4}</main><div class=sidebar><ul>{words}</ul></div>") == []
    assert dropped(f"<main>{TEXT}</main><div class=sidebar><ul>{labels}</ul></div>") == []  # too little would be left
