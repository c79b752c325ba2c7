import pytest

from sitecrawl.plurals import counted


@pytest.mark.parametrize(
    ("number", "names", "text"),
    [
        (0, ("page",), "0 pages"),
        (1, ("page",), "1 page"),
        (2, ("page",), "2 pages"),
        (1, ("process", "processes"), "1 process"),
        (3, ("process", "processes"), "3 processes"),
    ],
)
def test_a_number_has_the_name_of_what_is_counted(number, names, text):
    assert counted(number, *names) == text
