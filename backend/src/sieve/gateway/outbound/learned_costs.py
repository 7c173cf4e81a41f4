"""What the planner learned of a peer, as the database stores it."""

from dataclasses import dataclass, field
from typing import Final

from pydantic import TypeAdapter, ValidationError

from sieve.gateway.outbound.planner.choice import Habit
from sieve.gateway.outbound.planner.costs import Costs


@dataclass(frozen=True, slots=True)
class Learned:
    """The costs of sending to a peer, and the planner's habit there."""

    costs: Costs = field(default_factory=Costs)
    habit: Habit = field(default_factory=Habit)

    def to_json(self) -> str:
        return _STORED.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Learned":
        """What was stored; nothing learned if it is of another version, or invalid."""
        try:
            learned = _STORED.validate_json(text)
        except ValidationError:
            return cls()
        return learned if learned.costs.is_sound and learned.habit.is_sound else cls()


_STORED: Final = TypeAdapter(Learned)
