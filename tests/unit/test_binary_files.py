import random

import pytest

from sitecrawl.binary_files import SIGNATURES, has_markup, is_binary, is_tagged

RANDOM = random.Random(1).randbytes(4_000)


@pytest.mark.parametrize("begin", SIGNATURES)
def test_a_file_is_known_by_its_first_bytes(begin):
    assert is_binary(begin + b"<html><body><p>text")


def test_bytes_without_a_signature_are_known_by_their_controls():
    assert is_binary(RANDOM)
    assert is_binary(b"a" * 900 + bytes(range(1, 9)) * 2)
    assert not is_binary(b"a" * 1_020 + RANDOM)  # only the beginning is read


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<p>A fragment\twith\r\nwhite space\x0c",
        "<p>Größe, 数据, שלום".encode(),
        "日本語の文章".encode("iso2022_jp") * 30,
        "<p>Мир и Żółć</p>".encode("utf-16"),
        "<p>Мир и Żółć</p>".encode("utf-16-le"),
        b"<p>one form feed\x0b in" + b" a text" * 100,
        b"<html><body>\x01\x02\x03 separators of old forms",
    ],
)
def test_text_of_every_encoding_is_no_file(body):
    assert not is_binary(body)


def test_markup_is_looked_for_in_the_beginning():
    assert has_markup(b"\n<!-- made by hand --><HTML>")
    assert not has_markup(b"<p>a fragment</p>")
    assert not has_markup(b" " * 1_024 + b"<html>")


@pytest.mark.parametrize(
    "body", [b" \n<p>a fragment</p>", b"\xef\xbb\xbf<!doctype html>", "\ufeff<html>".encode("utf-16")]
)
def test_a_page_begins_with_a_tag(body):
    assert is_tagged(body)


@pytest.mark.parametrize("body", [b"", b"#!/usr/bin/ruby\nputs '<html>'", b"text <p>"])
def test_a_program_does_not(body):
    assert not is_tagged(body)
