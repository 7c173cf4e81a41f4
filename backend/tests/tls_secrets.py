"""Bytes that give keys of the experiment with TLS in several processes away."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

_LINE = 64
"""Of PEM."""


def private_forms(pem: bytes) -> Sequence[bytes]:
    """Each secret number of a private key in both orders of bytes and in digits, its DER, and the lines of its PEM."""
    body = pem[pem.index(b"-----BEGIN PRIVATE KEY") :]
    key = load_pem_private_key(body, None)
    if isinstance(key, rsa.RSAPrivateKey):
        private = key.private_numbers()
        numbers, size = [private.p, private.q, private.dmp1, private.dmq1, private.d], 128
    else:
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        numbers, size = [key.private_numbers().private_value], 32
    found = [
        number.to_bytes(max(size, (number.bit_length() + 7) // 8), order)
        for number in numbers
        for order in ("big", "little")
    ]
    found += [form.hex().encode() for form in found] + [str(number).encode() for number in numbers]
    found += [
        key.private_bytes(Encoding.DER, form, NoEncryption())
        for form in (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL)
    ]
    # The first line names the algorithm only; the last may be short.
    return [*found, *[line for line in body.splitlines()[2:] if len(line) == _LINE and line[:1] != b"-"]]


def agreed(keylogs: Iterable[Path]) -> Sequence[bytes]:
    """Every secret in these key logs of clients, as bytes and in digits."""
    digits = [line.split()[2] for path in keylogs for line in path.read_bytes().splitlines() if line[:1] != b"#"]
    return [*digits, *[bytes.fromhex(each.decode()) for each in digits]]


def files_with(secrets: Iterable[bytes], folder: Path) -> list[Path]:
    """The files in a folder, at any depth, that hold one of the secrets."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for content in [path.read_bytes()]
        if any(secret in content for secret in secrets)
    ]
