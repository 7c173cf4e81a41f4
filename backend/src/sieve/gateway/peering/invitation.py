"""Pairing: each admin gives the other an invitation, and each confirms a short code that the other reads out.

An invitation is one line of text without secrets: the identity and the addresses of a gateway. Somebody may change it
on its way, so the admins read codes to each other. Each gateway has a code of its own, which covers both invitations.
The other gateway expects this code only if each side has exactly the invitation that the other one gave.
"""

import base64
import binascii
import hashlib
import json
import re
import unicodedata
import warnings
from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.utils import CryptographyDeprecationWarning

from sieve import addresses
from sieve.channel import canonical
from sieve.core.sentence import Sentence
from sieve.gateway.errors import PairingError
from sieve.gateway.peering.identity import is_authority

PREFIX = "sieve-invitation-2."
"""Invitations of version 1 had one code for both gateways."""
MAX_TEXT = 32 * 1024
MAX_CA = 8 * 1024

_ANY_VERSION = re.compile(r"sieve-invitation-[0-9]+\.")
_PIN = re.compile(r"[0-9a-f]{64}")
_FIELDS = {"name", "secure_url", "plain_url", "pin", "ca", "receipt_key"}
_CODE_PURPOSE = b"sieve comparison code v2"
_CODE_GROUPS, _GROUP_SIZE = 4, 5
# Crockford's base 32: no I, L, O or U, so that nothing is misheard or misread.
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans("ILO", "110")


@dataclass(frozen=True, slots=True)
class Invitation:
    """The identity and addresses of a gateway. Making one with an invalid part raises PairingError.

    `pin` is the hexadecimal SHA-256 of its public key, `ca_der` the authority of its certificate, `receipt_key` the 32
    bytes that check its receipts.
    """

    name: str
    secure_url: str
    plain_url: str
    pin: str
    ca_der: bytes
    receipt_key: bytes

    def __post_init__(self) -> None:
        for field, scheme in (("secure_url", "https"), ("plain_url", "http")):
            if _origin(field, getattr(self, field), scheme) != getattr(self, field):
                raise _bad(field, f"write it as {_origin(field, getattr(self, field), scheme)}")
        try:
            addresses.gateway_name(self.name)
        except ValueError as error:
            raise _bad("name", str(error)) from error
        if not _PIN.fullmatch(self.pin):
            raise _bad("pin", "not 64 hexadecimal digits")
        _check_ca(self.ca_der)
        _check_receipt_key(self.receipt_key)

    def to_text(self) -> str:
        """The one line to give to the other admin."""
        return PREFIX + base64.urlsafe_b64encode(self.canonical()).rstrip(b"=").decode("ascii")

    def canonical(self) -> bytes:
        """Its only JSON text."""
        return canonical.dumps(
            {
                "name": self.name,
                "secure_url": self.secure_url,
                "plain_url": self.plain_url,
                "pin": self.pin,
                "ca": base64.b64encode(self.ca_der).decode("ascii"),
                "receipt_key": self.receipt_key.hex(),
            }
        )


def parse(text: str) -> Invitation:
    """The invitation in `text`. It ignores white space and line breaks.

    Raises:
        PairingError: it is not one, is of another version, was cut or changed, or has an invalid part.
    """
    if len(text) > MAX_TEXT:
        raise PairingError(
            Sentence("invitation-too-long", "this is too long for an invitation; paste nothing but the invitation")
        )
    bare = "".join(ch for ch in text if not ch.isspace() and unicodedata.category(ch) != "Cf")
    if not bare.startswith(PREFIX):
        if _ANY_VERSION.match(bare):
            raise PairingError(
                Sentence("invitation-other-version", "this invitation is of another version; update the older gateway")
            )
        raise PairingError(
            Sentence(
                "invitation-none",
                "this is not an invitation; paste the whole text, which begins with {prefix}",
                prefix=PREFIX,
            )
        )
    fields = _decode(bare.removeprefix(PREFIX))
    try:
        invitation = Invitation(
            name=fields["name"],
            secure_url=fields["secure_url"],
            plain_url=fields["plain_url"],
            pin=fields["pin"],
            ca_der=base64.b64decode(fields["ca"], validate=True),
            receipt_key=bytes.fromhex(fields["receipt_key"]),
        )
    except ValueError as error:
        raise _damaged() from error
    # An invitation has only one text: any other that decodes to it was changed.
    if invitation.to_text() != bare:
        raise _damaged()
    return invitation


