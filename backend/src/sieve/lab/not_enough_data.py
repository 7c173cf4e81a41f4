"""The answer of a model that was given too few measurements."""

from dataclasses import dataclass

from sieve.core.sentence import Sentence


@dataclass(frozen=True, slots=True)
class NotEnoughData:
    """Returned in place of a number. `reason`: one sentence for people, about what was not measured."""

    reason: Sentence
