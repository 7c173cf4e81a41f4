"""Planted documents as files of every format, with secrets also where a reader does not look.

Invariant: a writer gets paragraphs and *asides*, which are sentences with a secret in them and the place where to put
each, and returns a file. This module does not know where they are in the file: `locate` finds them in the units that
are read, letter by letter, so that text that the reader of a format overlooks counts as missed.
"""

import csv
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from random import Random
from typing import NamedTuple

from benchmarks import planted, planted_messages, planted_office, planted_pages, planted_parts, planted_rtf
from benchmarks.planted import MARKED, Laid, Paragraph, Piece, Place, Planted
from sieve.core.units import Mark, Unit

_FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "capitals": lambda text: text.upper(),
    "white space": lambda text: text.replace(" ", "  "),
    "joined words": lambda text: text.replace(" ", "_"),
}
_TABLES = frozenset({"csv", "tsv", "jsonl", "xlsx", "ods"})
_PICTURES = frozenset({"png", "jpg", "tiff"})
_ACROSS = "across two paragraphs"


class Aside(NamedTuple):
    """A secret beside the text: the place, the sentence, and which characters of it are the secret, in which form."""

    where: str
    text: str
    start: int
    end: int
    form: str


@dataclass(frozen=True)
class PlantedFile:
    """A file, and what was planted in it."""

    format: str
    name: str
    data: bytes
    planted: Planted
    asides: list[Aside]


Writer = Callable[[Sequence[str], dict[str, str]], bytes]
"""Returns the file with these paragraphs, and with these sentences in their places."""


def _text(paragraphs: Sequence[str], _: dict[str, str]) -> bytes:
    return "\n\n".join(paragraphs).encode()


