"""Throw-away certificates for one modulus and several exponents, of a throw-away authority."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

_VALID = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Certificates:
    """`authority`: PEM for clients. `chains`: PEM of a certificate for each exponent."""

    authority: str
    chains: dict[int, str]


def issue(n: int, exponents: Sequence[int]) -> Certificates:
    """For 127.0.0.1. The authority's key signs them, so the RSA key never signs anything."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    issuer = _name("Laboratory")

    def signed(subject: x509.Name, public: ec.EllipticCurvePublicKey | rsa.RSAPublicKey, is_authority: bool) -> str:
        builder = (
            x509.CertificateBuilder(issuer, subject, public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _VALID)
            .not_valid_after(now + _VALID)
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        )
        return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()

    return Certificates(
        signed(issuer, key.public_key(), True),
        {e: signed(_name("Batch RSA"), rsa.RSAPublicNumbers(e, n).public_key(), False) for e in exponents},
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
