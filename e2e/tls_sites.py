"""Starts a server of each design of `sieve lab tls-split`, for a browser. It prints one JSON line when they serve:

    {"one-process": {"port": 40123, "full": 0, "resumed": 0}, "through-handler": {...}, "direct": {...}, "spki": "..."}

and the same for each line on standard input, with the handshakes until then. `spki`: the hash of the certificate's
public key, as Chromium writes it. It ends when standard input closes.
"""

import json
import sys
from base64 import b64encode
from contextlib import ExitStack
from hashlib import sha256

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate

from sieve.lab.tls_split.processes.assignment import DESIGNS
from sieve.lab.tls_split.processes.identity import make_identity
from sieve.lab.tls_split.processes.site import Site


def main() -> None:
    """Entry point."""
    identity, certificate = make_identity("ecdsa")
    key = load_pem_x509_certificate(certificate).public_key()
    spki = b64encode(sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()).decode()
    with ExitStack() as stack:
        sites = {design: stack.enter_context(Site(design, identity)) for design in DESIGNS}
        while True:
            shown = {
                design: {"port": site.port, "full": counted.full, "resumed": counted.resumed}
                for design, site in sites.items()
                for counted in [site.totals()]
            }
            print(json.dumps({**shown, "spki": spki}), flush=True)
            if not sys.stdin.readline():
                break


if __name__ == "__main__":
    main()
