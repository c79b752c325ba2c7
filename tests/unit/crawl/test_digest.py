import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.crawl import digest
from sitecrawl.crawl.digest import fingerprints

ENGLISH = " ".join(f"word{i * i % 997}" for i in range(600))
CHINESE = "".join(chr(0x4E00 + i * i % 2999) for i in range(1500))
THAI = "".join(chr(0x0E01 + i * i % 45) + chr(0x0E30 + i * 7 % 10) for i in range(900))


def simhash(text):
    return fingerprints(text).simhash


def text_digest(text):
    return fingerprints(text).digest


def apart(one, other):
    return (simhash(one) ^ simhash(other)).bit_count()


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, THAI, f"{ENGLISH} {CHINESE}"])
def test_a_small_change_moves_few_bits_and_another_text_many(text):
    middle = len(text) // 2
    assert apart(text, text[:middle] + "字" + text[middle:]) <= 6
    assert apart(text, text[::-1]) > 12


def test_white_space_case_and_punctuation_do_not_count():
    assert simhash("One two, three four!") == simhash("one  TWO\nthree - four")
    assert text_digest("One two, three four!") == text_digest("one  TWO\nthree - four")
    assert text_digest("one two") != text_digest("two one")


def test_texts_of_few_words():
    assert simhash("") == simhash(" ... ") == 0
    assert simhash("hello") == simhash("Hello.") != simhash("world")


def test_values_that_are_stored():
    """Stored simhashes are compared with new ones: the function may not change without a migration."""
    assert simhash("The quick brown fox jumps over the lazy dog") == 0xE5AA697BF06BA842
    assert text_digest("The quick brown fox") == "98d99055e2a4fb92e4718042ab655a22"


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from((1, 2, 3)), min_size=3, max_size=80))
def test_the_compiled_twin_is_equal(hashed):
    assert digest.majority.compiled(hashed) == digest.majority.reference(hashed)


def test_the_compiled_twin_refuses_less_than_a_gram():
    with pytest.raises(ValueError, match="fewer tokens"):
        digest.majority.compiled([1, 2])


@given(
    st.text(
        st.sampled_from(
            "aZ_ -1\u00e9\u2019\u00b2\u01c5\ud800\u5b57\u0e01\u0e31\u1780\U0001f600\U0001d7d8\u0663\U00020000"
        )
        | st.characters(),
        max_size=40,
    ),
    st.integers(1, 150),
)
def test_the_compiled_twin_reads_the_same_words(text, times):
    lower = f"{text} {text[:3] * times}".lower()
    assert digest.read_words.compiled(lower) == digest.read_words.reference(lower)


def test_words_are_remembered_by_what_they_are():
    for lower in (" ".join(f"w{number}" for number in range(30_000)), "a b a \u5b57 a"):
        assert digest.read_words.compiled(lower) == digest.read_words.reference(lower)
