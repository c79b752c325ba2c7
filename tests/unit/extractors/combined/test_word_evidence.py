import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.extractors.combined import _block_classifier
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.word_evidence import (
    ANY_NAME,
    FIRST,
    FIRST_PAIR,
    KINDS,
    LAST,
    NEAR_NAME,
    NO_TAG,
    OWN_NAME,
    PAGE_NAME,
    PAIR,
    SCALE,
    SIZE,
    SLOTS,
    TEXT,
    WORD,
    WordWeights,
    both,
    load_words,
    name_slots,
    name_words,
    names_around,
    slot,
    text_slots,
    text_words,
    unpacked,
    word_hash,
)

from ...dom.trees import page

CHANCE = random.Random(5)
WEIGHTS = unpacked(CHANCE.randbytes(2 * SLOTS))
NONE = WordWeights(array("b", bytes(SLOTS)), array("b", bytes(SLOTS)))


def names_of(html):
    one = page(html)
    blocks = text_blocks(one.flat)
    return names_around(one.flat, blocks.container[0])


def assert_twin_is_equal(html):
    flat = page(html).flat
    blocks = text_blocks(flat)
    evidence = BlockEvidence(flat, blocks, None, False, WEIGHTS)
    evidence.words()
    look = _block_classifier.Look(flat, blocks, None, False, WEIGHTS)
    look.build()
    assert evidence.columns == look.lists()[-2:]


def test_a_hash_is_that_of_fnv_1a():
    assert word_hash("a") == 0xE40C292C
    assert word_hash("foobar") == 0xBF9CF968


def test_case_and_numbers_do_not_count():
    assert text_slots("Posted on 3 May 2024", 16) == text_slots("POSTED ON 21 MAY 1", 16)
    assert text_slots("Posted on 3 May", 12) != text_slots("Posted on May 3", 12)


def test_the_places_of_a_short_text_are_those_of_its_words_pairs_ends_and_whole():
    read, more = word_hash("read"), word_hash("more")
    assert text_slots("Read more …", 9) == [
        slot(SIZE, 0),
        slot(WORD, read),
        slot(FIRST, both(0, read)),
        slot(WORD, more),
        slot(PAIR, both(read, more)),
        slot(FIRST_PAIR, both(both(0, read), more)),
        slot(LAST, more),
        slot(TEXT, both(both(0, read), more)),
    ]


def test_a_word_says_another_thing_in_a_longer_block():
    short, middle, long = (set(text_slots("Share", chars)) for chars in (30, 31, 101))
    assert not short & middle
    assert not middle & long
    assert slot(2 * KINDS + WORD, word_hash("share")) in long


def test_ten_words_are_read_and_the_last_one_only_if_nothing_follows():
    ten = "one two three four five six seven eight nine ten"
    assert slot(2 * KINDS + LAST, word_hash("ten")) in text_slots(ten, 200)
    assert text_slots(ten + " more", 200) == text_slots(ten + " and others", 200)
    assert text_slots(ten + " more", 200) == text_slots(ten, 200)[:-1]


def test_a_letter_of_a_script_without_spaces_and_a_sign_are_words():
    assert text_slots("著作", 2)[1:3] == [slot(WORD, word_hash("著")), slot(FIRST, both(0, word_hash("著")))]
    assert slot(WORD, word_hash("©")) in text_slots("©2024 Acme", 9)
    assert len(text_slots("…", 1)) == 1


def test_the_parts_of_names_count_and_the_name_as_a_whole():
    main, nav = word_hash("main"), word_hash("nav")
    words = [main, nav, both(both(0, main), nav)]
    found = name_slots("ul", "mainNav")
    assert found.always == tuple(slot(ANY_NAME, word) for word in words)
    assert found.near == tuple(slot(NEAR_NAME, word) for word in words)
    assert found.own == tuple(slot(OWN_NAME, both(word_hash("ul"), word)) for word in words)
    assert name_slots("ul", "main_nav main-nav-3") == found
    assert name_slots("x-menu", "nav").own == (slot(OWN_NAME, both(NO_TAG, nav)),)
    assert name_slots("p", "") == ((), (), ())


def test_names_that_differ_in_numbers_alone_have_one_entry():
    found = name_slots("li", "comment comment-98508")
    assert name_slots("li", "comment comment-7") is found
    assert name_slots("li", "comment comment7") != found


