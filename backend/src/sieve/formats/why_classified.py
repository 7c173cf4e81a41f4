"""Why bytes of a file travel classified beside what is marked: what keeps its author from sending more of it plain.

Invariant: only authors see this, of their own drafts. Sizes and names of what is classified say much of what is marked.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from sieve.core.sentence import Sentence
from sieve.core.units import Mark

MOST: Final = 6
"""Kinds of content that are listed."""
MARKED_PARAGRAPHS: Final = Sentence("why-marked-paragraphs", "Paragraphs with a mark, or that repeat a marked text")
_MOST_NAMED: Final = 3


class Classified(NamedTuple):
    """Classified content of one kind. `why`: a noun phrase for people; `size`: its bytes in the file; `largest`: names
    of its largest parts, such as fonts, or addresses such as "page/3".
    """

    why: Sentence
    size: int
    largest: tuple[str, ...]


@runtime_checkable
class _Explains(Protocol):
    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]: ...


def why_classified(reading: object, marks: Sequence[Mark]) -> list[Classified]:
    """What of a file travels classified with these marks, by kind, largest first. Empty without a mark, and for the
    formats whose readers do not explain it.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    return reading.why_classified(marks) if marks and isinstance(reading, _Explains) else []


class Tally:
    """Adds up what is classified."""

    def __init__(self) -> None:
        self._sizes: Counter[Sentence] = Counter()
        self._named: dict[Sentence, Counter[str]] = {}

    def add(self, why: Sentence, size: int, name: str = "") -> None:
        """Counts `size` bytes of a kind. `name`: of the part that has them, if any. Empty ones are not listed."""
        if size <= 0:
            return
        self._sizes[why] += size
        if name:
            self._named.setdefault(why, Counter())[name] += size

    def ranked(self, classified: int, rest: Sentence) -> list[Classified]:
        """The kinds, largest first. `rest`: what those of all `classified` bytes are that were not counted."""
        self.add(rest, classified - self._sizes.total())
        return [
            Classified(why, size, tuple(name for name, _ in self._named.get(why, Counter()).most_common(_MOST_NAMED)))
            for why, size in self._sizes.most_common(MOST)
        ]
