"""The tokens of RTF with their positions: text, escaped bytes, control words and symbols, and the ends of groups.

Invariant: tokens touch and cover the whole source, whatever it contains, in linear time.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from sieve.formats.errors import Damaged, TooLarge

MAX_TOKENS: Final = 4_000_000
MAX_DEPTH: Final = 250
"""Groups in groups. Word writes a few dozen at most."""
_LONGEST_NUMBER: Final = 10


class Kind(Enum):
    """What a token is."""

    TEXT = auto()
    """Bytes that stand for themselves."""
    BREAK = auto()
    """Line ends and zeros, which readers ignore."""
    BYTE = auto()
    """A byte of text in hexadecimal; `number` is its value."""
    WORD = auto()
    """A control word; `name` without the backslash."""
    SYMBOL = auto()
    """A backslash and one byte, which is `name`."""
    OPEN = auto()
    CLOSE = auto()
    BINARY = auto()
    """The bytes after a control word `bin`."""


class Token(NamedTuple):
    """Bytes `start` to `end` of the source. `number`: the number after a control word; None if there is none."""

    kind: Kind
    start: int
    end: int
    name: str = ""
    number: int | None = None


_TOKEN: Final = re.compile(
    rb"""(?P<text>[^\\{}\r\n\0]++)
    |(?P<break>[\r\n\0]++)
    |\\(?P<word>[A-Za-z]{1,32}+)(?P<number>-?[0-9]++)?\ ?
    |\\'(?P<byte>[0-9A-Fa-f]{2})
    |\\(?P<symbol>(?:\r\n|.)?)
    |(?P<open>\{)
    |\}""",
    re.VERBOSE | re.DOTALL,
)
_KINDS: Final = {
    "text": Kind.TEXT,
    "break": Kind.BREAK,
    "byte": Kind.BYTE,
    "symbol": Kind.SYMBOL,
    "open": Kind.OPEN,
    None: Kind.CLOSE,
}


def tokens(source: bytes) -> Iterator[Token]:
    """The tokens of a document.

    Raises:
        TooLarge: it has more than `MAX_TOKENS` tokens, or more than `MAX_DEPTH` groups in each other.
        Damaged: it ends within binary data.
    """
    at = count = depth = 0
    while found := _TOKEN.match(source, at):
        start, at = at, found.end()
        count += 1
        if count > MAX_TOKENS:
            raise TooLarge(f"the document has more than {MAX_TOKENS:,} words and commands; classify the whole file")
        if found["word"]:
            name, number = found["word"].decode(), _number(found["number"])
            yield Token(Kind.WORD, start, at, name, number)
            if name == "bin" and number is not None and number > 0:
                if number > len(source) - at:
                    raise Damaged("the file ends within binary data; save it again, or classify the whole file")
                yield Token(Kind.BINARY, at, at + number)
                at += number
            continue
        kind = _KINDS[found.lastgroup]
        if kind is Kind.OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(f"the document has more than {MAX_DEPTH} groups in each other; classify the whole file")
        elif kind is Kind.CLOSE:
            depth = max(depth - 1, 0)
        if kind is Kind.BYTE:
            yield Token(kind, start, at, "", int(found["byte"], 16))
        elif kind is Kind.SYMBOL:
            yield Token(kind, start, at, found["symbol"].decode("latin-1"))
        else:
            yield Token(kind, start, at)


def _number(digits: bytes | None) -> int | None:
    """The number of a control word; 0 for one that no program writes."""
    if digits is None:
        return None
    return int(digits) if len(digits) <= _LONGEST_NUMBER else 0
