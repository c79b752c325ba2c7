"""Lines of copyright before and after the text are dropped."""

import pytest

from sitecrawl.extractors.combined.copyright_lines import without_copyright_lines

from .sites import Sample

TEXT = (
    "<p>The mole of the harbour was built by hand, of stones that ships had brought from far away, over the northern sea,"
    " in winter and in summer.</p>"
)
BODY = TEXT * 8
LINE = "© Copyright 2009-2017 Ann Finch<br>All Rights Reserved"


def dropped(html):
    """Return the texts that are dropped from a page of which all texts were kept."""
    return Sample([html]).dropped(without_copyright_lines)


@pytest.mark.parametrize(
    "text",
    [
        "© Copyright 2009-2017 Ann Finch. All Rights Reserved",
        "© The Harbour",
        "Copyright © Harbour Group 2002 - 2023",
        "Copyright: (C) 1995, 1996 Ann Finch",
        "Copyright 2014 by Ann Finch",
        "(c) 2014 Ann Finch",
        "All rights reserved.",
        "ht://Mole Copyright © 1995-2004 The Harbour Group",
        "Written by Ann Finch and Colin Wren. © Copyright 1986-2014 by Ann Finch.",
        "原创文章如转载，请注明：转载自港口[http://harbour.example]",
        "转载请注明出处：港口",
        "未经授权，严禁转载",
        "本站文章未經授權禁止轉載",
        "※無断転載を禁じます",
    ],
)
def test_a_line_is_dropped_at_the_end_and_below_the_headline(text):
    assert dropped(f"{BODY}<p>{text}</p>") == [text]
    assert dropped(f"<h1>Moles</h1><p>by Ann</p><p>{text}</p>{BODY}") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Copyright of moles",
        "Copyright law of 1998",
        "(c) the third mole",
        "The mole is protected by the copyright act.",
        "All rights of the harbour",
        "该报道被多家网站转载",
        f"Copyright 2014: {'the mole of the harbour, ' * 12}",
    ],
)
def test_other_lines_stay(text):
    assert dropped(f"{BODY}<p>{text}</p>") == []


def test_lines_in_the_middle_of_the_text_stay():
    assert dropped(f"{BODY}<p>{LINE}</p>{BODY}") == []
    assert dropped(f"<p>{LINE}</p>{'<p>Stones</p>' * 9}{BODY}") == []


@pytest.mark.parametrize("name", ["Copyright", "COPYRIGHT", "License and copyright", "Lizenz"])
def test_a_section_about_the_copyright_stays(name):
    assert dropped(f"{BODY}<h2>{name}</h2><p>© 2014 Ann</p><p>© 2015 Colin</p>") == []
    assert dropped(f"{BODY}<dl><dt>{name}</dt><dd>© 2014 Ann</dd></dl>") == []
    assert len(dropped(f"{BODY}<h2>Moles</h2><p>© 2014 Ann</p><p>© 2015 Colin</p>")) == 2
    assert len(dropped(f"{BODY}<p>{name}</p><p>© 2014 Ann</p>")) == 1


def test_the_title_page_of_a_book_stays():
    licence = "<p>Distributed under the Harbour License, Version 1.0.</p>"
    assert dropped(f"<h1>Moles</h1><p>© 2014 Ann</p><p>© 2015 Colin</p>{licence}{BODY}") == []
    assert len(dropped(f"<h1>Moles</h1><p>© 2014 Ann</p><p>Version 1.0</p>{BODY}{licence}")) == 1


@pytest.mark.parametrize("tag", ["h2", "pre", "figcaption"])
def test_headings_code_and_captions_are_no_such_lines(tag):
    assert dropped(f"{BODY}<{tag}>© 2014 Ann</{tag}>") == []


def test_a_page_about_a_licence_stays():
    assert dropped(f"<p>{LINE}</p>{TEXT}<p>{LINE}</p>") == []


def test_a_page_without_a_paragraph_keeps_lines_at_its_beginning():
    stones = "<p>Stones of the mole</p>" * 40
    assert dropped(f"<p>© 2014 Ann</p>{stones}") == []
    assert len(dropped(f"<p>© 2014 Ann</p>{TEXT}{stones}")) == 1
