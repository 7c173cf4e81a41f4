"""Escapes tags that an author wrote as text, by one more `$` than real tags have.

Invariant for each segment by itself: text that matches `<$…$S>` or `<$…$E>`, with one `$` or more, gains a `$` when
printed; with two or more it loses one when parsed. So a tag with a single `$` is always a real one, and escaping is a
bijection between texts and texts without real tags. A literal tag that the edge of a span cuts matches in neither
segment and stays unchanged.

A segment comes in pieces that may cut a tag anywhere, and a tag may have any number of `$`. Still only a few bytes are
held back: all `$` are alike, so all but the last can be returned before it is known whether the tag ends correctly.
"""

import re
from typing import Final

# The possessive quantifier keeps a long run of `$` linear.
_LITERAL: Final = re.compile(rb"<(\$++[SE]>)")
_ESCAPED: Final = re.compile(rb"<\$(\$++[SE]>)")
_UNFINISHED: Final = re.compile(rb"<(?:(\$++)([SE]?))?")
_OUT_ALREADY: Final = 2


class _Rewriter:
    """Replaces `pattern`, a tag with at least `least` `$`, in consecutive segments."""

    def __init__(self, pattern: re.Pattern[bytes], replacement: bytes, least: int) -> None:
        self._pattern = pattern
        self._replacement = replacement
        self._least = least
        # The unfinished tag at the end of the input, with at most `least` `$`; and how many bytes of it were returned.
        self._held = b""
        self._out = 0

    @property
    def holds(self) -> bool:
        """Whether some input is held back."""
        return bool(self._held)

    def feed(self, piece: bytes) -> bytes:
        """The next bytes of the segment, rewritten, as far as they are certain."""
        if not self._held and b"<" not in piece:
            return piece
        text = self._held + piece
        cut = text.rfind(b"<")
        unfinished = _UNFINISHED.fullmatch(text, cut) if cut >= 0 else None
        if unfinished is None:
            return self._leave(self._pattern.sub(self._replacement, text), b"", 0)
        ready = self._pattern.sub(self._replacement, text[:cut])
        dollars, letter = len(unfinished[1] or b""), unfinished[2] or b""
        if dollars < self._least:
            return self._leave(ready, text[cut:], 0)
        certain = text[cut : cut + _OUT_ALREADY + dollars - self._least]
        return self._leave(ready + certain, b"<" + b"$" * self._least + letter, _OUT_ALREADY)

    def finish(self, piece: bytes = b"") -> bytes:
        """The last bytes of the segment, rewritten. Later input belongs to another segment."""
        # Finding one byte is many times faster than finding two.
        if not self._held and b"<" not in piece:
            return piece
        return self._leave(self._pattern.sub(self._replacement, self._held + piece), b"", 0)

    def _leave(self, text: bytes, held: bytes, out: int) -> bytes:
        # Rewritten or not, a tag of which bytes were returned begins with them: `<$`.
        text = text[self._out :]
        self._held, self._out = held, out
        return text


class Escaper(_Rewriter):
    """From an author's text to marked text."""

    def __init__(self) -> None:
        super().__init__(_LITERAL, rb"<$\1", least=1)


class Unescaper(_Rewriter):
    """From marked text, without its real tags, to the author's text."""

    def __init__(self) -> None:
        super().__init__(_ESCAPED, rb"<\1", least=2)
