"""What a document of any format looks like to who marks it: pieces of text, each at an address.

The law: a mark names characters of a unit, never bytes of a file. What bytes those come to is for the format alone to
say, and it may say more than the characters themselves, for a file can tell a thing twice.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Unit:
    """A piece of text that is read in one go: a text, a paragraph, a page, a cell.

    `kind`: what a person would call it. `hidden`: empty for what every reader of the document sees, otherwise how it
    hides, as a noun phrase: "a comment", "deleted text".
    """

    address: str
    text: str
    kind: str
    hidden: str = ""

    def __repr__(self) -> str:
        return f"<Unit: {self.kind}, {len(self.text)} characters>"


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """Something classified: code points `start` to `end`, without `end`, of the unit at `address`; the whole of what
    the address names where both are None. `rule` made it, if a policy did; `reason` says why; `label` is its level.
    """

    address: str
    start: int | None = None
    end: int | None = None
    label: str = ""
    rule: str = ""
    reason: str = ""

    def __repr__(self) -> str:
        return "<Mark>"
