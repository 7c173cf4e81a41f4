"""Writes a new package: parts, their types and relationships, in a zip archive that shows no time and no machine.

The names of parts are our own, so nothing in them needs escaping.
"""

import posixpath
import zipfile
from io import BytesIO
from typing import Final

from lxml import etree

from sieve.formats.office.xml_source import serialise

_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONSHIPS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OFFICE_STRICT: Final = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_DEFAULT: Final = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


class PackageWriter:
    """Takes parts in any order."""

    def __init__(self, relationship_space: str = OFFICE) -> None:
        self._space = relationship_space
        self._parts: dict[str, tuple[str, bytes]] = {}
        self._relationships: dict[str, list[tuple[str, str]]] = {}

    def add(self, part: str, content_type: str, data: bytes | etree._Element) -> None:
        """A part; a tree is written as XML."""
        self._parts[part] = content_type, data if isinstance(data, bytes) else serialise(data)

    def relate(self, source: str, kind: str, part: str) -> str:
        """The id by which `source`, the package itself for an empty name, refers to `part`; one for each of them."""
        related = self._relationships.setdefault(source, [])
        if (kind, part) not in related:
            related.append((kind, part))
        return f"rId{related.index((kind, part)) + 1}"

    def to_bytes(self) -> bytes:
        """The file."""
        overrides = "".join(
            f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, (kind, _) in self._parts.items()
        )
        types = f'{_XML}<Types xmlns="{_TYPES}">{_DEFAULT}{overrides}</Types>'
        out = BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            put(archive, "[Content_Types].xml", types.encode())
            for source, related in self._relationships.items():
                folder, name = posixpath.split(source)
                put(archive, posixpath.join(folder, "_rels", f"{name}.rels"), self._written(related))
            for part, (_, data) in self._parts.items():
                put(archive, part, data)
        return out.getvalue()

    def _written(self, related: list[tuple[str, str]]) -> bytes:
        written = "".join(
            f'<Relationship Id="rId{number}" Type="{self._space}/{kind}" Target="/{part}"/>'
            for number, (kind, part) in enumerate(related, 1)
        )
        return f'{_XML}<Relationships xmlns="{_RELATIONSHIPS}">{written}</Relationships>'.encode()


def put(archive: zipfile.ZipFile, name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> None:
    """Adds an entry that shows no time and no machine."""
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type = method
    info.create_system = 0
    archive.writestr(info, data)
