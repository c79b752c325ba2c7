"""Tests of the conditions on due sites."""

import pytest

from sitecrawl.storage.due_filter import ANY_DUE, DueFilter


def test_the_filter_without_conditions_is_plain() -> None:
    assert ANY_DUE.is_plain


def test_a_holder_alone_leaves_the_filter_plain() -> None:
    assert DueFilter(holder="process").is_plain


@pytest.mark.parametrize(
    "condition", [{"hosts": []}, {"hosts": ["example.org"]}, {"excluded": [1]}, {"suspects": False}, {"died": False}]
)
def test_each_other_condition_excludes_sites(condition: dict) -> None:
    assert not DueFilter(**condition).is_plain
