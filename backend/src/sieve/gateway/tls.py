"""TLS contexts of the secure channel: TLS 1.3 only, a certificate from both ends, whom it may be decided by pins.

Built by hand, setting by setting: `ssl.create_default_context` writes session keys to the file that SSLKEYLOGFILE
names, and trusts every authority that the machine trusts. These trust none until `trust` adds a peer's. OpenSSL cannot
take an authority out of a context again; that is harmless: it lets a handshake finish, and pins are checked after it.
"""

import ssl

from sieve.gateway.errors import PairingError, StartError
from sieve.gateway.identity import Identity


def server_context(identity: Identity) -> ssl.SSLContext:
    """For the secure listener: a client without a certificate from a trusted authority does not get in.

    Raises:
        StartError: OpenSSL does not take the identity.
    """
    context = _context(ssl.PROTOCOL_TLS_SERVER, identity)
    # No resumption: none of our clients asks for it, and a resumed session shows the certificate of the first one.
    context.num_tickets = 0
    return context


def client_context(identity: Identity) -> ssl.SSLContext:
    """For connections to peers. Host names are not compared: the pin says more, and peers move.

    Raises:
        StartError: OpenSSL does not take the identity.
    """
    return _context(ssl.PROTOCOL_TLS_CLIENT, identity)


def trust(context: ssl.SSLContext, ca_der: bytes) -> None:
    """Lets certificates of this authority (DER) finish a handshake, from the next connection on.

    Raises:
        PairingError: it is not a certificate.
    """
    try:
        context.load_verify_locations(cadata=ca_der)
    except (ssl.SSLError, ValueError) as error:
        raise PairingError("the peer's certificate authority cannot be read; ask for a new invitation") from error


def _context(role: int, identity: Identity) -> ssl.SSLContext:
    context = ssl.SSLContext(role)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.maximum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_cert_chain(identity.certificate_path, identity.key_path)
    except (ssl.SSLError, OSError) as error:
        raise StartError(
            f"{identity.certificate_path}: OpenSSL does not take this certificate and key ({error}); "
            "use P-256, or RSA of 2048 bits or more"
        ) from error
    return context
