"""Makes what gateways need to know each other in development: an authority, and for each gateway an identity.

    python certs/make.py --out FOLDER alpha bravo          makes what is not there yet
    python certs/make.py --out FOLDER --renew alpha        a new key and certificate for alpha

    FOLDER/ca/{ca.pem,ca.key}                              the authority; its key stays here
    FOLDER/<gateway>/{identity.pem,identity.key,ca.pem}    for TLS, client and server; to be given to the gateway
    FOLDER/<gateway>/receipt.key                           signs receipts (Ed25519)

Keys have mode 0600, folders 0700, and nothing is overwritten without --renew. See certs/README.md.
"""

import argparse
import ipaddress
import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_LIFE = timedelta(days=3652)
# What browsers accepted at most when this was written; long enough for development, short enough to notice renewal.
IDENTITY_LIFE = timedelta(days=397)
# Clocks of two machines differ; a certificate made just now must be valid on the slower one.
BACKDATED = timedelta(hours=1)

_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")


class MakeError(Exception):
    """Something is in the way; the message says what, where and what to do."""


@dataclass(frozen=True)
class Authority:
    """A development certificate authority."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate


def new_authority(now: datetime) -> Authority:
    """A fresh authority. Its name has a random part: two of the same name would be hard to tell apart in a log."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    name = _name(f"Security Sieve development CA {subject.digest.hex()[:8]}")
    certificate = (
        _builder(name, name, key.public_key(), now, now + AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(subject, critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(key, certificate)


def issue(authority: Authority, name: str, now: datetime) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    """A fresh key for the gateway `name` and its certificate, for TLS as client and as server."""
    key = ec.generate_private_key(ec.SECP256R1())
    ends = min(now + IDENTITY_LIFE, authority.certificate.not_valid_after_utc)
    hosts = [
        *(x509.DNSName(host) for host in dict.fromkeys((name, "localhost"))),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", "::1")),
    ]
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    certificate = (
        _builder(_name(name), authority.certificate.subject, key.public_key(), now, ends)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
            critical=False,
        )
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(issuer_key, critical=False)
        .sign(authority.key, hashes.SHA256())
    )
    return key, certificate


def keep_authority(out: Path, now: datetime) -> tuple[Authority, str]:
    """The authority in `out`, made if there is none; and a sentence saying what was done."""
    folder = out / "ca"
    certificate_path, key_path = folder / "ca.pem", folder / "ca.key"
    if _both_there(certificate_path, key_path, f"remove {folder} and make all identities again"):
        try:
            certificate = x509.load_pem_x509_certificate(certificate_path.read_bytes())
            key = load_pem_private_key(key_path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError) as error:
            raise MakeError(
                f"{folder}: cannot be read as an authority; remove it and make all identities again"
            ) from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
            raise MakeError(f"{folder}: ca.key is not the key of ca.pem; remove it and make all identities again")
        if certificate.not_valid_after_utc <= now:
            raise MakeError(f"{certificate_path}: has expired; remove {folder} and make all identities again")
        return Authority(key, certificate), f"{folder}: kept"
    authority = new_authority(now)
    _write(key_path, _pem(authority.key), 0o600)
    _write(certificate_path, authority.certificate.public_bytes(Encoding.PEM), 0o644)
    return authority, f"{folder}: a development CA, valid until {_day(authority.certificate)}"


def keep_gateway(out: Path, name: str, authority: Authority, now: datetime, *, renew: bool = False) -> list[str]:
    """The identity and receipt key of gateway `name` in `out`, made where missing; sentences saying what was done.

    `renew` replaces the identity's key and certificate. The receipt key stays: receipts are checked with it.
    """
    if not _NAME.fullmatch(name) or name == "ca":
        raise MakeError(f"{name!r} cannot name a gateway; take 1 to 63 of a-z, 0-9 and '-' (not 'ca')")
    folder = out / name
    said = []
    certificate_path, key_path = folder / "identity.pem", folder / "identity.key"
    if not renew and _both_there(certificate_path, key_path, f"replace both with --renew {name}"):
        said.append(f"{folder}: identity kept")
    else:
        key, certificate = issue(authority, name, now)
        _write(key_path, _pem(key), 0o600, replace=renew)
        _write(certificate_path, certificate.public_bytes(Encoding.PEM), 0o644, replace=renew)
        _write(folder / "ca.pem", authority.certificate.public_bytes(Encoding.PEM), 0o644, replace=True)
        said.append(f"{folder}: a new identity, valid until {_day(certificate)}")
    if (folder / "receipt.key").exists():
        said.append(f"{folder}: receipt key kept")
    else:
        _write(folder / "receipt.key", _pem(Ed25519PrivateKey.generate()), 0o600)
        said.append(f"{folder}: a new receipt key")
    return said


def _both_there(certificate: Path, key: Path, remedy: str) -> bool:
    there = [path.exists() for path in (certificate, key)]
    if any(there) and not all(there):
        missing = key if there[0] else certificate
        raise MakeError(f"{missing}: missing, while its other half is there; {remedy}")
    return all(there)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, ends: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(ends)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey | Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _day(certificate: x509.Certificate) -> str:
    return f"{certificate.not_valid_after_utc:%Y-%m-%d}"


def _write(path: Path, data: bytes, mode: int, *, replace: bool = False) -> None:
    """Writes a file that never exists with wider rights, nor half written."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # O_EXCL on the name beside it: whatever a killed run left there was made by us, and is removed.
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    if replace:
        beside.replace(path)
        return
    try:
        # A link, unlike a rename, fails if another run made the file meanwhile.
        path.hardlink_to(beside)
    finally:
        beside.unlink()


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="certs/make.py", description="Development authority and gateway identities.")
    parser.add_argument("--out", type=Path, required=True, help="folder to put everything in")
    parser.add_argument("--renew", action="store_true", help="new keys and certificates for the named gateways")
    parser.add_argument("gateway", nargs="+", help="names of gateways, such as alpha bravo")
    given = parser.parse_args(arguments)
    now = datetime.now(UTC)
    try:
        given.out.mkdir(parents=True, exist_ok=True, mode=0o700)
        authority, said = keep_authority(given.out, now)
        print(said)
        for name in given.gateway:
            print("\n".join(keep_gateway(given.out, name, authority, now, renew=given.renew)))
    except MakeError as error:
        print(f"certs/make.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"certs/make.py: {error.filename}: {error.strerror}; choose a folder that you can write", file=sys.stderr)
        return 1
    print("This CA is for development: who reads ca/ca.key can make gateways that pass for yours. Commit none of it.")
    return 0
