"""What can be wrong with marking by policy.

SieveError
└── MarkingError
    ├── LabelError       a set of labels cannot be used
    ├── PolicyError      a policy cannot be used: which rule, and what to do
    ├── TooManyHits      a rule hits more often than a document may have marks
    └── TooManyRanges    there are too many places in one text to be kept

A policy may name what is secret, so that no error holds a keyword, a pattern or a piece of a text.
"""

from sieve.core.errors import SieveError


class MarkingError(SieveError):
    """Root of the family."""


class LabelError(MarkingError):
    """A set of labels cannot be used."""


class PolicyError(MarkingError):
    """A policy cannot be used. `rule` counts from 1; it is None where the policy as a whole is at fault."""

    def __init__(self, reason: str, rule: int | None = None) -> None:
        super().__init__(reason, rule)
        self.reason = reason
        self.rule = rule

    def __str__(self) -> str:
        return f"policy: {self.reason}" if self.rule is None else f"rule {self.rule} of the policy: {self.reason}"


class TooManyHits(MarkingError):
    """A rule hits more often than a document may have marks."""


class TooManyRanges(MarkingError):
    """There are too many places in one text to be kept; who searches says for which rule."""
