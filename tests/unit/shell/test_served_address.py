"""The address at which a command serves."""

from argparse import ArgumentParser

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.shell.served_address import add_address_options, read_password, served_url


def test_a_command_serves_its_port_on_this_machine_unless_told_otherwise():
    parser = ArgumentParser()
    add_address_options(parser, "--host", 8080, "clients")
    plain = vars(parser.parse_args([]))
    assert plain == {"port": 8080, "host": "127.0.0.1", "password_file": None, "name": []}
    given = parser.parse_args(["--port", "1", "--host", "::1", "--password-file", "f", "--name", "a", "--name", "b"])
    assert vars(given) == {"port": 1, "host": "::1", "password_file": "f", "name": ["a", "b"]}


@pytest.mark.parametrize(
    ("address", "url"),
    [("127.0.0.1", "http://127.0.0.1:80/"), ("::1", "http://[::1]:80/"), ("a.example", "http://a.example:80/")],
)
def test_only_an_ipv6_address_is_in_brackets(address, url):
    assert served_url(address, 80) == url


def test_the_first_line_of_a_file_is_the_password(tmp_path):
    file = tmp_path / "password"
    file.write_text(" a secret \nanother line\n")
    assert read_password(str(file)) == "a secret"
    assert read_password(None) is None


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is empty"), (b" \nx", "is empty"), (b"\xff", "cannot be read")]
)
def test_a_file_without_a_password_is_an_error(tmp_path, content, message):
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_password(str(file))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_password(str(tmp_path / "missing"))
