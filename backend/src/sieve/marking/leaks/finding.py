"""A finding: something that the leak scanner reports, at one address.

Invariant: except for `sent`, whose address is a mark, what a finding names is plain, and marking it ends the finding. A
finding about several tables is reported at the first of them; when that is marked, at the next one. A finding without
an address is about the whole document. A finding quotes classified text. It is for the author alone, and no `repr`
shows it.
"""

from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from sieve.core.sentence import Sentence
from sieve.core.units import Unit

PHRASE: Final = "phrase"
"""A marked phrase that is unmarked here, in the same or another spelling."""
PART: Final = "part"
"""A part of a marked name, or a name from a longer marked passage."""
ACRONYM: Final = "acronym"
"""The first letters of a marked name."""
NUMBER: Final = "number"
"""A number from a marked passage."""
DATE: Final = "date"
"""A marked date in another order, or with its month as a word."""
NAME: Final = "name"
"""The document's name contains something marked."""
HIDDEN: Final = "hidden"
"""Content that readers do not see, and that would travel plain."""
GAP: Final = "gap"
"""Text around a gap reveals what is in it."""
POLICY: Final = "policy"
"""A rule of the policy would mark this."""
TABLE: Final = "table"
"""A row of a table in which part of a classified column may be in another column."""
SENT: Final = "sent"
"""Marked now, but sent plain in an earlier transfer."""
SUGGESTION: Final = "suggestion"
"""May be another form of something marked, or refer to it. Nobody needs to confirm it before sending."""
LIMIT: Final = "limit"
"""Something was too large to check; it has no address."""

PHRASE_KINDS: Final = (PHRASE, PART, ACRONYM, NUMBER, DATE, SUGGESTION)
"""Kinds that are in the text and end when it is marked. For the same range, the first of these kinds wins."""

NAME_ADDRESS: Final = "name"
"""The address of findings about the document's name."""


def unit_of_name(name: str) -> Unit:
    """The document's name as a unit, for the rules of policies."""
    return Unit(NAME_ADDRESS, name, "name")


_QUOTED: Final = 60


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Code points `start` to `end`, without `end`, of the unit at `address`; both None for the whole address.

    Findings with the same `kind` and `group` are about the same thing, and can be marked or dismissed together.
    """

    kind: str
    address: str
    start: int | None
    end: int | None
    sentence: Sentence
    group: str = ""

    def __repr__(self) -> str:
        return f"<Finding: {self.kind}>"

    def to_json(self) -> dict[str, Any]:
        """Its fields, for JSON."""
        return {**asdict(self), "sentence": self.sentence.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The reverse of `to_json`."""
        return cls(**{**value, "sentence": Sentence.from_json(value["sentence"])})


Findings = tuple[Finding, ...]


def short(text: str) -> str:
    """`text` on one line and short, to be quoted in a sentence."""
    line = " ".join(text[: 4 * _QUOTED].split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"
