"""Checks that a server's certificate names the host to which the crawl connects.

Twisted does that too, but if the check itself fails, as for a certificate without names, it logs a traceback and
accepts the certificate (twisted 26.10, `_sslverify._verifyCB`). Here a failed check refuses it.
"""

from ipaddress import ip_address
from typing import Protocol

from OpenSSL.crypto import X509
from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER, Connection
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, ServiceID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer


class Creator(Protocol):
    """Makes the TLS connections to one host, as Twisted's IOpenSSLClientConnectionCreator."""

    def clientConnectionForTLS(self, protocol: object) -> Connection:  # noqa: N802  (Twisted's name)
        """Return a connection for a TLS protocol of Twisted."""
        ...


class Policy(Protocol):
    """Has the creator of the connections to a host, as Twisted's IPolicyForHTTPS."""

    def creatorForNetloc(self, hostname: bytes, port: int) -> Creator:  # noqa: N802  (Twisted's name)
        """Return what makes the connections to a host."""
        ...


@implementer(IPolicyForHTTPS)
class NamedHosts:
    """The TLS policy of another factory, with this check of names."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> "_NamedHost":  # noqa: N802  (Twisted's name)
        """Return what makes the connections to a host."""
        return _NamedHost(self._policy.creatorForNetloc(hostname, port), hostname.decode("ascii"))


@implementer(IOpenSSLClientConnectionCreator)
class _NamedHost:
    """Makes connections to one host."""

    def __init__(self, creator: Creator, host: str) -> None:
        self._creator, self._host = creator, _identity(host)

    def clientConnectionForTLS(self, protocol: object) -> Connection:  # noqa: N802  (Twisted's name)
        """Return a connection that refuses certificates of other hosts."""
        connection = self._creator.clientConnectionForTLS(protocol)
        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, self._accepts)
        return connection

    def _accepts(self, _connection: Connection, certificate: X509, _error: int, depth: int, valid: int) -> bool:
        """Return whether a certificate of a server's chain is valid and, if it is the server's own, names the host."""
        if not valid or depth:
            return bool(valid)
        try:
            verify_service_identity(extract_patterns(certificate), [self._host], [])
        except (CertificateError, VerificationError):
            return False
        return True


def _identity(host: str) -> ServiceID:
    try:
        ip_address(host)
    except ValueError:
        return DNS_ID(host)
    return IPAddress_ID(host)
