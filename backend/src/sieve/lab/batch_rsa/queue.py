"""Which requests form a batch: at most one for each exponent, oldest first. The caller has the clock."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sieve.lab.errors import LabError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Waiting(Generic[T]):
    """A request that waits. `until_s`: when it must leave, in a full batch or not."""

    request: T
    until_s: float


class BatchQueue(Generic[T]):
    """A batch leaves when there is a request for each exponent, or when the oldest request has waited `longest_wait_s`.

    Clients get exponents by `assign`. A client that leaves before its ciphertext has arrived gives its exponent back by
    `release`; otherwise its batch does when it leaves.
    """

    def __init__(self, exponents: Sequence[int], longest_wait_s: float) -> None:
        if not exponents or longest_wait_s < 0:
            raise LabError("a batch has at least one exponent, and a longest wait of 0 s or more")
        self._longest_wait_s = longest_wait_s
        self._assigned = dict.fromkeys(exponents, 0)
        self._waiting: dict[int, deque[Waiting[T]]] = {exponent: deque() for exponent in exponents}

    def assign(self) -> int:
        """The exponent for a new client: that which the fewest clients have who are not yet served."""
        exponent = min(self._assigned, key=self._assigned.__getitem__)
        self._assigned[exponent] += 1
        return exponent

    def release(self, exponent: int) -> None:
        """A client with this exponent has left before its ciphertext arrived."""
        self._assigned[exponent] -= 1

    def add(self, exponent: int, request: T, now_s: float) -> None:
        """A ciphertext has arrived."""
        self._waiting[exponent].append(Waiting(request, now_s + self._longest_wait_s))

    def next_s(self) -> float | None:
        """When a batch leaves if nothing else arrives; None if nothing waits."""
        return min((line[0].until_s for line in self._waiting.values() if line), default=None)

    def take(self, now_s: float) -> dict[int, T]:
        """The batch that leaves now; empty if none does."""
        due_s = self.next_s()
        if due_s is None or (due_s > now_s and not all(self._waiting.values())):
            return {}
        batch = {exponent: line.popleft().request for exponent, line in self._waiting.items() if line}
        for exponent in batch:
            self._assigned[exponent] -= 1
        return batch
