"""The redacted edition of an RTF document: a new document with what a reader sees, and markers for what is classified.

Invariant: every control word is a new one from here, every text from its unit. Left out, marked or not: links, codes of
fields, comments, deleted and hidden text, styles, properties, embedded objects, and pictures except PNG and JPEG of
which every byte is known, without their metadata. A paragraph with a mark loses the formatting within it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from sieve.core.units import Mark
from sieve.formats.marked_units import require_gone
from sieve.formats.marker import MARKER
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import is_fully_known, without_metadata
from sieve.formats.rtf.content import Look, Paragraph, Picture, Run, Story
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.rtf.vocabulary import HEADERS, TEXT_BOXES
from sieve.formats.text_ranges import united, with_markers

_HEAD: Final = r"{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}}"
_WIDTH: Final = 9_000
"""Of a table, in twips."""
_WRITTEN: Final = {"\\": "\\\\", "{": "\\{", "}": "\\}", "\n": "\\line ", "\t": "\\tab "}
_SPECIAL: Final = re.compile(r"[^ -\[\]^-z|~]")
_LINE: Final = 64
"""Bytes of a picture in a line."""


def redact_rtf(reading: RtfReading, marks: Sequence[Mark]) -> bytes:
    """A new document with what a reader sees and nothing that is classified; the file itself without marks.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return rebuilt_rtf(reading, marks) if marks else reading.data


def rebuilt_rtf(reading: RtfReading, marks: Sequence[Mark]) -> bytes:
    """`redact_rtf`, but also without marks a new document with only what a reader sees."""
    edition = _Edition(reading, marks)
    made = "".join(edition.parts()).encode("ascii")
    require_gone(RtfReading(made).units(), edition.texts)
    return made


class _Edition:
    def __init__(self, reading: RtfReading, marks: Sequence[Mark]) -> None:
        self._reading = reading
        self._marked, _, self._split = reading.resolved(marks)
        self.texts = self._marked.texts
        self._distinctive = Phrases(self.texts, distinctive=True)
        self._described = reading.described(self._marked.ranges)
        # The same picture may be in the document several times.
        self._withheld = {self._kept(picture) for picture in self._withheld_pictures()} - {None}

    def parts(self) -> Iterator[str]:
        """The document."""
        yield _HEAD
        words = {story.word for story in self._reading.document.stories}
        if not words.isdisjoint({"headerl", "headerr", "footerl", "footerr"}):
            yield r"\facingp"
        if not words.isdisjoint({"headerf", "footerf"}):
            yield r"\titlepg"
        yield "\n"
        yield from self._story(self._reading.document.body)
        yield "}\n"

    def _story(self, story: Story) -> Iterator[str]:
        for (table, _), group in groupby(story.paragraphs, _row):
            paragraphs = [*group]
            if table:
                yield from self._row(paragraphs)
            else:
                for paragraph in paragraphs:
                    yield from self._before(paragraph)
                    yield rf"\pard\plain\f0{_aligned(paragraph)} "
                    yield from self._content(paragraph)
                    yield "\\par\n"

    def _row(self, paragraphs: Sequence[Paragraph]) -> Iterator[str]:
        cells = [[*group] for _, group in groupby(paragraphs, lambda paragraph: paragraph.cells[-1].column)]
        for paragraph in paragraphs:
            yield from self._before(paragraph)
        yield r"\trowd\trgaph70"
        yield from (rf"\cellx{_WIDTH * number // len(cells)}" for number in range(1, len(cells) + 1))
        yield "\n"
        for cell in cells:
            for number, paragraph in enumerate(cell, 1):
                yield rf"\pard\plain\intbl\f0{_aligned(paragraph)} "
                yield from self._content(paragraph)
                yield "\\cell\n" if number == len(cell) else "\\par\n"
        yield "\\row\n"

    def _before(self, paragraph: Paragraph) -> Iterator[str]:
        """Headers that begin in a paragraph, and its text boxes as paragraphs of their own."""
        for piece in paragraph.shown:
            if isinstance(piece, Story) and piece.word in HEADERS:
                yield rf"{{\{piece.word} "
                yield from self._story(piece)
                yield "}\n"
            elif isinstance(piece, Story) and piece.word in TEXT_BOXES:
                yield from self._story(piece)

    def _content(self, paragraph: Paragraph) -> Iterator[str]:
        address = self._reading.placed(paragraph).address
        unit = self._reading.unit(address)
        ranges = (
            [] if unit is None else united([*self._marked.withheld(unit, self._distinctive), *self._of_split(address)])
        )
        if unit is not None and ranges:
            yield _written(with_markers(unit.text, ranges))
        for piece in paragraph.shown:
            match piece:
                case Run() if not ranges:
                    yield f"{{{_look(piece.look)} {_written(piece.text)}}}" if any(piece.look) else _written(piece.text)
                case Picture() if address in self._marked.ranges:
                    yield _written(MARKER)
                case Picture():
                    yield self._picture(piece)
                case Story(word="footnote"):
                    yield r"{\super\chftn}{\footnote "
                    yield r"\ftnalt " if piece.name == "endnotes" else ""
                    yield from self._story(piece)
                    yield "}"
                case _:
                    pass

    def _of_split(self, address: str) -> list[tuple[int, int]]:
        return self._split.get(address, [])

    def _withheld_pictures(self) -> Iterator[Picture]:
        """Those that are marked, or described by what is marked, or in a marked paragraph."""
        for picture in self._reading.document.pictures:
            if f"picture/{picture.number}" in self._marked.ranges or picture.number in self._described:
                yield picture
        for story in self._reading.document.stories:
            for paragraph in story.paragraphs:
                if self._reading.placed(paragraph).address in self._marked.ranges:
                    yield from (piece for piece in paragraph.shown if isinstance(piece, Picture))

    def _kept(self, picture: Picture) -> bytes | None:
        content = picture.content(self._reading.data) if picture.kind else None
        return without_metadata(content) if content is not None else None

    def _picture(self, picture: Picture) -> str:
        kept = self._kept(picture)
        if (
            f"picture/{picture.number}" in self._marked.ranges
            or picture.number in self._described
            or kept in self._withheld
        ):
            return _written(MARKER)
        if kept is None or not is_fully_known(kept, self._distinctive.in_text):
            return ""
        lines = (kept[at : at + _LINE].hex() for at in range(0, len(kept), _LINE))
        size = f"\\picwgoal{picture.width}\\pichgoal{picture.height}" if picture.width and picture.height else ""
        return f"{{\\pict\\{picture.kind}blip{size}\n{chr(10).join(lines)}}}"


def _row(paragraph: Paragraph) -> tuple[int, int]:
    return (paragraph.cells[0].table, paragraph.cells[0].row) if paragraph.cells else (0, 0)


def _aligned(paragraph: Paragraph) -> str:
    return f"\\{paragraph.align}" if paragraph.align else ""


def _look(look: Look) -> str:
    words = (("b", look.bold), ("i", look.italic), ("ul", look.underline))
    return "".join(f"\\{word}" for word, is_on in words if is_on) + (f"\\fs{look.size}" if look.size else "")


def _written(text: str) -> str:
    return _SPECIAL.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    if character in _WRITTEN:
        return _WRITTEN[character]
    if character < " " or character == "\x7f":
        return ""
    units = character.encode("utf-16-le", "replace")
    values = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
    return "".join(f"\\u{value}?" for value in values)
