"""Tests of tag classes and the label rule."""

from zlib import crc32

import pytest

from sitecrawl.dom.labels import (
    BLOCK,
    ELEMENT_LABELS,
    MASK,
    SKIPPED,
    TEXT_LABELS,
    ElementLabels,
    TextLabels,
    chain,
    element_label,
    label_name,
    text_label,
)


@pytest.mark.parametrize(
    ("tag", "classes", "name"),
    [
        ("div", "", "div"),
        ("div", "menu", "div.menu"),
        ("div", " b  a b ", "div.a.b"),
        ("li", "item-17 active", "li.item-0"),
        ("li", "item-3 odd", "li.item-0"),
        ("p", "v1 v22", "p.v0"),
        ("tr", "row-odd", "tr.row"),
        ("tr", "row-even", "tr.row"),
        ("div", "odd-row-color", "div.row-color"),
        ("div", "col-first even-row-color method-table", "div.col-first.method-table.row-color"),
        ("p", "row_even_1 option-odd", "p.option.row_0"),
        ("tr", "oddRow", "tr.Row"),
        ("tr", "rowEven alternate", "tr.row"),
        ("tr", "altColor", "tr.Color"),
        ("tr", "rowColor", "tr.Color"),
        ("li", "comment even thread-even", "li.comment.thread"),
        ("li", "comment odd alt thread-odd thread-alt", "li.comment.thread"),
        (
            "div",
            "event default oddly seven-evenings salt saltColor",
            "div.default.event.oddly.salt.saltColor.seven-evenings",
        ),
        ("tr", "memitem:ga0a0c1f", "tr.memitem:0"),
        ("div", "css-ao5ooi css-1baulvz e1sn7z0", "div.0.css-0"),
        ("div", "codeBlock_bY1V view-dom-id-98a7bc0", "div.codeBlock_0.view-dom-id-0"),
        ("p", "a11y-tgl html5video fa-2x text-2xl h2title", "p.a0y-tgl.fa-0x.h0title.html0video.text-0xl"),
        ("article", "post-12 tag-sea hentry category-news", "article.hentry.post-0"),
        ("article", "post tag-sea", "article.post"),
        ("section", "area category-sea category-wind", "section.area"),
        ("div", "product product_cat-boats", "div.product.product_cat-boats"),
        ("div", "node author-ada odd", "div.node"),
        ("div", "tag-list box", "div.box.tag-list"),
        ("li", "cat-item cat-item-12", "li.cat-item.cat-item-0"),
        ("div", "node sea_author-ada", "div.node.sea_author-ada"),
        ("div", "col-6 author-box", "div.author-box.col-0"),
        ("div", "post tag- category", "div.category.post.tag-"),
        ("html", "no-js", "html"),
        ("body", "post-id-9 single", "body"),
    ],
)
def test_a_label_is_the_tag_with_its_lasting_class_names(tag, classes, name):
    assert label_name(tag, classes) == name
    assert element_label(tag, classes) == crc32(name.encode())
    assert ELEMENT_LABELS[tag, classes] == element_label(tag, classes)


def test_text_and_element_labels_differ_for_the_same_string():
    assert text_label("div") != element_label("div", "")


def test_text_labels_count_characters_and_words():
    assert TEXT_LABELS["  two\n words\xa0"] == (8, 2, text_label("two words"))
    assert TEXT_LABELS[" \n\t\xa0"] is None


def test_lone_surrogates_have_labels():
    assert TEXT_LABELS["\ud800x"] == (2, 1, text_label("\ud800x"))
    assert isinstance(element_label("div", "\udfff"), int)


def test_long_texts_are_not_kept_and_memory_is_bounded():
    texts = TextLabels()
    long = "x" * texts.KEPT_LENGTH
    assert texts[long] == (64, 1, text_label(long))
    assert long not in texts
    for number in range(texts.LIMIT + 1):
        texts[str(number)]
    assert len(texts) == 1
    labels = ElementLabels()
    for number in range(labels.LIMIT + 1):
        labels["div", str(number)]
    assert len(labels) == 1


def test_chain_depends_on_order_and_fits_63_bits():
    keys = [chain(chain(0, a), b) for a, b in ((1, 2), (2, 1), (1, 1), (2, 2))]
    assert len(set(keys)) == 4
    assert all(0 <= key <= MASK < 2**63 for key in keys)


def test_stored_keys_stay_valid():
    assert chain(0, 1) == 0x1E3779BD8EF1B1DE
    assert element_label("div", "menu") == 0xD066E228
    assert text_label("Home") == 0x6958C48B


def test_skipped_and_block_elements_are_apart():
    assert not SKIPPED & BLOCK
    assert {"script", "style", "head", "template"} <= SKIPPED
    assert {"p", "td", "li", "h1", "article"} <= BLOCK
    assert not {"a", "b", "span", "br", "img", "ruby", "wbr"} & BLOCK
