"""The identity of this gateway: a TLS certificate with its key and its authority, and a key that signs receipts.

Invariant: a gateway is its public key. The pin, SHA-256 of the certificate's SubjectPublicKeyInfo (as in RFC 7469), is
its identity; the certificate around the key may be renewed, and the authority only lets a handshake finish.
"""

import itertools
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID

from sieve.gateway.errors import StartError, WrongPeer

CERTIFICATE, KEY, AUTHORITY, RECEIPT_KEY = "identity.pem", "identity.key", "ca.pem", "receipt.key"
EARLIER_RECEIPT_KEYS = "receipt-earlier.pem"
"""The public parts of the receipt keys that were used before, the oldest first. The file is optional."""

_HINT = "make one with certs/make.py, or set SIEVE_IDENTITY_DIR"
_PUBLIC_KEY = re.compile(rb"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", re.DOTALL)
_TIME = "%Y-%m-%d %H:%M:%S UTC"
_USES = (ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH)


@dataclass(frozen=True, slots=True)
class Identity:
    """A gateway's identity, checked: its parts belong together and are valid now. Its repr shows no key."""

    certificate_path: Path
    key_path: Path
    certificate_der: bytes = field(repr=False)
    ca_der: bytes = field(repr=False)
    receipt_key: Ed25519PrivateKey = field(repr=False)
    expires_at: datetime
    earlier_receipt_keys: tuple[Ed25519PublicKey, ...] = field(default=(), repr=False)

    @property
    def pin(self) -> str:
        """The pin by which peers know this gateway."""
        return spki_pin(self.certificate_der)

    @property
    def receipt_public_key(self) -> bytes:
        """The 32 bytes with which this gateway's receipts are checked."""
        return self.receipt_key.public_key().public_bytes_raw()

    @property
    def earlier_receipt_public_keys(self) -> frozenset[bytes]:
        """Those of this gateway's keys before, each 32 bytes, that its admin listed."""
        return frozenset(key.public_bytes_raw() for key in self.earlier_receipt_keys)

    @classmethod
    def load(cls, folder: Path, now: datetime | None = None) -> "Identity":
        """The identity in `folder`, as of `now` (the clock's time if not given).

        Raises:
            StartError: a file is missing, unreadable, open to other users, not valid now, or does not fit the others.
        """
        now = now or datetime.now(UTC)
        chain = _certificates(folder / CERTIFICATE)
        authority = _certificates(folder / AUTHORITY)[0]
        key = _private_key(folder / KEY)
        receipt_key = _private_key(folder / RECEIPT_KEY)
        certificate = chain[0]
        if _spki(key.public_key()) != _spki(certificate.public_key()):
            raise StartError(f"{folder / KEY}: this is not the key of {CERTIFICATE}; put both from the same run there")
        if not isinstance(receipt_key, Ed25519PrivateKey):
            raise StartError(f"{folder / RECEIPT_KEY}: not an Ed25519 key; {_HINT}")
        _check_authority(folder / AUTHORITY, authority)
        _check_chain(folder, [*chain, authority])
        _check_uses(folder / CERTIFICATE, certificate)
        for name, one in ((CERTIFICATE, certificate), (AUTHORITY, authority)):
            _check_validity(folder / name, one, now)
        return cls(
            certificate_path=folder / CERTIFICATE,
            key_path=folder / KEY,
            certificate_der=certificate.public_bytes(Encoding.DER),
            ca_der=authority.public_bytes(Encoding.DER),
            receipt_key=receipt_key,
            expires_at=certificate.not_valid_after_utc,
            earlier_receipt_keys=_public_keys(folder / EARLIER_RECEIPT_KEYS),
        )


def spki_pin(certificate: bytes) -> str:
    """The pin of a certificate (DER): 64 lower-case hexadecimal digits.

    Raises:
        WrongPeer: it cannot be read; OpenSSL lets some certificates through that are malformed.
    """
    try:
        return sha256(_spki(x509.load_der_x509_certificate(certificate).public_key())).hexdigest()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise WrongPeer("the certificate cannot be read") from error


