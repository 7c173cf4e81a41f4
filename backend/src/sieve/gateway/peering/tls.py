"""TLS contexts of the secure channel, with the requested suites and a certificate from both ends. Pins decide whose it
must be.

They do not use `ssl.create_default_context`, which writes session keys to the file in SSLKEYLOGFILE and trusts every
authority that the machine trusts. These trust none until `trust` adds a peer's. OpenSSL cannot remove an authority from
a context; that is harmless, because it only lets a handshake finish, and pins are checked after that.

Invariant: no context is made that would negotiate any other suite than the requested ones.
"""

import logging
import ssl
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from sieve import cipher_suites
from sieve.gateway.errors import PairingError, StartError
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.key_exchange import choose_groups, group_of

log = logging.getLogger(__name__)

# From OpenSSL's ssl.h; Python's ssl has no name for it.
_OP_PRIORITIZE_CHACHA: Final = 1 << 21


class Negotiated(NamedTuple):
    """What both ends of a connection use, by IANA names: the cipher suite and the group of the key exchange. None: not
    known."""

    suite: str | None
    key_exchange: str | None


NOT_NEGOTIATED: Final = Negotiated(None, None)


def server_context(
    identity: Identity, suites: Sequence[str] = cipher_suites.TLS_1_3, *, chacha_on_request: bool = False
) -> ssl.SSLContext:
    """For the secure listener: it refuses a client without a certificate from a trusted authority.

    `chacha_on_request`: a client that lists a suite of ChaCha20 first gets it, as one on a machine that is slow at AES.

    Raises:
        StartError: OpenSSL does not accept the identity or the suites, or none of these fits the identity's key.
    """
    context = _context(ssl.PROTOCOL_TLS_SERVER, identity, suites)
    _check_key(identity, suites)
    # No resumption: our clients do not use it, and a resumed session shows the certificate of the first one.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET | ssl.OP_CIPHER_SERVER_PREFERENCE
    if chacha_on_request:
        context.options |= _OP_PRIORITIZE_CHACHA
    return context


def client_context(identity: Identity, suites: Sequence[str] = cipher_suites.TLS_1_3) -> ssl.SSLContext:
    """For connections to peers. Host names are not compared: the pin proves more, and peers move.

    Raises:
        StartError: OpenSSL does not accept the identity or the suites.
    """
    return _context(ssl.PROTOCOL_TLS_CLIENT, identity, suites)


def trust(context: ssl.SSLContext, ca_der: bytes) -> None:
    """Lets certificates of this authority (DER) finish a handshake, from the next connection on.

    Raises:
        PairingError: it is not a certificate.
    """
    try:
        context.load_verify_locations(cadata=ca_der)
    except (ssl.SSLError, ValueError) as error:
        raise PairingError("the peer's certificate authority cannot be read; ask for a new invitation") from error


def negotiated(connection: ssl.SSLObject | ssl.SSLSocket | None) -> Negotiated:
    """What a connection uses; nothing if it is not TLS, or the handshake is not over."""
    cipher = connection.cipher() if connection is not None else None
    if connection is None or cipher is None:
        return NOT_NEGOTIATED
    return Negotiated(cipher_suites.iana_name(cipher[0]), group_of(connection))


@cache
def tls_1_3_in_force() -> tuple[str, ...]:
    """The suites of TLS 1.3 that OpenSSL gives to every context of this process; Python cannot choose them."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return tuple(cipher["name"] for cipher in context.get_ciphers() if cipher["protocol"] == "TLSv1.3")


def _context(role: int, identity: Identity, suites: Sequence[str]) -> ssl.SSLContext:
    context = ssl.SSLContext(role)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    newer, older = cipher_suites.of_tls_1_3(suites), cipher_suites.of_tls_1_2(suites)
    context.minimum_version = ssl.TLSVersion.TLSv1_2 if older else ssl.TLSVersion.TLSv1_3
    context.maximum_version = ssl.TLSVersion.TLSv1_3 if newer else ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    if not choose_groups(context) and role == ssl.PROTOCOL_TLS_SERVER:
        log.warning("this Python cannot choose the groups of the key exchange: OpenSSL's own apply, ffdhe among them")
    if newer and newer != tls_1_3_in_force():
        raise StartError(
            f"SIEVE_TLS_CIPHERS: OpenSSL would use {', '.join(tls_1_3_in_force()) or 'no suite'} of TLS 1.3; "
            "start the gateway with `sieve gateway`, which configures OpenSSL, and without OPENSSL_CONF"
        )
    if older:
        try:
            context.set_ciphers(":".join(cipher_suites.openssl_name(name) for name in older))
        except ssl.SSLError as error:
            raise StartError(
                f"SIEVE_TLS_CIPHERS: this machine's OpenSSL has none of {', '.join(older)}; allowed are those of "
                f"TLS 1.3: {', '.join(cipher_suites.TLS_1_3)}"
            ) from error
        _check_all_there(context, older)
    try:
        context.load_cert_chain(identity.certificate_path, identity.key_path)
    except (ssl.SSLError, OSError) as error:
        raise StartError(
            f"{identity.certificate_path}: OpenSSL does not take this certificate and key ({error}); "
            "use P-256, or RSA of 2048 bits or more"
        ) from error
    return context


def _check_all_there(context: ssl.SSLContext, older: Sequence[str]) -> None:
    """Raises StartError for suites that OpenSSL does not have, which it leaves out silently."""
    there = {cipher_suites.iana_name(cipher["name"]) for cipher in context.get_ciphers()}
    missing = [name for name in older if name not in there]
    if missing:
        raise StartError(f"SIEVE_TLS_CIPHERS: this machine's OpenSSL has no {', '.join(missing)}; leave it out")


def _check_key(identity: Identity, suites: Sequence[str]) -> None:
    """A suite of TLS 1.2 names the type of the server's key; if none fits, every handshake would fail."""
    if cipher_suites.of_tls_1_3(suites):
        return
    key = x509.load_der_x509_certificate(identity.certificate_der).public_key()
    kind = "RSA" if isinstance(key, RSAPublicKey) else "ECDSA"
    if not any(f"_{kind}_WITH_" in name for name in suites):
        raise StartError(
            f"SIEVE_TLS_CIPHERS: none of these suites fits the identity's key; name one with {kind} in it, "
            f"for example {next(name for name in cipher_suites.TLS_1_2 if f'_{kind}_' in name)}"
        )
