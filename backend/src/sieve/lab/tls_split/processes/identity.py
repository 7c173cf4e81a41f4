"""A certificate for localhost and its private key, made for one run and kept in memory."""

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

KeyKind = Literal["rsa", "ecdsa"]


def make_identity(kind: KeyKind) -> tuple[bytes, bytes]:
    """Certificate and private key in PEM, one after the other, and the certificate alone. RSA has 2048 bits, ECDSA the
    curve P-256."""
    key = rsa.generate_private_key(65537, 2048) if kind == "rsa" else ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
    )
    return certificate + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), certificate
