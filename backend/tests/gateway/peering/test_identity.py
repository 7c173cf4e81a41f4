"""An identity loads if its parts fit, and otherwise says in one line which file to mend."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID
from hypothesis import given
from hypothesis import strategies as st

from pki import new_identity
from sieve.demo import certificates as make
from sieve.gateway.errors import StartError, WrongPeer
from sieve.gateway.peering.identity import Identity, check_dates, spki_pin

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_pin_is_the_digest_of_the_public_key(tmp_path: Path) -> None:
    identity = new_identity(tmp_path)
    key = load_pem_private_key(identity.key_path.read_bytes(), None).public_key()
    assert identity.pin == sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def test_the_pin_outlives_the_certificate(tmp_path: Path) -> None:
    """A certificate renewed under the same key is the same gateway."""
    authority = make.new_authority(NOW)
    key, first = make.issue(authority, "alpha", NOW)
    second = (
        x509.CertificateBuilder(first.issuer, first.subject, key.public_key(), 7, NOW, NOW + timedelta(days=9))
    ).sign(authority.key, hashes.SHA256())
    assert spki_pin(first.public_bytes(Encoding.DER)) == spki_pin(second.public_bytes(Encoding.DER))


def test_what_the_receipt_key_signs_its_public_bytes_check(tmp_path: Path) -> None:
    identity = new_identity(tmp_path)
    signature = identity.receipt_key.sign(b"receipt")
    Ed25519PublicKey.from_public_bytes(identity.receipt_public_key).verify(signature, b"receipt")


def test_earlier_receipt_keys_are_read_in_order_and_nothing_else_is_taken_for_them(tmp_path: Path) -> None:
    assert new_identity(tmp_path).earlier_receipt_keys == ()
    folder = tmp_path / "alpha"
    keys = [Ed25519PrivateKey.generate().public_key() for _ in range(2)]
    pems = [key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo) for key in keys]
    earlier = folder / "receipt-earlier.pem"
    earlier.write_bytes(b"# from before\n" + b"\n".join(pems))
    assert list(Identity.load(folder).earlier_receipt_keys) == keys
    for wrong in (b"", b"no key", pems[0].replace(b"MC", b"MD"), (folder / "receipt.key").read_bytes()):
        earlier.write_bytes(wrong)
        with pytest.raises(StartError, match=r"receipt-earlier\.pem: not the public parts"):
            Identity.load(folder)


def test_nothing_of_the_keys_is_shown(tmp_path: Path) -> None:
    shown = repr(new_identity(tmp_path))
    assert "PrivateKey" not in shown and "\\x" not in shown


@pytest.mark.parametrize("name", ["identity.pem", "identity.key", "ca.pem", "receipt.key"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    new_identity(tmp_path)
    path = tmp_path / "alpha" / name
    path.unlink()
    with pytest.raises(StartError) as caught:
        Identity.load(tmp_path / "alpha")
    assert str(caught.value) == f"{path}: missing; make one with certs/make.py, or set SIEVE_IDENTITY_DIR"


@pytest.mark.parametrize("name", ["identity.pem", "identity.key", "ca.pem", "receipt.key"])
@pytest.mark.parametrize("text", [b"", b"hello", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_file_of_something_else_is_named(tmp_path: Path, name: str, text: bytes) -> None:
    new_identity(tmp_path)
    path = tmp_path / "alpha" / name
    path.write_bytes(text)
    with pytest.raises(StartError) as caught:
        Identity.load(tmp_path / "alpha")
    assert str(caught.value).startswith(f"{path}: not a ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["identity.key", "receipt.key"])
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_open_is_refused(tmp_path: Path, name: str, mode: int) -> None:
    new_identity(tmp_path)
    path = tmp_path / "alpha" / name
    path.chmod(mode)
    with pytest.raises(StartError, match=r"other users may open this key; run: chmod 600 "):
        Identity.load(tmp_path / "alpha")


def test_a_folder_in_place_of_a_file_is_reported(tmp_path: Path) -> None:
    new_identity(tmp_path)
    (tmp_path / "alpha" / "ca.pem").unlink()
    (tmp_path / "alpha" / "ca.pem").mkdir()
    with pytest.raises(StartError, match=r"ca\.pem: cannot be read: Is a directory; "):
        Identity.load(tmp_path / "alpha")


def _bravos(name: str) -> Callable[[Path], None]:
    def swap(out: Path) -> None:
        (out / "alpha" / name).write_bytes((out / "bravo" / name).read_bytes())

    return swap


def _other_authority(out: Path) -> None:
    make.keep_authority(out / "other", NOW)
    (out / "alpha" / "ca.pem").write_bytes((out / "other" / "ca" / "ca.pem").read_bytes())


def _leaf_as_authority(out: Path) -> None:
    (out / "alpha" / "ca.pem").write_bytes((out / "alpha" / "identity.pem").read_bytes())


def _receipt_key_of_another_kind(out: Path) -> None:
    (out / "alpha" / "receipt.key").write_bytes((out / "alpha" / "identity.key").read_bytes())


def _key_with_passphrase(out: Path) -> None:
    (out / "alpha" / "receipt.key").write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
        )
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_bravos("identity.pem"), r"identity\.key: this is not the key of identity\.pem; "),
        (_bravos("identity.key"), r"identity\.key: this is not the key of identity\.pem; "),
        (_other_authority, r"identity\.pem: not issued by the authority in ca\.pem; "),
        (_leaf_as_authority, r"ca\.pem: not a self-signed certificate authority; "),
        (_receipt_key_of_another_kind, r"receipt\.key: not an Ed25519 key; "),
        (_key_with_passphrase, r"receipt\.key: the key has a passphrase; "),
    ],
)
def test_parts_that_do_not_fit_are_reported(tmp_path: Path, spoil: Callable[[Path], None], reason: str) -> None:
    new_identity(tmp_path, "alpha", made_at=NOW)
    new_identity(tmp_path, "bravo", made_at=NOW)
    spoil(tmp_path)
    with pytest.raises(StartError, match=reason):
        Identity.load(tmp_path / "alpha", NOW)


def test_a_certificate_for_servers_only_is_refused(tmp_path: Path) -> None:
    authority, _ = make.keep_authority(tmp_path, NOW)
    make.keep_gateway(tmp_path, "alpha", authority, NOW)
    key = load_pem_private_key((tmp_path / "alpha" / "identity.key").read_bytes(), None)
    name = authority.certificate.subject
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, NOW, NOW + timedelta(days=9))  # type: ignore[arg-type]
    uses = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    certificate = builder.add_extension(uses, critical=False).sign(authority.key, hashes.SHA256())
    (tmp_path / "alpha" / "identity.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    with pytest.raises(StartError, match="must be for TLS client and server use"):
        Identity.load(tmp_path / "alpha", NOW)


def test_expired_and_not_yet_valid_are_distinguished(tmp_path: Path) -> None:
    new_identity(tmp_path, made_at=NOW)
    with pytest.raises(StartError, match=r"identity\.pem: expired on 2031-02-03, and .* clock reads 2031-02-04; renew"):
        Identity.load(tmp_path / "alpha", NOW + timedelta(days=398))
    with pytest.raises(StartError, match=r"identity\.pem: not valid before .* clock reads 2030-01-01 03:04 UTC"):
        Identity.load(tmp_path / "alpha", NOW - timedelta(days=1))


def test_validity_includes_both_ends() -> None:
    _, certificate = make.issue(make.new_authority(NOW), "alpha", NOW)
    der = certificate.public_bytes(Encoding.DER)
    first, last, moment = (
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        timedelta(seconds=1),
    )
    check_dates(der, "alpha", first)
    check_dates(der, "alpha", NOW)
    check_dates(der, "alpha", last)
    for wrong in (first - moment, last + moment):
        # The certificate or the clock may be wrong, so the error shows both.
        with pytest.raises(WrongPeer) as told:
            check_dates(der, "alpha", wrong)
        for time in (first, last, wrong):
            assert f"{time:%Y-%m-%d %H:%M:%S} UTC" in str(told.value)


@given(st.binary(max_size=200))
def test_what_is_no_certificate_is_a_wrong_peer(data: bytes) -> None:
    with pytest.raises(WrongPeer):
        spki_pin(data)
    with pytest.raises(WrongPeer):
        check_dates(data, "alpha", NOW)
