"""How long an attempt waits for the plain channel, which anybody on the path controls.

Invariant: the time follows from the chunks' sizes and from what the receiver says, over the secure channel, that it
holds. Answers on the plain channel change nothing. So nobody there can delay a transfer beyond `most_s`.
"""

from dataclasses import dataclass
from typing import Final

FRUITLESS_ROUNDS: Final = 3
"""After this many rounds in a row that brought nothing, plain chunks move to the secure channel."""


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
        """How long rounds may go on once the receiver has said what it holds for the first time, in seconds; `held` is
        how many bytes it says that it holds by now."""
        return FRUITLESS_ROUNDS * self.round_s(chunk) + held / self.rate

    def most_s(self, chunk: int, size: int) -> float:
        """How long a plain stream of `size` bytes may use the plain channel in one attempt, in seconds, without what
        questions on the secure channel take: the first round, and what is granted after it."""
        return self.round_s(chunk) + self.granted_s(chunk, size)
