"""An OpenDocument text with the marked text highlighted, except in formulas and drawings, which have no text style."""

from collections.abc import Sequence

from sieve.core.units import Mark
from sieve.formats.odt.reading import OdtReading
from sieve.formats.office.repacking import with_highlights
from sieve.formats.opendocument.highlighting import highlight_story


def highlight_odt(reading: OdtReading, marks: Sequence[Mark]) -> bytes:
    """The document with a background behind all marked text of its stories.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    return with_highlights(
        reading,
        marks,
        reading.stories,
        lambda part, root, marked: highlight_story(part, root, marked.ranges, reading.hiding),
    )