@dataclass(frozen=True, slots=True)
class Codes:
    """The two codes of a pairing, such as `7KQ2M-0A1BC-DEFGH-JKMNP`. `ours`: our admin reads it out. `theirs`: our
    gateway expects it from the other admin.
    """

    ours: str
    theirs: str

    def check(self, typed: str, peer: str) -> None:
        """Checks the code that our admin heard and typed.

        Raises:
            PairingError: it is another code.
        """
        if _bare(typed) == _bare(self.ours):
            raise PairingError(
                Sentence(
                    "pairing-own-code",
                    "this is the code of this gateway; enter the code that {peer}'s admin reads out to you",
                    peer=peer,
                )
            )
        if _bare(typed) != _bare(self.theirs):
            raise PairingError(
                Sentence(
                    "pairing-other-code",
                    "this is not the code of {peer}; ask its admin to read it out again; if it "
                    "still differs, somebody may have changed an invitation on its way: exchange "
                    "them again over another medium",
                    peer=peer,
                )
            )


def comparison_codes(ours: Invitation, theirs: Invitation) -> Codes:
    """The codes that both admins read to each other; the other gateway has the same two, exchanged. Takes some 50 ms.

    100 bits each, stretched: somebody between the two admins, who gives each an invitation of their own, is free in
    both, and so looks for a collision, 2**50 codes. Scrypt makes each of those cost what one costs here, a core for
    50 ms.
    """
    digests = [hashlib.sha256(one.canonical()).digest() for one in (ours, theirs)]
    key = hashlib.scrypt(b"".join(sorted(digests)), salt=_CODE_PURPOSE, n=2**14, r=8, p=1, dklen=32)
    return Codes(*(_code(hashlib.sha256(key + digest).digest()) for digest in digests))


def _code(digest: bytes) -> str:
    symbols = _CODE_GROUPS * _GROUP_SIZE
    number = int.from_bytes(digest) >> (len(digest) * 8 - symbols * 5)
    text = "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(symbols)))
    return "-".join(text[at : at + _GROUP_SIZE] for at in range(0, symbols, _GROUP_SIZE))


def _bare(code: str) -> str:
    """A code as a person typed it, in the one form for comparing: upper case, I and L as 1, O as 0, no dashes."""
    return "".join(ch for ch in code.upper() if ch.isascii() and ch.isalnum()).translate(_MISREAD)


def _decode(encoded: str) -> dict[str, str]:
    try:
        data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
        fields: Any = json.loads(data)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _damaged() from error
    if not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise _damaged()
    if not all(isinstance(value, str) for value in fields.values()):
        raise _damaged()
    return fields


def _damaged() -> PairingError:
    return PairingError(
        Sentence("invitation-damaged", "the invitation was cut or changed on its way; paste the whole text again")
    )


def _bad(field: str, reason: str) -> PairingError:
    return PairingError(f"the invitation's {field}: {reason}")


def _origin(field: str, text: str, scheme: Any) -> str:
    try:
        return addresses.origin(text, scheme)
    except ValueError as error:
        raise _bad(field, str(error)) from error


def _check_ca(ca_der: bytes) -> None:
    if len(ca_der) > MAX_CA:
        raise _bad("certificate authority", f"longer than {MAX_CA} bytes")
    try:
        with warnings.catch_warnings():
            # What the library only warns of, such as a serial number below 1, no authority that is well made has.
            warnings.simplefilter("error", CryptographyDeprecationWarning)
            authority = is_authority(x509.load_der_x509_certificate(ca_der))
    except (ValueError, x509.InvalidVersion, UnsupportedAlgorithm, CryptographyDeprecationWarning) as error:
        raise _bad("certificate authority", "not a certificate") from error
    if not authority:
        raise _bad("certificate authority", "not a self-signed certificate authority")


def _check_receipt_key(key: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(key)
    except ValueError as error:
        raise _bad("receipt key", "not 32 bytes of an Ed25519 key") from error
