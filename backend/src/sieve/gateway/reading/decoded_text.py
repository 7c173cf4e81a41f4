"""A text that a mail program, a browser or a word processor would decode, for the leak check: the text itself, and what
it decodes to.

Marks are on the text, at "text". Nobody can tell which of the decoded words they cover, so a decoded unit counts as
unmarked, unless its lines are also in the text as they are: there they are checked with their marks.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sieve.core.units import Unit
from sieve.formats.html.reading import HtmlReading
from sieve.formats.mail.reading import MailReading
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.text.reading import TextReading

_ENDS: Final = re.compile(r"[<>\r\n]")


class DecodedText(TextReading):
    """A text and its decoded content, at addresses below "decoded"."""

    def __init__(self, text: bytes, source: bytes, kind: str) -> None:
        """`text`: in UTF-8. `source`: the bytes of the file, of which it is the text. `kind`: "eml", "html" or "rtf".

        Raises:
            FormatError: it cannot be read as that.
        """
        super().__init__(text)
        inside: MailReading | HtmlReading | RtfReading
        match kind:
            case "eml":
                inside = MailReading(source)
            case "rtf":
                inside = RtfReading(source)
            case _:
                inside = HtmlReading(text, "utf-8")
        self._inside = [replace(unit, address=f"decoded/{unit.address}") for unit in inside.units()]

    def units(self) -> Iterator[Unit]:
        """The text, then what is only in its decoded form."""
        [text] = super().units()
        yield text
        as_they_are = {""}
        for piece in _ENDS.split(text.text):
            as_they_are.update((piece.strip(), piece.partition(":")[2].strip()))
        for unit in self._inside:
            if not unit.text or not {line.strip() for line in unit.text.splitlines()} <= as_they_are:
                yield unit
