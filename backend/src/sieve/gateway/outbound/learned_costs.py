"""What the planner learned of a peer, as the database stores it."""

from dataclasses import dataclass, field
from typing import Final

from pydantic import TypeAdapter, ValidationError

from sieve.channel.attempt import Mode
from sieve.gateway.outbound.planner.costs import Costs
from sieve.gateway.outbound.planner.forecasts import Record


@dataclass(frozen=True, slots=True)
class Learned:
    """The costs of sending to a peer, the last mode there, and how good forecasts were."""

    costs: Costs = field(default_factory=Costs)
    last: Mode | None = None
    record: Record = field(default_factory=Record)

    def to_json(self) -> str:
        return _STORED.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Learned":
        """What was stored; nothing learned if it is of another version, or invalid."""
        try:
            learned = _STORED.validate_json(text)
        except ValidationError:
            return cls()
        return learned if learned.costs.is_sound and learned.record.is_sound else cls()


_STORED: Final = TypeAdapter(Learned)
