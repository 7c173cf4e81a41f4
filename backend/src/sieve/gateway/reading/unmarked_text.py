"""The unmarked text of a file, which an earlier transfer of the same bytes may have sent plain."""

from collections.abc import Iterable, Sequence

from sieve.core.units import Mark, Unit
from sieve.marking.leaks.joined_text import JoinedText, RangeSet


def unmarked_text(units: Sequence[Unit], marks: Iterable[Mark]) -> str:
    """The text that no mark covers, with a line end in place of each marked part.

    Some formats classify more than the marks, so a search in this text may find too much, but never too little.
    """
    joined = JoinedText(units)
    covered = RangeSet(joined.ranges(marks))
    return "\n".join(joined.text[start:end] for start, end in covered.gaps(0, len(joined.text)))
