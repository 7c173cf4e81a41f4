"""The TLS context of a client whose certificates come from files that an admin names."""

import ssl
from pathlib import Path


class BadTlsFile(ValueError):
    """A file cannot be used. `which`: "ca", "certificate" or "key"; the text is a reason that can follow a colon."""

    def __init__(self, which: str, reason: str) -> None:
        super().__init__(reason)
        self.which = which


def client_context(ca: Path | None, certificate: Path | None, key: Path | None) -> ssl.SSLContext:
    """A context that verifies servers against the certificates in `ca`, or against the operating system's. With
    `certificate`, it shows that one; `key` has its private key.

    Raises:
        BadTlsFile: a file cannot be read, or holds something else.
    """
    for which, path in (("ca", ca), ("certificate", certificate), ("key", key)):
        if path is None:
            continue
        try:
            path.open("rb").close()
        except OSError as error:
            raise BadTlsFile(which, f"the file cannot be read: {error.strerror}") from error
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError as error:
        raise BadTlsFile("ca", "the file holds no certificates in PEM form") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if certificate is not None:
        try:
            # Without a password, OpenSSL would ask on the terminal for that of an encrypted key.
            context.load_cert_chain(certificate, key, password="")
        except (ssl.SSLError, ValueError) as error:
            reason = "the files hold no certificate with its private key, in PEM form and without a password"
            raise BadTlsFile("certificate", reason) from error
    return context
