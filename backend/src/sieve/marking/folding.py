"""Folds text for comparison, and maps ranges of the folded text back to the original.

Invariant: two texts that differ only in case, in the amount or kind of white space, or in invisible characters fold to
the same text. A folded range maps back to whole characters, even if a character folds to several (`ß` to `ss`, `ﬁ` to
`fi`). The Turkish dotted `İ` and dotless `ı` fold to `i`, so that a list typed on another keyboard finds them.

Most characters fold to one character each. Only the others are recorded, in 9 bytes.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import Final

from sieve.core.unseen import UNSEEN, UNSEEN_CHARACTERS
from sieve.marking.ranges import Range

_OTHER_WHITE_SPACE: Final = [c for c in map(chr, range(0x3001)) if c.isspace() and c != " "]
_UNSEEN: Final = re.compile(f"[{UNSEEN}]")
_UNSEEN_IN_ASCII: Final = bytes(ord(character) for character in sorted(UNSEEN_CHARACTERS) if character.isascii())


class Folded:
    """`text` is the folded text; `origins` maps ranges back."""

    def __init__(self, text: str, *, case: bool = False) -> None:
        """Folds `text`; with `case`, capitals are kept."""
        for character in _OTHER_WHITE_SPACE:
            text = text.replace(character, " ")
        if not case:
            text = text.replace("İ", "I").replace("ı", "i")
        whole = text if case else text.casefold()
        # Every character folds to at least one, so equal lengths mean that each folded to exactly one.
        longer = [] if len(whole) == len(text) else [c for c in set(text) if len(c.casefold()) > 1]
        changes = [f"[{''.join(longer)}]"] if longer else []
        if _has_unseen(text):
            changes += [f"[ {UNSEEN}]{{2,}}", f"[{UNSEEN}]"]
        elif "  " in text:
            changes += ["   *"]  # As " {2,}", but a search for two spaces passes by single ones.
        self._folded_ends, self._ends, self._widths = array("Q"), array("Q"), array("B")
        self.text = whole if not changes else self._rewritten(text, re.compile(f"({'|'.join(changes)})"), case=case)

    def _rewritten(self, text: str, changes: re.Pattern[str], *, case: bool) -> str:
        # Unchanged and changed pieces alternate. Each step is one call for all of them, since every line has a change.
        pieces = changes.split(text)
        changed = pieces[1::2]
        to = {change: _fold_change(change, case=case) for change in set(changed)}
        self._ends.extend(islice(accumulate(map(len, pieces)), 1, None, 2))
        pieces[1::2] = map(to.__getitem__, changed)
        self._folded_ends.extend(islice(accumulate(map(len, pieces)), 1, None, 2))
        self._widths.extend(map(len, pieces[1::2]))
        folded = "".join(pieces)
        return folded if case else folded.casefold()

    @property
    def is_in_place(self) -> bool:
        """Whether each character folded to one character, so that ranges are the same in both texts."""
        return not self._ends

    def origins(self, ranges: Iterable[Range]) -> Iterator[Range]:
        """The characters that folded to each of `ranges`, which must be in order."""
        if self.is_in_place:
            yield from ranges
            return
        # Without a change since the previous range a sum is enough; a lookup takes ten times as long.
        since, until, shift = 0, 0, 0
        for start, end in ranges:
            if start < since or end > until:
                since, until, shift = self._unchanged_around(start)
            if end <= until:
                yield start + shift, end + shift
            else:
                yield self._character(start)[0], self._character(end - 1)[1]

    def _unchanged_around(self, position: int) -> tuple[int, int, int]:
        """The range of the folded text around `position` in which characters are only shifted, and by how much."""
        change = bisect_right(self._folded_ends, position)
        since, end = (self._folded_ends[change - 1], self._ends[change - 1]) if change else (0, 0)
        if change == len(self._ends):
            return since, len(self.text), end - since
        return since, self._folded_ends[change] - self._widths[change], end - since

    def _character(self, position: int) -> Range:
        """Start and end of the characters that folded to the one at `position`."""
        _, until, shift = self._unchanged_around(position)
        if position < until:
            return position + shift, position + shift + 1
        return until + shift, self._ends[bisect_right(self._folded_ends, position)]


def _has_unseen(text: str) -> bool:
    if text.isascii():  # ten times as fast as the search
        return len(text.encode().translate(None, _UNSEEN_IN_ASCII)) < len(text)
    return _UNSEEN.search(text) is not None


def _fold_change(change: str, *, case: bool) -> str:
    if " " in change:
        return " "
    if change[0] in UNSEEN_CHARACTERS:
        return ""
    return change if case else change.casefold()
