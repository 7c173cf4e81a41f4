"""Characters that readers do not see, so that a text with them says the same as without."""

from itertools import chain
from typing import Final

UNSEEN: Final = (
    # Controls that are no white space. NUL is not here: it separates units that are searched together.
    "\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    # What Unicode says that programs may leave out (`Default_Ignorable_Code_Point`).
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # Annotations between lines, and the character that takes the place of damaged ones.
    "\ufff9-\ufffb\ufffd"
)
"""Between the brackets of a regular expression of Python."""


def _characters() -> frozenset[str]:
    found: list[range] = []
    pieces = iter(UNSEEN)
    for piece in pieces:
        if piece == "-":
            found[-1] = range(found[-1].start, ord(next(pieces)) + 1)
        else:
            found.append(range(ord(piece), ord(piece) + 1))
    return frozenset(map(chr, chain.from_iterable(found)))


UNSEEN_CHARACTERS: Final = _characters()
"""The same, one by one."""
