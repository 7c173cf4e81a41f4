"""The table of contacts with peers."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models import Base, TimeNs


class PeerContact(Base):
    """The last successful contacts with a peer; None: there was none. `reached_at_ns`: it answered a request of this
    gateway; `heard_at_ns`: it made a request. `certificate_until_ns`: when the certificate that it showed last expires.
    `latency_us`: the median of its recent short answers. `protocol`: the version that both gateways speak.
    """

    __tablename__ = "peer_contacts"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    reached_at_ns: Mapped[TimeNs | None]
    heard_at_ns: Mapped[TimeNs | None]
    certificate_until_ns: Mapped[TimeNs | None]
    latency_us: Mapped[int | None]
    protocol: Mapped[int | None]
