"""The tables of peers: their pins, and what this gateway knows of each."""

from typing import Literal, TypeAlias

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sieve.store.models.base import Base, Id, TimeNs, index, one_of

PeerState: TypeAlias = Literal["unconfirmed", "active", "removed"]


class Peer(Base):
    """A gateway that this one is paired with, or this gateway itself (`peers.OWN_ID`). A removed peer's row
    stays.
    """

    __tablename__ = "peers"
    __table_args__ = (
        one_of("state", PeerState),
        # A removed peer's name may be used again.
        index("uq_peers_name", "name", where="state != 'removed'", unique=True),
    )

    id: Mapped[Id]
    name: Mapped[str]
    secure_url: Mapped[str]
    plain_url: Mapped[str]
    ca_der: Mapped[bytes]
    receipt_key: Mapped[bytes]
    state: Mapped[str]
    created_at_ns: Mapped[TimeNs]
    confirmed_at_ns: Mapped[TimeNs | None]
    removed_at_ns: Mapped[TimeNs | None]

    breaker: Mapped["Breaker | None"] = relationship(lazy="raise", viewonly=True)


class PeerPin(Base):
    """A key of a peer. `pin`: SHA-256 of its subject public key info, in hexadecimal."""

    __tablename__ = "peer_pins"

    id: Mapped[Id]
    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), index=True)
    pin: Mapped[str]
    added_at_ns: Mapped[TimeNs]
    retired_at_ns: Mapped[TimeNs | None]


class Breaker(Base):
    """The breaker of a peer: failures in a row, and until when nothing is sent there."""

    __tablename__ = "breakers"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    failures: Mapped[int]
    open_until_ns: Mapped[TimeNs | None]


class PeerCosts(Base):
    """What the planner believes of sending to a peer (JSON): totals of time, nothing of what was sent."""

    __tablename__ = "peer_costs"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    believed: Mapped[str]
    changed_at_ns: Mapped[TimeNs]


class PeerDirectory(Base):
    """What a peer last said (JSON): its hello, and who can receive there."""

    __tablename__ = "peer_directories"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    hello: Mapped[str]
    recipients: Mapped[str]
    said_at_ns: Mapped[TimeNs]


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
