"""Texts in other encodings than UTF-8: says which one was found, and converts on request."""

import codecs
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Final

import typer

from sieve.formats.errors import Unsupported

_HEAD: Final = 64 * 1024
"""Bytes from which the encoding of a text in pieces is guessed."""


class Encoding(StrEnum):
    """What a text can be converted from."""

    latin_1 = "latin-1"
    utf_16 = "utf-16"


EncodingOption = Annotated[
    Encoding | None,
    typer.Option("--encoding", help="Convert a text from this encoding to UTF-8. Latin-1 includes Windows-1252."),
]


def found_encoding(data: bytes) -> Encoding | None:
    """The encoding of a text that is not UTF-8, or of a part of one; None if it is no such text."""
    # Imported here, so that other commands start faster.
    from sieve.formats.text.encoding import encoding_of

    found = encoding_of(data) or ""
    if found.startswith("utf-16"):
        return Encoding.utf_16
    return Encoding.latin_1 if found == "cp1252" else None


def how_to_convert(found: Encoding) -> str:
    """What to do about a text in this encoding."""
    name = "Latin-1" if found is Encoding.latin_1 else "UTF-16"
    return f"this text seems to be in {name}; convert it with --encoding {found.value}, or save it as UTF-8"


def converted(data: bytes, encoding: Encoding | None) -> bytes:
    """`data` in UTF-8, without a byte order mark; unchanged if there is no encoding.

    Raises:
        Unsupported: it is not in that encoding.
    """
    if encoding is None:
        return data
    from sieve.formats.text.encoding import encoding_of

    found = encoding_of(data) or ""
    if encoding is Encoding.utf_16:
        codec = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else found
        fits = found.startswith("utf-16")
    else:
        # Wrong letters would replace those of a text that is in UTF-8 already.
        codec, fits = "cp1252", data.isascii() or found == "cp1252"
    try:
        if fits:
            return data.decode(codec).encode()
    except UnicodeError:
        pass
    raise Unsupported(f"this is not a text in {encoding.value}; leave out --encoding, or name another one")


def checked_utf_8(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same pieces of a text.

    Raises:
        Unsupported: it is in another encoding, which the message names.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    head = last = b""
    for piece in pieces:
        head += piece[: _HEAD - len(head)]
        try:
            decoder.decode(piece)
        except UnicodeDecodeError as error:
            _refuse_known_encoding(head, error.object[max(0, error.start - _HEAD // 2) :])
            # The gateway names the line and the column.
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
        last = piece
        yield piece
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        _refuse_known_encoding(head, last[-_HEAD:])


def _refuse_known_encoding(head: bytes, around: bytes) -> None:
    """`head`: the text's first bytes. `around`: those around the first one that is not UTF-8."""
    if (found := found_encoding(head if b"\0" in head else around)) is not None:
        raise Unsupported(how_to_convert(found))
