"""What marks leave unmarked, as text: what an earlier transfer of the same file may have carried plain."""

from collections.abc import Iterable, Sequence

from sieve.core.units import Mark, Unit
from sieve.marking.leaks.joined_text import JoinedText, RangeSet


def unmarked(units: Sequence[Unit], marks: Iterable[Mark]) -> str:
    """The text that no mark covers, with line ends for what lies between.

    More of it may have travelled classified, where a format takes along more than is marked: so who looks in this may
    find too much, and never too little.
    """
    joined = JoinedText(units)
    covered = RangeSet(joined.ranges(marks))
    return "\n".join(joined.text[start:end] for start, end in covered.gaps(0, len(joined.text)))
