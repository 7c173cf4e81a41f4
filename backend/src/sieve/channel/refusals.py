"""The kinds of refusals on the secure channel, shared by the gateway that refuses and the one that is refused.

A refusal also carries a sentence for people, and whether it is permanent. `gateway.outbound.outcomes` decides what the
sender does about each kind.
"""

from enum import StrEnum


class RefusalKind(StrEnum):
    """Why a gateway refuses, as it is written on the wire."""

    BUSY = "busy"
    """The receiver has too much in progress; a later attempt will be accepted."""
    CONFLICT = "conflict"
    EXPIRED = "expired"
    """The deadline has passed by the receiver's clock."""
    FAILED = "failed"
    FULL = "full"
    """The receiver's disk is full: nothing helps until somebody makes room."""
    NOT_HELD = "not-held"
    """The receiver no longer holds what the attempt leaves out."""
    OTHER_BYTES = "other-bytes"
    """The plain stream is not the one that the manifest announced."""
    PLAIN_LISTENER = "plain-listener"
    """The receiver's plain listener failed: the next attempt must do without the plain channel."""
    PROTOCOL = "protocol"
    REFUSED = "refused"
    """No kind was given, or one that this version does not know."""
    STALE = "stale"
    TOO_LARGE = "too-large"
    TOO_MANY_CHANNELS = "too-many-channels"
    UNKNOWN_ATTEMPT = "unknown-attempt"
    UNKNOWN_RECIPIENT = "unknown-recipient"
    WRONG_PEER = "wrong-peer"

    @classmethod
    def of(cls, said: object) -> "RefusalKind":
        """The kind that a peer named. Newer peers may name kinds that this version does not know."""
        return next((kind for kind in cls if kind == said), cls.REFUSED)

    def is_final(self, *, permanent: bool) -> bool:
        """Whether no later attempt can succeed. `permanent`: as the peer said.

        A deadline that has passed by the peer's clock alone is not final: one of the two clocks is wrong.
        """
        return permanent and self is not RefusalKind.EXPIRED
