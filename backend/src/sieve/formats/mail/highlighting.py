"""A mail with the marked text highlighted: `mark` elements in pages, tags such as `<$S>` in texts, and attachments
highlighted by their own formats. Attachments without such a file stay as they are, and so does the header.
"""

from collections.abc import Sequence
from typing import Final

from sieve.core.units import Mark
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import Unsupported
from sieve.formats.mail.leaves import Leaf, PlainText
from sieve.formats.mail.reading import MailReading
from sieve.formats.mail.transfer import encoded
from sieve.formats.marked_units import marked_units
from sieve.formats.reading import highlight

_CRLF: Final = b"\r\n"


def highlight_mail(reading: MailReading, marks: Sequence[Mark]) -> bytes:
    """The mail with highlights.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    given = reading.resolved(marks).given
    line_end = _CRLF if _CRLF in reading.data else b"\n"
    pieces: list[bytes] = []
    at = 0
    for leaf in reading.leaves:
        made = _highlighted(leaf, given[leaf.address])
        if made is not None:
            body = encoded(made, leaf.part.transfer_encoding, line_end, is_text=leaf.is_body)
            pieces += [reading.data[at : leaf.part.start], body]
            at = leaf.part.end
    return b"".join([*pieces, reading.data[at:]])


def _highlighted(leaf: Leaf, marks: Sequence[Mark]) -> bytes | None:
    """The contents of a leaf with these marks; None if they cannot be highlighted."""
    inside = leaf.inside
    if not marks or leaf.body is None or inside is None or isinstance(inside, BytesReading):
        return None
    if isinstance(inside, PlainText):
        if not leaf.is_read_as_shown:
            return None  # a calendar, for example, in which tags would be wrong
        return inside.with_tags(marked_units(inside.units(), marks).ranges)
    try:
        return highlight(inside, marks)
    except Unsupported:
        return None
