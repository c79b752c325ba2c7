"""Handshakes in memory with servers whose certificates name this host, another one, or none."""

import ssl
from contextlib import suppress

import pytest
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
from twisted.internet.testing import StringTransport
from twisted.protocols.tls import TLSMemoryBIOFactory

from sitecrawl.shell.certificates import NamedHosts
from tests.badweb.certificates import Authority


class Policy:
    """Twisted's own checks, with trust in one authority."""

    def __init__(self, authority):
        self.trusted = trustRootFromCertificates([Certificate.loadPEM(authority.file.read_bytes())])

    def creatorForNetloc(self, hostname, port):
        return optionsForClientTLS(hostname.decode("ascii"), trustRoot=self.trusted)


class Client(Protocol):
    def __init__(self):
        self.received = b""

    def dataReceived(self, data):
        self.received += data


def received(creator, context):
    """Return what a client receives from a server that says hello after the handshake."""
    client, incoming, outgoing = Client(), ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(incoming, outgoing, server_side=True)
    transport = StringTransport()
    protocol = TLSMemoryBIOFactory(creator, True, Factory.forProtocol(lambda: client)).buildProtocol(None)
    protocol.makeConnection(transport)
    while (sent := transport.value()) and not transport.disconnecting:
        incoming.write(sent)
        transport.clear()
        with suppress(ssl.SSLWantReadError):
            server.do_handshake()
            server.write(b"hello")
        protocol.dataReceived(outgoing.read())
    return client.received


@pytest.mark.parametrize(
    ("given", "greeting"),
    [
        ({}, b"hello"),
        ({"address": "127.0.0.9"}, b""),
        ({"address": None}, b""),
        ({"days": -1}, b""),
        ({"own": True}, b""),
    ],
)
def test_a_certificate_is_accepted_only_if_it_is_valid_and_names_the_host(tmp_path, given, greeting):
    authority = Authority(tmp_path)
    creator = NamedHosts(Policy(authority)).creatorForNetloc(b"127.0.0.1", 443)
    assert received(creator, authority.context(**given)) == greeting


def test_a_host_name_counts_as_such(tmp_path):
    authority = Authority(tmp_path)
    creator = NamedHosts(Policy(authority)).creatorForNetloc(b"e.example", 443)
    assert received(creator, authority.context()) == b""
