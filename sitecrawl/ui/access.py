"""Decides who may use the UI: by the Host header, by a token or a password, and by the token of each form."""

import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.errors import ConfigError

LOOPBACK: Final = frozenset(("127.0.0.1", "localhost", "::1"))
TRIES: Final = 10
"""Number of wrong passwords within WINDOW seconds after which no password is accepted until these have passed."""
WINDOW: Final = 60.0
LEAST: Final = 12
"""Minimum characters of a password."""


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach an address."""
    if address in LOOPBACK:
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class Access:
    """The secrets of one run of the UI.

    On a loopback address, whoever has the `token` has access. On any other address a `password` is required, and the
    token is not accepted.
    """

    address: str = "127.0.0.1"
    port: int = 8765
    password: str | None = None
    names: frozenset[str] = frozenset()
    """Host names that requests may use besides the address."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _failures: list[float] = field(default_factory=list)

    @property
    def cookie(self) -> str:
        """Name of the cookie; it contains the port, since browsers share cookies among all ports of a host."""
        return f"sitecrawl_{self.port}"

    @property
    def session(self) -> str:
        """Value of the cookie of a user who has logged in."""
        return self._sign("session")

    @property
    def form(self) -> str:
        """The token that every form must contain."""
        return self._sign("form")

    def allows_host(self, header: str) -> bool:
        """Return whether a Host header names this UI, unlike a foreign name that resolves to this machine."""
        try:
            host = urlsplit(f"//{header}").hostname
        except ValueError:
            return False
        return host is not None and host in {*LOOPBACK, self.address, *self.names}

    def knows(self, session: str | None) -> bool:
        """Return whether a cookie is that of a user who has logged in."""
        return _equal(session, self.session)

    def takes_token(self, token: str | None) -> bool:
        """Return whether a token gives access to the UI."""
        return self.password is None and _equal(token, self.token)

    def takes_form(self, token: str | None) -> bool:
        """Return whether the token of a form shows that it comes from a page of this UI."""
        return _equal(token, self.form)

    def waits(self, moment: float) -> bool:
        """Return whether passwords are refused at a moment, since too many were wrong just before."""
        self._failures[:] = [one for one in self._failures if moment - one < WINDOW]
        return len(self._failures) >= TRIES

    def takes_password(self, password: str | None, moment: float) -> bool:
        """Return whether a password gives access to the UI; wrong passwords are counted."""
        if self.password is not None and not self.waits(moment) and _equal(password, self.password):
            return True
        self._failures.append(moment)
        return False

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()


def new_access(address: str, port: int, password: str | None, names: Collection[str] = ()) -> Access:
    """Return the access rules of a UI at an address, with new secrets.

    Raises ConfigError for an address that other machines can reach if there is no password, and for a short password.
    """
    if password is None and not is_loopback(address):
        raise ConfigError(
            f"{address}: other machines can reach this address; give a password: --password-file FILE, or leave the"
            " address out"
        )
    if password is not None and len(password) < LEAST:
        raise ConfigError(f"the password has {len(password)} characters; use {LEAST} or more")
    return Access(address, port, password, frozenset(name.lower() for name in names))


def _equal(given: str | None, wanted: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
