"""Tests of the closed parameters of a site: refusal, the start URL, and restoring."""

from sitecrawl.links.closed_parameters import ClosedParameters
from sitecrawl.links.closed_trap import Closed, ClosedKind

START = "https://example.org/?view=all"


class ByName(ClosedParameters):
    """Parameters whose key is the length of their name."""

    def keys_of(self, url: str) -> list[int]:
        return [len(part.partition("=")[0]) for part in url.partition("?")[2].split("&") if part]


def test_nothing_is_refused_while_no_parameter_is_closed() -> None:
    assert ByName(START).refusal("https://example.org/a?sort=1") is None


def test_a_url_is_refused_for_the_reason_of_its_first_closed_parameter() -> None:
    parameters = ByName(START)
    parameters.closed.update({4: "four letters", 2: "two letters"})
    assert parameters.refusal("https://example.org/a?print=1") is None
    assert parameters.refusal("https://example.org/a?print=1&sort=2") == "four letters"
    assert parameters.refusal("https://example.org/a?id=1&sort=2") == "two letters"


def test_the_start_url_is_never_refused() -> None:
    parameters = ByName(START)
    parameters.closed[4] = "four letters"
    assert parameters.refusal(START) is None
    assert parameters.refusal("https://example.org/?view=none") == "four letters"


def test_parameters_that_an_earlier_run_closed_are_closed_again() -> None:
    parameters = ByName(START)
    parameters.restore([Closed(4, ClosedKind.SAME, "sort", "one text on all pages")])
    assert parameters.refusal("https://example.org/a?sort=1") == "one text on all pages"
