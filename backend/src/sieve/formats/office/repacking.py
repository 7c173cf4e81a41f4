"""Writes a package again with some parts changed."""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from sieve.formats.zip.container import ZipContainer

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


def repacked(container: ZipContainer, changed: Mapping[str, bytes]) -> bytes:
    """The archive with the contents in `changed`, by name; all other entries have the same content."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in container.entries:
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, changed[name] if name in changed else container.read(name))
    return out.getvalue()
