"""Servers with broken TLS or none; the certificates are created for each run."""

import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = dt.datetime.now(dt.UTC)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


class Authority:
    """An authority that the crawl under test trusts: its certificate is in `file`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign("authority", self.key, "authority", self.key, 30, None, authority=True)
        self.file = folder / "authority.pem"
        self.file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def _sign(
        self,
        subject: str,
        key: ec.EllipticCurvePrivateKey,
        issuer: str,
        signer: ec.EllipticCurvePrivateKey,
        days: int,
        address: str | None,
        *,
        authority: bool = False,
    ) -> x509.Certificate:
        builder = x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name(issuer))
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(NOW - dt.timedelta(days=60)).not_valid_after(NOW + dt.timedelta(days=days))
        builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        if address is not None:
            names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(signer, hashes.SHA256())

    def context(self, *, address: str | None = "127.0.0.1", days: int = 30, own: bool = False) -> ssl.SSLContext:
        """Return a server's context with a certificate for an address or nameless, valid for some days, self-signed if `own`."""
        key = ec.generate_private_key(ec.SECP256R1())
        issuer, signer = ("server", key) if own else ("authority", self.key)
        made = self._sign("server", key, issuer, signer, days, address)
        file = self.folder / f"{address}-{days}-{own}.pem"
        file.write_bytes(
            made.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """Give every connection to `serve`, in a thread; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=one, args=(connection,), daemon=True).start()

        def one(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                serve(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


PAGE = (
    b"<html><head><title>T</title></head><body><h1>Safe</h1><p>This page arrived safely, and says so.</p></body></html>"
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(PAGE)


def plain(connection: socket.socket) -> None:
    """Answer without TLS."""
    connection.recv(4096)
    connection.sendall(ANSWER + PAGE)


def secured(context: ssl.SSLContext) -> Callable[[socket.socket], None]:
    """Answer with TLS."""

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            plain(secure)

    return serve


def broken_off(connection: socket.socket) -> None:
    """Reset the connection when it is greeted."""
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def silent(connection: socket.socket) -> None:
    """Never send anything."""
    connection.settimeout(60)
    while connection.recv(4096):
        pass
