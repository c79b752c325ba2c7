"""The exit status and the line of an error that ends a command."""

import pytest

from sitecrawl.errors import ConfigError, ExtractorError, StorageError
from sitecrawl.exit_status import FAILED, USAGE, print_error


@pytest.mark.parametrize(
    ("error", "status"),
    [(ConfigError("a setting"), USAGE), (ExtractorError("a method"), USAGE), (StorageError("a disk"), FAILED)],
)
def test_an_error_is_one_line_and_a_status(error, status, capsys):
    assert print_error(error) == status
    assert capsys.readouterr().err == f"sitecrawl: {error}\n"