def check_dates(certificate: bytes, name: str, now: datetime) -> None:
    """Checks that the certificate (DER) of `name` is valid at `now`. If it is not, either of them may be wrong.

    Raises:
        WrongPeer: it is not, or it cannot be read.
    """
    try:
        read = x509.load_der_x509_certificate(certificate)
    except ValueError as error:
        raise WrongPeer("the certificate cannot be read") from error
    if not _is_valid(read, now):
        raise WrongPeer(
            f"the certificate of {name} is valid from {read.not_valid_before_utc:{_TIME}} to "
            f"{read.not_valid_after_utc:{_TIME}}, and this gateway's clock reads {now:{_TIME}}; "
            "renew the certificate, or set the clock"
        )


def _is_valid(certificate: x509.Certificate, now: datetime) -> bool:
    return certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc


def _spki(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise StartError(f"{path}: missing; {_HINT}") from None
    except OSError as error:
        raise StartError(f"{path}: cannot be read: {error.strerror}; let the gateway's user read it") from error


def _certificates(path: Path) -> list[x509.Certificate]:
    try:
        found = x509.load_pem_x509_certificates(_read(path))
        for certificate in found:
            certificate.public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StartError(f"{path}: not a certificate in PEM form; {_HINT}") from error
    return found


def _private_key(path: Path) -> PrivateKeyTypes:
    data = _read(path)
    if path.stat().st_mode & 0o077:
        raise StartError(f"{path}: other users may open this key; run: chmod 600 {path}")
    try:
        return load_pem_private_key(data, password=None)
    except TypeError as error:
        raise StartError(f"{path}: the key has a passphrase; store it without, mode 0600") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StartError(f"{path}: not a private key in PEM form; {_HINT}") from error


def _public_keys(path: Path) -> tuple[Ed25519PublicKey, ...]:
    if not path.exists():
        return ()
    try:
        found = [load_pem_public_key(pem) for pem in _PUBLIC_KEY.findall(_read(path))]
    except (ValueError, UnsupportedAlgorithm):
        found = []
    keys = tuple(key for key in found if isinstance(key, Ed25519PublicKey))
    if not keys or len(keys) < len(found):
        hint = "append each by openssl pkey -in OLD.key -pubout, or remove the file"
        raise StartError(f"{path}: not the public parts of Ed25519 keys, in PEM form; {hint}")
    return keys


def _check_authority(path: Path, authority: x509.Certificate) -> None:
    if not is_authority(authority):
        raise StartError(f"{path}: not a self-signed certificate authority; {_HINT}")


def is_authority(certificate: x509.Certificate) -> bool:
    """Whether a certificate may be the end of a chain: self-signed, and made to sign others."""
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value
        certificate.verify_directly_issued_by(certificate)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, x509.UnsupportedGeneralNameType):
        return False
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        return False
    return constraints.ca


def _check_chain(folder: Path, chain: list[x509.Certificate]) -> None:
    for issued, issuer in itertools.pairwise(chain):
        try:
            issued.verify_directly_issued_by(issuer)
        except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError) as error:
            raise StartError(
                f"{folder / CERTIFICATE}: not issued by the authority in {AUTHORITY}; put both from the same run there"
            ) from error


def _check_uses(path: Path, certificate: x509.Certificate) -> None:
    # A gateway is client and server. Without this check a missing purpose shows only as a failed handshake without a
    # reason.
    try:
        uses = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return
    except ValueError as error:
        raise StartError(f"{path}: not a well-formed certificate; {_HINT}") from error
    if any(use not in uses for use in _USES):
        raise StartError(f"{path}: must be for TLS client and server use; {_HINT}")


def _check_validity(path: Path, certificate: x509.Certificate, now: datetime) -> None:
    if now > certificate.not_valid_after_utc:
        raise StartError(
            f"{path}: expired on {certificate.not_valid_after_utc:%Y-%m-%d}, and this machine's clock reads "
            f"{now:%Y-%m-%d}; renew it (certs/README.md says how), or set the clock"
        )
    if not _is_valid(certificate, now):
        raise StartError(
            f"{path}: not valid before {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC; "
            f"this machine's clock reads {now:%Y-%m-%d %H:%M} UTC; set the one that is wrong"
        )
