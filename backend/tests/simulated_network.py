"""What becomes of what two simulated gateways send, drawn byte by byte; and what is under way on the plain channel."""

from dataclasses import dataclass

from channel_cases import RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN
from sieve.channel import receiver, sender

SECOND_NS = 1_000_000_000
TRUST = sender.Trust(SENDER_PIN, frozenset({RECEIVER_PIN}), RECEIPT_KEY.public_key().public_bytes_raw())
LIMITS = receiver.Limits(max_document_size=1 << 30, max_open_transfers=3)
SLOTS = 2


class Fate:
    """Decides by drawn bytes; 0 is kind, and all that there is once they are used up."""

    def __init__(self, draws: bytes) -> None:
        self._draws = iter(draws)
        self.kind = False

    def below(self, count: int) -> int:
        """One of 0 .. count - 1."""
        drawn = next(self._draws, None)
        self.kind = drawn is None
        return (drawn or 0) % count

    def strikes(self, one_in: int) -> bool:
        """Whether something goes wrong that goes wrong once in so many times."""
        return self.below(one_in) == one_in - 1


@dataclass(frozen=True)
class Chunk:
    """One request on the plain channel."""

    handle: str
    sub_stream: int
    index: int
    data: bytes
    seal: bytes
