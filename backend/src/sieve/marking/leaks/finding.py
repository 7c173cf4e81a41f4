"""What the leak guard has to say: one finding, at one place.

The law: but for `sent`, whose place is a mark, what a finding names is plain, and marking that place ends the finding.
Where it says so of several tables, it ends of the first, and names the next.
One without a place is about all of the document.
A finding quotes what is classified. It is for the author alone, and no `repr` shows it.
"""

from dataclasses import dataclass
from typing import Final

from sieve.core.units import Unit

PHRASE: Final = "phrase"
"""A marked phrase that stands here unmarked, as it is or written otherwise."""
PART: Final = "part"
"""A part of a marked name, or a name out of a longer marked passage."""
ACRONYM: Final = "acronym"
"""The first letters of a marked name."""
NUMBER: Final = "number"
"""A number out of a marked passage."""
DATE: Final = "date"
"""A marked date in another order, or with its month as a word."""
NAME: Final = "name"
"""The document's name holds something marked."""
HIDDEN: Final = "hidden"
"""Content that a reader does not see, and that would travel plain."""
GAP: Final = "gap"
"""What stands around a gap gives away what is in it."""
POLICY: Final = "policy"
"""A rule of the policy would mark this."""
TABLE: Final = "table"
"""A row of a table in which something of a classified column may stand in another one."""
SENT: Final = "sent"
"""Marked now, but an earlier transfer carried it plain."""
LIMIT: Final = "limit"
"""Something was too much to be looked at; it has no place."""

PHRASE_KINDS: Final = (PHRASE, PART, ACRONYM, NUMBER, DATE)
"""Kinds that stand in the text and end when it is marked; the former wins where two say the same place."""

NAME_ADDRESS: Final = "name"
"""Where a finding stands that is about the document's name."""


def unit_of_name(name: str) -> Unit:
    """The document's name, for the rules of policies to look at."""
    return Unit(NAME_ADDRESS, name, "name")


_QUOTED: Final = 60


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """Code points `start` to `end`, without `end`, of the unit at `address`; both None for all that the address names.

    Findings with the same `kind` and `group` are about the same thing, and can be marked or left together.
    """

    kind: str
    address: str
    start: int | None
    end: int | None
    sentence: str
    group: str = ""

    def __repr__(self) -> str:
        return f"<Finding: {self.kind}>"


Findings = tuple[Finding, ...]


def quote(text: str) -> str:
    """`text` on one line and short, for a sentence."""
    line = " ".join(text[: 4 * _QUOTED].split())
    return f"“{line}”" if len(line) <= _QUOTED else f"“{line[: _QUOTED - 1]}…”"
