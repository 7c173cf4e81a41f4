"""The redacted edition of an OpenDocument text: what a reader sees, with markers for what is classified."""

from collections.abc import Sequence

from sieve.core.units import Mark
from sieve.formats.odt.reading import OdtReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.xml_scrubber import redacted
from sieve.formats.opendocument.edition import Stories


def redact_odt(reading: OdtReading, marks: Sequence[Mark]) -> bytes:
    """A new document with what a reader sees and nothing that is classified.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """

    def rebuild(marked: ResolvedMarks) -> bytes:
        stories = Stories(reading, marked)
        return stories.to_bytes({part: stories.redacted(part) for part in reading.stories})

    return redacted(reading, marks, rebuild)
