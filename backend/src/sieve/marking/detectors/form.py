"""The parts that detectors are made of: forms, which find candidates, and helpers for their checks.

No pattern has `\\b`, which RE2 knows for ASCII only: the checks look at the adjacent characters. None matches a NUL
except at its start, since NULs separate the units that are searched together (`apply_policy`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from sieve.marking.ranges import Range

Check = Callable[[str, int, int], Iterator[Range]]
"""Yields the parts that count of the candidate from `start` to `end` of a text."""


class Form(NamedTuple):
    """A pattern for candidates, its group that counts, and the check that they must pass. `across`: what it finds may
    go on in the next units, as lines of a key in paragraphs of their own do; a candidate is in one unit. `wordless`: it
    has digits and what is between them, but no word before a value.
    """

    pattern: str
    check: Check
    group: int = 0
    case: bool = False
    across: bool = False
    wordless: bool = False


class DetectorRow(NamedTuple):
    """A detector: what people call it, a hint, a text in which it finds something, and the forms that it finds."""

    label: str
    hint: str
    example: str
    forms: Sequence[Form]


GAP: Final = r"(?:\r\n|[\s\-\x{2010}-\x{2012}])"
WORD_START: Final = r"(?:^|[^\p{L}\p{N}])"
GROUP: Final = re.compile(r"\d+")


def is_between(text: str, start: int, end: int, more: str = "") -> bool:
    """Whether no letter, digit or character of `more` is next to it.

    Chinese and Japanese letters are no obstacle: these scripts have no spaces between words.
    """
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (_joins(before) or _joins(after) or (before and before in more) or (after and after in more))


def is_unspaced(character: str) -> bool:
    """Whether it is a letter of a script without spaces between words: Han, Hiragana or Katakana."""
    return "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff"


def _joins(character: str) -> bool:
    return character.isalnum() and not is_unspaced(character)


def alone(text: str, start: int, end: int) -> Iterator[Range]:
    """The check of what counts by its form."""
    if is_between(text, start, end):
        yield start, end


def digits_of(text: str) -> str:
    """Its digits of any script, as ASCII."""
    return "".join(str(unicodedata.decimal(character)) for character in text if character.isdecimal())


def grouped(
    text: str, start: int, end: int, *, shapes: Sequence[tuple[int, ...]], valid: Callable[[str], bool]
) -> Iterator[Range]:
    """Consecutive groups of digits that have one of the `shapes` and are `valid` together."""
    groups = [group.span() for group in GROUP.finditer(text, start, end) if is_between(text, *group.span())]
    lengths = [last - first for first, last in groups]
    index = 0
    while index < len(groups):
        for shape in shapes:
            after = index + len(shape)
            if tuple(lengths[index:after]) != shape:
                continue
            first, last = groups[index][0], groups[after - 1][1]
            if valid(digits_of(text[first:last])) and not _is_in_decimal(text, first, last):
                yield first, last
                index = after - 1
                break
        index += 1


def _is_in_decimal(text: str, start: int, end: int) -> bool:
    """Whether a point joins it to another digit, as in 0.4111111111111111 and 1.046.454.286."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (before[1:] == "." and before[0].isdigit()) or (after[:1] == "." and after[1:].isdigit())


def after_label(
    text: str, start: int, end: int, *, follows: re.Pattern[str], valid: Callable[[str], bool]
) -> Iterator[Range]:
    """Group 1 of what `follows` a label, if it is `valid`."""
    found = follows.match(text, end)
    if found and is_between(text, *found.span(1)) and valid(found[1]):
        yield found.span(1)
