"""The redacted edition of an archive: a new archive of the redacted editions of its files.

Invariant: nothing is kept unchecked. A file of which there is no redacted edition is left out, and a text in the
archive says so. Names have markers for what is classified in them; times, owners and remarks are left out.
"""

import posixpath
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Final

from sieve.core.units import Mark, Unit
from sieve.formats.archive.reading import Member, ZipReading
from sieve.formats.errors import FormatError
from sieve.formats.html.reading import HtmlReading
from sieve.formats.html.redaction import rebuilt_html
from sieve.formats.mail.leaves import hides_nothing
from sieve.formats.mail.reading import MailReading
from sieve.formats.mail.redaction import rebuilt_mail
from sieve.formats.marked_units import require_gone, with_copies
from sieve.formats.office.package_writer import put
from sieve.formats.office.reading import OfficeReading
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import is_fully_known, without_metadata
from sieve.formats.reading import redact
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.rtf.redaction import rebuilt_rtf
from sieve.formats.tables.reading import TableReading
from sieve.formats.text_ranges import with_markers

_BETWEEN_WORDS: Final = str.maketrans("_-.+", "    ")
_LEFT_OUT: Final = "left out.txt"


def redact_zip(reading: ZipReading, marks: Sequence[Mark]) -> bytes:
    """A new archive with nothing that is classified; the archive itself without marks.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return rebuilt_zip(reading, marks) if marks else reading.container.whole


def rebuilt_zip(reading: ZipReading, marks: Sequence[Mark]) -> bytes:
    """`redact_zip`, but also without marks a new archive."""
    edition = _Edition(reading, marks)
    made = edition.to_bytes()
    require_gone(ZipReading(made, reading.depth).units(), edition.texts)
    return made


class _Edition:
    def __init__(self, reading: ZipReading, marks: Sequence[Mark]) -> None:
        self._reading = reading
        self._resolved = reading.resolved(marks)
        self.texts = self._resolved.marked.texts
        self._distinctive = Phrases(self.texts, distinctive=True)
        self._taken: set[str] = set()

    def to_bytes(self) -> bytes:
        out = BytesIO()
        left_out: list[str] = []
        with zipfile.ZipFile(out, "w") as archive:
            for number, member in enumerate(self._reading.members, 1):
                name = self._name(member)
                data = b"" if member.is_folder else self._data(member)
                if data is None:
                    left_out.append(f"File {number} is left out: {name}")
                elif not member.is_folder:
                    put(archive, self._free(name), data)
            if left_out:
                put(archive, self._free(_LEFT_OUT), "\n".join([*left_out, ""]).encode())
        return out.getvalue()

    def _name(self, member: Member) -> str:
        unit = Unit(f"{member.address}/name", member.entry.name, "file name")
        # In names, other signs may separate words.
        spaced = unit.text.translate(_BETWEEN_WORDS)
        withheld = [*self._resolved.marked.withheld(unit, self._distinctive), *self._distinctive.ranges(spaced)]
        return with_markers(unit.text, withheld)

    def _free(self, name: str) -> str:
        """The name, with a number if another file has it."""
        root, ending = posixpath.splitext(name)
        number, free = 1, name
        while free.casefold() in self._taken:
            number += 1
            free = f"{root} ({number}){ending}"
        self._taken.add(free.casefold())
        return free

    def _data(self, member: Member) -> bytes | None:
        """The redacted edition of a file; None if there is none."""
        if member.address in self._resolved.whole:
            return None
        data = self._reading.container.read(member.entry.name)
        if member.inside is None:
            picture = without_metadata(data)
            return picture if picture and is_fully_known(picture, self._distinctive.in_text) else None
        marks = [*self._marks(member)]
        if not marks and hides_nothing(member.inside, member.entry.name):
            return data
        try:
            match member.inside:
                case ZipReading():
                    return rebuilt_zip(member.inside, marks)
                case MailReading():
                    return rebuilt_mail(member.inside, marks)
                case HtmlReading():
                    return rebuilt_html(member.inside, marks)
                case RtfReading():
                    return rebuilt_rtf(member.inside, marks)
                case OfficeReading():
                    # Its edition leaves out what was not read only if something is marked.
                    listing = next(part for part in member.inside.parts if member.inside.is_directory(part))
                    return redact(member.inside, marks or [Mark(listing)])
            # Texts may have escapes or folded lines.
            is_read = member.inside.name == "pdf" or isinstance(member.inside, TableReading)
            return redact(member.inside, marks) if marks or is_read else None
        except FormatError:
            return None

    def _marks(self, member: Member) -> Iterator[Mark]:
        """The marks in a file, and copies of marked texts that are distinctive."""
        units = member.inside.units() if member.inside is not None else ()
        yield from with_copies(units, self._resolved.given[member.address], self._distinctive)
