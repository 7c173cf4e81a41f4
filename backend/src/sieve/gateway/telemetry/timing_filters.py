"""What of the timings counts: as values of the groups of roll-ups, and as conditions on records and open transfers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from typing import Any, Final

from sqlalchemy import ColumnElement, Double, cast, func, or_

from sieve.gateway.telemetry import timing_classes as classes
from sieve.store.models import Document, TimingRecord, Transfer
from sieve.store.models.timings import OWN, Direction, TimingOutcome
from sieve.store.queries.peers import OWN_ID

_DIRECTIONS: Final[Mapping[Direction | None, Sequence[str]]] = {
    None: ("sent", "received"),
    "sent": ("sent",),
    "received": ("received", OWN),
}
"""The directions of groups that count."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What counts. None: everything; but what this gateway sent to itself counts once, as sent, unless `direction` is
    received."""

    direction: Direction | None = None
    peer_ids: frozenset[str] | None = None
    mode: str | None = None
    size_class: int | None = None
    share_class: int | None = None
    channels: str | None = None
    suite: str | None = None
    batch_class: int | None = None
    outcome: TimingOutcome | None = None

    def values(self) -> dict[str, Sequence[Any]]:
        """The values of each dimension that count; without those of which all do."""
        found: dict[str, Sequence[Any]] = {"direction": _DIRECTIONS[self.direction]}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and field.name != "direction":
                if field.name == "peer_ids":
                    found["peer_id"] = sorted(value)
                else:
                    found[field.name] = (value,)
        return found

    def of_records(self) -> Sequence[ColumnElement[bool]]:
        """The conditions on single records."""
        record = TimingRecord
        found: list[ColumnElement[bool]] = []
        for name, values in self.values().items():
            match name:
                case "direction":
                    found.append(_of_direction(self.direction))
                case "size_class":
                    found += _within(record.size, classes.size_limits(*values))
                case "share_class":
                    found += _of_share(record.classified_size, record.size, *values)
                case "batch_class":
                    found += _within(record.batch, classes.batch_limits(*values))
                case "channels":
                    secure, _, plain = values[0].partition("+")
                    found += [record.secure_channels == int(secure), record.plain_channels == int(plain)]
                case _:
                    found.append(getattr(record, name).in_(values))
        return found

    def of_open_transfers(self) -> Sequence[ColumnElement[bool]]:
        """The conditions on transfers that wait or are being sent, and on their documents: peer, mode as it was asked
        for, size and share classified. What else is known only at the end does not count."""
        found: list[ColumnElement[bool]] = []
        if self.peer_ids is not None:
            found.append(Transfer.peer_id.in_(sorted(self.peer_ids)))
        if self.mode is not None:
            found.append(Transfer.mode == self.mode)
        if self.size_class is not None:
            found += _within(Document.size, classes.size_limits(self.size_class))
        if self.share_class is not None:
            found += _of_share(Document.classified_size, Document.size, self.share_class)
        return found

    @property
    def only_by_peer(self) -> bool:
        """Whether nothing but the peer and the direction matters."""
        return self.values().keys() <= {"direction", "peer_id"}


def _of_direction(direction: Direction | None) -> ColumnElement[bool]:
    if direction is None:
        return or_(TimingRecord.direction == "sent", TimingRecord.peer_id != OWN_ID)
    return TimingRecord.direction == direction


def _of_share(classified: Any, size: Any, share_class: int) -> Sequence[ColumnElement[bool]]:
    if share_class == 0:
        return [or_(classified <= 0, size <= 0)]
    some = [classified > 0, size > 0]
    if share_class == len(classes.SHARE_CLASSES) - 1:
        return [*some, classified >= size]
    share = cast(classified, Double) / func.nullif(size, 0)
    return [*some, classified < size, *_within(share, classes.share_limits(share_class))]


def _within(value: Any, limits: tuple[float, float]) -> Sequence[ColumnElement[bool]]:
    low, high = limits
    return [*([value > low] if low > -inf else []), *([value <= high] if high < inf else [])]
