"""The address at which a command serves browsers or other clients: its options, its URL, and its password."""

from argparse import ArgumentParser
from pathlib import Path

from sitecrawl.errors import ConfigError
from sitecrawl.shell.arguments import whole_number


def add_address_options(parser: ArgumentParser, option: str, port: int, clients: str) -> None:
    """Add the options for port, address (`option`), password and further host names; `clients` is a word for help."""
    parser.add_argument("--port", type=whole_number(1, 65_535), default=port, help=f"default: {port}")
    parser.add_argument(option, metavar="ADDRESS", default="127.0.0.1", help="another address needs a password")
    parser.add_argument("--password-file", metavar="FILE", help="file whose first line is the password")
    further = f"a further host name by which {clients} reach it; repeatable"
    parser.add_argument("--name", action="append", default=[], help=further)


def served_url(address: str, port: int) -> str:
    """Return the URL at which an address and port are served; an IPv6 address is in brackets."""
    return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"


def read_password(name: str | None) -> str | None:
    """Return the first line of a password file; None for None. Raises ConfigError."""
    if name is None:
        return None
    try:
        lines = Path(name).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}: the password cannot be read: {error}") from error
    if not lines or not lines[0].strip():
        raise ConfigError(f"{name}: is empty; its first line is the password")
    return lines[0].strip()
