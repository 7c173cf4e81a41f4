"""Throw-away identities for tests, made by the very functions of certs/make.py."""

from datetime import UTC, datetime
from pathlib import Path

from sieve.demo import certificates
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.invitation import Invitation

SCRIPT = Path(__file__).resolve().parents[2] / "certs" / "make.py"


def new_identity(
    out: Path, name: str = "alpha", *, made_at: datetime | None = None, now: datetime | None = None
) -> Identity:
    """The identity of gateway `name` under the authority of `out`, both made if need be.

    `made_at`: when it is made; `now`: when it is loaded. Both are the present if not given.
    """
    made_at = made_at or datetime.now(UTC)
    authority, _ = certificates.keep_authority(out, made_at)
    certificates.keep_gateway(out, name, authority, made_at)
    return Identity.load(out / name, now or made_at)


def invitation_of(identity: Identity, name: str = "alpha", port: int = 8443) -> Invitation:
    """The invitation of a gateway with that identity, on loopback."""
    return Invitation(
        name=name,
        secure_url=f"https://127.0.0.1:{port}",
        plain_url=f"http://127.0.0.1:{port + 1}",
        pin=identity.pin,
        ca_der=identity.ca_der,
        receipt_key=identity.receipt_public_key,
    )