def test_names_of_the_body_are_about_the_whole_page():
    assert name_slots("body", "home") == ((slot(PAGE_NAME, word_hash("home")),), (), ())


def test_a_name_counts_once_however_many_elements_have_it():
    post = name_slots("div", "post")
    assert sorted(names_of("<div class=post><p>text</p></div>")) == sorted((*post.always, *post.near, *post.own))
    assert names_of("<div class=post><div class=post><div class=post><p>text</p></div></div></div>") == [
        *post.always,
        *post.near,
        *post.own,
    ]


def test_names_count_as_near_and_own_only_close_to_the_block():
    post = name_slots("div", "post")
    assert names_of("<div class=post><div><p>text</p></div></div>") == [*post.always, *post.near]
    assert names_of("<div class=post><div><div><p>text</p></div></div></div>") == [*post.always]


def test_a_column_is_the_sum_of_weights():
    flat = page("<div class=menu><p>Read more</p></div><p>©</p>").flat
    blocks = text_blocks(flat)
    texts, names = array("b", bytes(SLOTS)), array("b", bytes(SLOTS))
    texts[slot(WORD, word_hash("read"))] = -32
    texts[slot(LAST, word_hash("more"))] = 48
    names[slot(ANY_NAME, word_hash("menu"))] = -64
    weights = WordWeights(texts, names)
    assert text_words(["Read more", "©"], blocks, weights) == [0.25, 0.0]
    assert name_words(flat, blocks, weights) == [-1.0, 0.0]
    assert name_words(flat, blocks, NONE) == [0.0, 0.0]


def test_the_weights_that_ship_know_common_words():
    weights = load_words()
    assert [len(table) for table in weights] == [SLOTS, SLOTS]

    def said(text):
        return sum(weights.texts[one] for one in text_slots(text, len(text))) / SCALE

    assert said("Share on Facebook") < said("The harbour was built of stone")
    assert sum(weights.names[one] for one in name_slots("div", "entry-content").near) > 0
    assert sum(weights.names[one] for one in name_slots("div", "sidebar").near) < 0


@pytest.mark.parametrize(
    "html",
    [
        "<p><b>H</b>ello, 12<i>34</i> 5a6</p>",
        "<p>ÉLAN İstanbul Straße ΟΔΟΣ ǅ ²³ ٣٤٥ Ⅷ</p>",
        "<p>第一段。第二段？ คำไทย カタ</p><p>😀 𝔘nicode 𝟘𝟙 𐐀𐐁</p>",
        "<p>a b c d</p><p>a b c d e</p><p>1 2 3 4 5 6 7 8 9 10</p><p>1 2 3 4 5 6 7 8 9 10 <b>11</b></p><p>…</p>",
        "<p>a_b under_score</p><p>© 2024 • Share @me #tag</p>",
        "<div class='post entry-post'><div class=post id=post-7><p class='post x'>one</p><p>two</p></div>three</div>",
        "<x-a class=nav><x-b class='nav nav'><p id=navItem>one</p></x-b></x-a><div id=q><div><div><p>two</div>",
    ],
)
def test_the_twin_finds_the_same(html):
    assert_twin_is_equal(html)


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=30), min_size=1, max_size=3))
def test_the_twin_finds_the_same_in_any_text(texts):
    escaped = [text.replace("&", "").replace("<", "") for text in texts]
    assert_twin_is_equal(f"<p>text<b>{'</b><i>'.join(escaped)}</i></p>")


@given(st.lists(st.sampled_from(["", "nav", "nav-2", "mainNav", "main", "a_b-c/d:e", "nav main"]), max_size=6))
def test_the_twin_finds_the_same_below_any_names(names):
    opened = "".join(f'<div class="{name}">' for name in names)
    assert_twin_is_equal(f"{opened}<p>text</p>more")


def test_tables_of_another_length_are_refused():
    one = page("<p>text</p>")
    short = array("b", bytes(9))
    for weights in (WordWeights(short, NONE.names), WordWeights(NONE.texts, short)):
        with pytest.raises(ValueError, match="another length"):
            _block_classifier.Look(one.flat, text_blocks(one.flat), None, False, weights)
