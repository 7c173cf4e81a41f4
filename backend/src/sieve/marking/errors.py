"""Errors in marking by policy.

SieveError
└── MarkingError
    ├── LabelError       a set of labels cannot be used
    ├── PolicyError      a policy cannot be used: which rule, and what to do
    ├── TooManyHits      a rule hits more often than a document may have marks
    └── TooManyRanges    one text has more hits than can be kept

A policy may itself be secret, so no error contains a keyword, a pattern or a piece of a text.
"""

from sieve.core.errors import SieveError
from sieve.core.sentence import Sentence


class MarkingError(SieveError):
    """Root of the family."""


class LabelError(MarkingError):
    """A set of labels cannot be used."""


class PolicyError(MarkingError):
    """A policy cannot be used. `rule` counts from 1, or is None if the policy as a whole is wrong."""

    def __init__(self, reason: str, rule: int | None = None) -> None:
        super().__init__(reason, rule)
        self.reason = reason
        self.rule = rule

    def __str__(self) -> str:
        return f"policy: {self.reason}" if self.rule is None else f"rule {self.rule} of the policy: {self.reason}"


class TooManyHits(MarkingError):
    """A rule hits more often than a document may have marks."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TooManyRanges(MarkingError):
    """One text has more hits than can be kept. The caller adds the rule."""
