"""What a document in RTF consists of: stories of paragraphs, and what they are made of.

Invariant: a paragraph knows which bytes of the source are literal ASCII letters of its shown text; only these ever
travel plain. Characters that are written as escapes, computed text and everything hidden have no such bytes.
"""

import binascii
from dataclasses import dataclass, field
from typing import NamedTuple

from sieve.core.units import Cell


class Look(NamedTuple):
    """How text looks. `size`: in half points; 0 if nothing says."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    size: int = 0


class Run(NamedTuple):
    """Text of one look."""

    text: str
    look: Look


@dataclass(slots=True, repr=False)
class Picture:
    """A picture, at bytes `start` to `end`. `kind`: "png", "jpeg" or empty. `width` and `height` in twips; 0 if nothing
    says."""

    number: int
    kind: str = ""
    start: int = 0
    end: int = 0
    is_binary: bool = False
    width: int = 0
    height: int = 0

    def content(self, source: bytes) -> bytes | None:
        """Its bytes; None if they are no hexadecimal digits."""
        raw = source[self.start : self.end]
        if self.is_binary:
            return raw
        try:
            return binascii.unhexlify(b"".join(raw.split()))
        except binascii.Error:
            return None


@dataclass(slots=True, repr=False)
class Paragraph:
    """A paragraph of a story. `shown`: its text, pictures and notes in order; `plain`: bytes of the source that are
    letters of its text; `below`: its hidden text, by the kind of hiding; `fallback`: what only old readers show."""

    align: str = ""
    cells: tuple[Cell, ...] = ()
    shown: "list[Run | Picture | Story]" = field(default_factory=list)
    plain: list[tuple[int, int]] = field(default_factory=list)
    below: dict[str, list[str]] = field(default_factory=dict)
    fallback: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What readers see."""
        return "".join(piece.text for piece in self.shown if isinstance(piece, Run))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, hidden or not."""
        return not (self.shown or self.below or self.fallback)


@dataclass(slots=True, repr=False)
class Story:
    """Paragraphs that follow each other. `word`: the control word that began it, such as "footnote"; `name`: the
    beginning of its addresses."""

    word: str
    name: str
    paragraphs: list[Paragraph] = field(default_factory=list)
    current: Paragraph = field(default_factory=Paragraph)
    table: int = 0
    row: int = 0
    column: int = 0
    is_header_row: bool = False


class Aside(NamedTuple):
    """Hidden text apart from all paragraphs. `name`: the beginning of its address; `hidden`: how it is hidden;
    `picture`: the number of the picture that it belongs to, or 0.
    """

    name: str
    hidden: str
    text: str
    picture: int
