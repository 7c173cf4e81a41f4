"""Writes a package again with some parts changed."""

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.office.reading import OfficeReading, ResolvedMarks
from sieve.formats.office.xml_source import serialise
from sieve.formats.zip.container import ZipContainer

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


def with_highlights(
    reading: OfficeReading,
    marks: Sequence[Mark],
    stories: Iterable[str],
    highlight: Callable[[str, etree._Element, ResolvedMarks], bool],
) -> bytes:
    """The package with highlights in its stories. `highlight`: changes the tree of a part, and returns whether it did.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    marked = reading.marked(marks)
    changed: dict[str, bytes] = {}
    for part in stories:
        root = reading.tree(part)
        if highlight(part, root, marked):
            changed[part] = serialise(root)
    return repacked(reading.container, changed)


def repacked(container: ZipContainer, changed: Mapping[str, bytes]) -> bytes:
    """The archive with the contents in `changed`, by name; all other entries have the same content. What is not
    compressed stays so: programs look for the media type of OpenDocument at a fixed place."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, entry in container.entries.items():
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = entry.method
            archive.writestr(info, changed[name] if name in changed else container.read(name))
    return out.getvalue()
