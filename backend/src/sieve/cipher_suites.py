"""Cipher suites of the secure channel, by their IANA names: which ones are allowed, and why others are not.

Invariant: TLS 1.3, or TLS 1.2 with an ephemeral exchange (ECDHE) and authenticated encryption (AEAD). Documents travel
with no other suite. Older suites that encrypt and authenticate are available for measurements on one machine. Without
`SIEVE_TLS_CIPHERS`, a gateway offers those of TLS 1.3, the one that its processor encrypts with fastest first.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sieve.core.sentence import Sentence

TLS_1_3: Final = ("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256")
"""In OpenSSL's own order. The CCM suites of RFC 8446 are for devices too small for GCM."""


def fastest_first(*, aes_is_fast: bool) -> tuple[str, ...]:
    """The suites of TLS 1.3 for a machine on which AES is faster than ChaCha20, or slower."""
    aes, chacha, *rest = TLS_1_3
    return (aes, chacha, *rest) if aes_is_fast else (chacha, aes, *rest)


# Python's ssl names suites of TLS 1.2 as OpenSSL does, which are other names than IANA's.
_OPENSSL_NAMES_1_2: Final[Mapping[str, str]] = {
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
}
_OPENSSL_NAMES_OLDER: Final[Mapping[str, str]] = {
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA": "ECDHE-ECDSA-AES256-SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA": "ECDHE-RSA-AES256-SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA": "ECDHE-ECDSA-AES128-SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA": "ECDHE-RSA-AES128-SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA": "AES256-SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA": "AES128-SHA",
}
TLS_1_2: Final = tuple(_OPENSSL_NAMES_1_2)
OLDER: Final = tuple(_OPENSSL_NAMES_OLDER)

_TO_OPENSSL: Final = {**_OPENSSL_NAMES_1_2, **_OPENSSL_NAMES_OLDER}
_TO_IANA: Final = {ours: iana for iana, ours in _TO_OPENSSL.items()}


def split(text: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(part.strip() for part in text.split(","))


def check(names: Sequence[str], *, older: bool) -> None:
    """Checks that these suites are allowed; `older`: also those for measuring.

    Raises:
        ValueError: one is not allowed or is listed twice; the sentence gives the reason and the allowed ones, and
        repeats no name.
    """
    allowed = {*TLS_1_3, *TLS_1_2, *(OLDER if older else ())}
    for number, name in enumerate(names, 1):
        if name not in allowed:
            raise ValueError(
                f"entry {number} {rejection_reason(name)}; allowed are {', '.join(TLS_1_3)} and, of TLS 1.2, "
                f"{', '.join(TLS_1_2)}"
            )
        if name in names[: number - 1]:
            raise ValueError(f"entry {number} repeats an earlier entry; list each suite once, best first")


def rejection_reason(name: str) -> str:
    """Why a suite is not allowed."""
    if "_anon_" in name:
        return "does not authenticate (aNULL)"
    if "_NULL_" in name or name in {"TLS_SHA256_SHA256", "TLS_SHA384_SHA384"}:
        return "does not encrypt (eNULL)"
    if name.startswith(("TLS_RSA_", "TLS_DH_", "TLS_ECDH_", "TLS_PSK_", "TLS_KRB5_")):
        return "has no ephemeral key exchange (as static RSA): anyone who obtains the key can read earlier traffic"
    if "_CBC_" in name or "_RC4_" in name:
        return "has no authenticated encryption (AEAD)"
    if name.endswith("_8_SHA256") or name.endswith("_CCM_8"):
        return "has a shortened authentication tag"
    return "is not the IANA name of a suite that this gateway supports"


def of_tls_1_3(names: Sequence[str]) -> tuple[str, ...]:
    """Those of TLS 1.3, in their order."""
    return tuple(name for name in names if name in TLS_1_3)


def of_tls_1_2(names: Sequence[str]) -> tuple[str, ...]:
    """Those of TLS 1.2, in their order; older ones are among them, if allowed."""
    return tuple(name for name in names if name in _TO_OPENSSL)


def of_older(names: Sequence[str]) -> tuple[str, ...]:
    """Those that are for measuring only."""
    return tuple(name for name in names if name in _OPENSSL_NAMES_OLDER)


def openssl_name(name: str) -> str:
    """OpenSSL's name of a suite of `TLS_1_2` or `OLDER`."""
    return _TO_OPENSSL[name]


def iana_name(openssl: str) -> str:
    """The IANA name of a suite by OpenSSL's name; those of TLS 1.3 are the same."""
    return _TO_IANA.get(openssl, openssl)


def warning(names: Sequence[str]) -> str | None:
    """A warning about these suites for admins; None if there is none."""
    older = of_older(names)
    if older:
        return Sentence(
            "suites-unsafe", "{suites}: not safe, for measuring on this machine only", suites=", ".join(older)
        )
    if of_tls_1_2(names):
        return Sentence(
            "suites-of-tls-1-2",
            "TLS 1.2 is allowed ({suites}): it shows the certificates of both gateways to eavesdroppers, and gateways "
            "of this program do not need it; remove it when none of your peers needs it",
            suites=", ".join(of_tls_1_2(names)),
        )
    return None
