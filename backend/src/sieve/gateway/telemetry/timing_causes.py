"""The causes for which attempts fail, as timings count them."""

from enum import StrEnum


class TimingCause(StrEnum):
    """Why an attempt was not delivered, for counting. The transfer keeps the sentence for people."""

    UNREACHABLE = "unreachable"
    """The peer did not answer."""
    LINK_BROKE = "link-broke"
    """The secure channel broke while the attempt was under way."""
    PLAIN_CHANNEL = "plain-channel"
    """The plain channel failed or was too slow. An attempt that the secure channel then delivered has it, too."""
    PEER_BUSY = "peer-busy"
    PEER_FULL = "peer-full"
    """The peer's disk is full."""
    PEER_REFUSED = "peer-refused"
    """Any other refusal of the peer."""
    UNKNOWN_RECIPIENT = "unknown-recipient"
    DEADLINE = "deadline"
    """The transfer's deadline passed."""
    STORED_DATA = "stored-data"
    """This gateway could not read the document, or it is damaged here."""
    PEER_REMOVED = "peer-removed"
    CANCELLED = "cancelled"
    """The author cancelled the transfer."""
    INTERRUPTED = "interrupted"
    """This gateway stopped, or lost its claim, while sending."""
    OTHER = "other"