def _markdown(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    forms = {
        "heading": "## {}",
        "remark": "<!-- {} -->",
        "emphasis": "It is **{}**, they say.",
        "code": "    {}",
        "link": "[more](https://example.org/?q={})",
        "table": "| {} | 1 |",
    }
    return _text(["# A report", *paragraphs, *(forms[where].format(text) for where, text in asides.items())], {})


def _rows(paragraphs: Sequence[str], asides: dict[str, str]) -> Iterator[list[str]]:
    yield ["id", "note", asides.get("heading", "kind")]
    for number, text in enumerate(paragraphs, 1):
        yield [str(number), text, asides["short cell"] if number == 2 and "short cell" in asides else "text"]


def _csv(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    written = StringIO(newline="")
    csv.writer(written).writerows(_rows(paragraphs, asides))
    return written.getvalue().encode()


def _tsv(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    written = StringIO(newline="")
    csv.writer(written, "excel-tab").writerows(_rows(paragraphs, asides))
    return written.getvalue().encode()


def _jsonl(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    lines: list[object] = [{"id": number, "note": text} for number, text in enumerate(paragraphs, 1)]
    for where, text in asides.items():
        rows: dict[str, dict[str, object]] = {
            "value": {"id": 0, "who": text},
            "key": {"id": 0, text: True},
            "nested object": {"id": 0, "about": {"who": text}},
            "nested list": {"id": 0, "about": [1, text]},
        }
        lines.append(rows[where])
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


FORMATS: dict[str, tuple[Writer, tuple[str, ...]]] = {
    "txt": (_text, ()),
    "md": (_markdown, ("heading", "remark", "emphasis", "code", "link", "table")),
    "csv": (_csv, ("heading", "short cell")),
    "tsv": (_tsv, ("heading", "short cell")),
    "jsonl": (_jsonl, ("value", "key", "nested object", "nested list")),
    "docx": (planted_parts.docx, planted_parts.DOCX_PLACES),
    "xlsx": (planted_parts.xlsx, planted_parts.XLSX_PLACES),
    "pdf": (planted_pages.pdf, planted_pages.PLACES),
    "odt": (planted_office.odt, planted_office.ODT_PLACES),
    "ods": (planted_office.ods, planted_office.ODS_PLACES),
    "pptx": (planted_office.pptx, planted_office.PPTX_PLACES),
    "html": (planted_messages.html, planted_messages.HTML_PLACES),
    "rtf": (planted_rtf.rtf, planted_rtf.PLACES),
    "eml": (planted_messages.eml, planted_messages.EML_PLACES),
    "zip": (planted_messages.archived, planted_messages.ZIP_PLACES),
    "png": (planted_messages.png, planted_messages.PICTURE_PLACES),
    "jpg": (planted_messages.jpg, planted_messages.PICTURE_PLACES),
    "tiff": (planted_messages.pages, planted_messages.PICTURE_PLACES),
}
"""How each format is written, and the places that it has beside the text."""


def files(seed: int, count: int) -> Iterator[PlantedFile]:
    """`count` files, of each format as many; every third holds no secret but the marked ones."""
    kinds = list(FORMATS)
    for number in range(count):
        random = Random(f"file/{seed}/{number}")
        yield file(random, kinds[number % len(kinds)], clean=number // len(kinds) % 3 == 2)


def file(random: Random, kind: str, *, clean: bool = False) -> PlantedFile:
    """A file of this format."""
    document = planted.document(random, clean=clean)
    # Formats have hidden places of their own.
    document.paragraphs = [
        paragraph for number, paragraph in enumerate(document.paragraphs) if number not in document.hidden
    ]
    document.hidden = {}
    document.name = re.sub(r"\.txt\Z", f".{kind}", document.name)
    if kind in _TABLES:
        # Other cells are between two notes.
        document.paragraphs = [
            [
                piece._replace(form=planted.BEYOND + "across two rows") if piece.form == _ACROSS else piece
                for piece in row
            ]
            for row in document.paragraphs
        ]
    writer, places = FORMATS[kind]
    if kind == "pdf":
        document.paragraphs = [[_printable(piece) for piece in paragraph] for paragraph in document.paragraphs]
    asides = [] if clean else _asides(random, kind, document, places)
    if kind in _PICTURES:
        # They have no text but what lies beside the pixels.
        document.paragraphs = []
        document.name, document.name_form = f"picture.{kind}", ""
    data = writer(
        ["".join(piece.text for piece in paragraph) for paragraph in document.paragraphs],
        {aside.where: aside.text for aside in asides},
    )
    return PlantedFile(kind, document.name, data, document, asides)


def _asides(random: Random, kind: str, document: Planted, places: Sequence[str]) -> list[Aside]:
    marked = [piece.text for paragraph in document.paragraphs for piece in paragraph if piece.form == MARKED]
    told = [text for text in marked if len(text) > 6]
    asides = []
    for number, where in enumerate(random.sample(places, min(len(places), random.randrange(2, 6)))):
        if told:
            form = random.choice(sorted(_FORMS))
            secret = _FORMS[form](random.choice(told))
            if where in planted_parts.NAMES_ONLY:
                secret = re.sub(r"\W+", "_", secret)
            secret = _printable(Piece(secret)).text if kind == "pdf" else secret
            # A number at the end, because the same sentence may be in several places.
            before, after = ("Ask_", f"_n{number}") if where in planted_parts.NAMES_ONLY else ("Ask ", f" no {number}")
            asides.append(Aside(where, before + secret + after, len(before), len(before) + len(secret), form))
    return asides


def _printable(piece: Piece) -> Piece:
    """The piece in letters that the font of the pages has."""
    if planted_pages.has(piece.text):
        return piece
    return Piece(unicodedata.normalize("NFKC", piece.text), piece.form)


def locate(made: PlantedFile, units: Sequence[Unit]) -> tuple[Laid, list[Aside | Piece]]:
    """Where marks and secrets are in the units, and which planted secrets are in none of them."""
    laid = Laid([*units], [], [])
    lost: list[Aside | Piece] = []
    body = _Letters(unit for unit in units if not unit.hidden)
    all_letters = _Letters(units)
    for paragraph in made.planted.paragraphs:
        at = body.find(_squeezed("".join(piece.text for piece in paragraph)))
        if at < 0:
            lost += [piece for piece in paragraph if piece.form]
        else:
            _lay(laid, body, paragraph, at)
    for aside in made.asides:
        at = all_letters.find(_squeezed(aside.text), anywhere=True)
        if at < 0:
            lost.append(aside)
            continue
        start = at + len(_squeezed(aside.text[: aside.start]))
        end = start + len(_squeezed(aside.text[aside.start : aside.end]))
        for address, first, last in all_letters.places(start, end):
            laid.places.append(Place(aside.form, address, first, last, aside.where))
    return laid, lost


def _lay(laid: Laid, letters: "_Letters", paragraph: Paragraph, at: int) -> None:
    for piece in paragraph:
        end = at + len(_squeezed(piece.text))
        if piece.form:
            for address, start, last in letters.places(at, end):
                if piece.form == MARKED:
                    laid.marks.append(Mark(address, start, last))
                else:
                    laid.places.append(Place(piece.form, address, start, last))
        at = end


class _Letters:
    """All letters and digits of some units, one after the other, and the place of each."""

    def __init__(self, units: Iterator[Unit] | Sequence[Unit]) -> None:
        self._text: list[str] = []
        self._at: list[tuple[str, int]] = []
        self._next = 0
        for unit in units:
            for place, character in enumerate(unit.text):
                for letter in _squeezed(character):
                    self._text.append(letter)
                    self._at.append((unit.address, place))
        self._whole = "".join(self._text)

    def find(self, letters: str, *, anywhere: bool = False) -> int:
        """Their next place, or else the first one; -1 if there is none."""
        at = self._whole.find(letters, 0 if anywhere else self._next)
        if at < 0:
            at = self._whole.find(letters)
        elif not anywhere:
            self._next = at + len(letters)
        return at

    def places(self, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """Unit by unit, which characters of it."""
        found: dict[str, list[int]] = {}
        for address, place in self._at[start:end]:
            found.setdefault(address, []).append(place)
        for address, places in found.items():
            yield address, places[0], places[-1] + 1


def _squeezed(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())
