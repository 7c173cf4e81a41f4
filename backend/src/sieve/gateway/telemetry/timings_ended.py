"""Tells the rest of the gateway which timing records were committed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sieve.store.queries.timing_records import TimingValues

Listener: TypeAlias = Callable[[Sequence[TimingValues]], None]


@dataclass(slots=True)
class TimingsEnded:
    """Call it with records after the transaction that added them. It calls each of `listeners` with them; these must
    be quick and must not raise."""

    listeners: list[Listener] = field(default_factory=list)

    def __call__(self, records: Sequence[TimingValues]) -> None:
        if records:
            for listener in self.listeners:
                listener(records)
