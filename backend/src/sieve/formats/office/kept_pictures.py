"""The pictures that the redacted edition of an office document keeps."""

from collections.abc import Iterable, Mapping
from typing import Final

from sieve.formats.office.xml_scrubber import XmlScrubber
from sieve.formats.pictures.metadata import is_fully_known, without_metadata
from sieve.formats.zip.container import ZipContainer

_PNG: Final = b"\x89"


class KeptPictures:
    """Pictures of which every byte is known and no text is marked, without their metadata.

    An edition names each of them in `folder`, in the order in which it uses them.
    """

    def __init__(self, container: ZipContainer, parts: Iterable[str], scrubber: XmlScrubber, folder: str) -> None:
        self._folder = folder
        self._data: dict[str, bytes] = {}
        self._names: dict[str, str] = {}
        for part in parts:
            data = without_metadata(container.read(part))
            if data is not None and is_fully_known(data, scrubber.distinctive.in_text):
                self._data[part] = data

    def __contains__(self, part: str) -> bool:
        """Whether the edition may keep this part."""
        return part in self._data

    def name(self, part: str) -> str:
        """The name of a kept picture in the edition, which must contain it from now on."""
        if part not in self._names:
            ending = "png" if self._data[part].startswith(_PNG) else "jpeg"
            self._names[part] = f"{self._folder}/image{len(self._names) + 1}.{ending}"
        return self._names[part]

    @property
    def named(self) -> Mapping[str, tuple[str, bytes]]:
        """By name, the media type and the bytes of each picture that has one."""
        return {
            name: ("image/png" if name.endswith("png") else "image/jpeg", self._data[part])
            for part, name in self._names.items()
        }
