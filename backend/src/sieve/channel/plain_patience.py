"""How long an attempt waits for the plain channel, which anybody on the path controls.

Invariant: the time follows from the sizes of the chunks and from the chunks that the receiver reports over the secure
channel. Answers on the plain channel do not change it. So nobody there can delay a transfer beyond `most_s`.
"""

from dataclasses import dataclass
from typing import Final

FRUITLESS_ROUNDS: Final = 3
"""After this many rounds in a row without a new chunk, plain chunks move to the secure channel."""


@dataclass(frozen=True, slots=True)
class PlainPatience:
    """`wait_s`: seconds that are granted beside what the bytes take. `rate`: bytes per second below which the plain
    channel is not worth waiting for; what is missing then goes over the secure channel, which is hardly slower there.
    """

    wait_s: float = 10.0
    rate: int = 256 * 1024

    def round_s(self, chunk: int) -> float:
        """How long one round may last, in seconds, where the largest chunk has `chunk` bytes."""
        return self.wait_s + chunk / self.rate

    def granted_s(self, chunk: int, held: int) -> float:
        """How long rounds may continue after the receiver's first report of what it holds, in seconds; `held`: how many
        bytes it holds now, as it reports."""
        return FRUITLESS_ROUNDS * self.round_s(chunk) + held / self.rate

    def most_s(self, chunk: int, size: int) -> float:
        """How long a plain stream of `size` bytes may use the plain channel in one attempt, in seconds, without what
        questions on the secure channel take: the first round, and what is granted after it."""
        return self.round_s(chunk) + self.granted_s(chunk, size)
