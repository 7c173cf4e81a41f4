r"""Regular expressions by RE2, which never backtracks: one search takes time proportional to the text.

RE2 has no Unicode in `\w`, `\d`, `\s` and `\b`, and would miss `\bÖzil\b` silently. So classes are expanded: `\w` is a
letter, mark or digit of any script or an underscore, `\d` a digit of any script, `\s` any white space; the negated ones
in brackets, `\W`, `\D` and `\S`, stay as in RE2. `\b` cannot be expanded in RE2. Next to ASCII it is RE2's own. If a
match contains or touches other characters, the pattern is tried a second time with Unicode `\b` at its ends and without
any other `\b`, and both results count: rather a hit too many.

Finding all matches can take longer than one search: a pattern that looks far ahead in vain each time, `a(.*b)?` with
`s` set, takes quadratic time. So exact searches have a budget. After that, a match is taken to end within 4 KiB, and
the rest of the text is searched only if there is none.

Whole words are matches that stand alone, and matches between two places where words end; both count.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import merge
from operator import itemgetter
from typing import Any, Final, NamedTuple

import re2

from sieve.marking.errors import PolicyError
from sieve.marking.ranges import Range, Ranges
from sieve.marking.words import stands_alone

MAX_PATTERN_CHARACTERS: Final = 10_000

_IN_WORD: Final = r"\p{L}\p{M}\p{N}"
_WORD: Final = _IN_WORD + "_"
_SPACE: Final = r"\s\p{Z}\x0b\x{85}"
_CLASSES: Final = {
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\d": r"\p{Nd}",
    r"\D": r"\P{Nd}",
    r"\s": f"[{_SPACE}]",
    r"\S": f"[^{_SPACE}]",
}
_CLASSES_IN_BRACKETS: Final = {r"\w": _WORD, r"\d": r"\p{Nd}", r"\s": _SPACE}
_BOUNDARIES: Final = (r"\b", r"\B")
# A quotation, an escape, brackets with all in them, or a character.
_PIECE: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|.", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)
_FLAGS: Final = re.compile(r"(?:\(\?[a-zA-Z-]+\))*")
# How often a text may be read to its end for the sake of single matches, before only near ones are looked for.
FULL_SEARCHES: Final = 256
NEAR_BYTES: Final = 4096
_END: Final = itemgetter(1)


class _Search(NamedTuple):
    """A compiled pattern, and the group of it that counts."""

    pattern: Any
    group: int = 0

    def matches(self, data: bytes) -> Iterator[Range]:
        """The ranges of `data` that it matches, in order."""
        place, may_read = 0, FULL_SEARCHES * len(data)
        while place < len(data):
            match = None
            if may_read < 0:
                match = self.pattern.search(data, place, place + NEAR_BYTES)
                if match and match.end() == place + NEAR_BYTES:
                    match = None  # RE2 took this for the end of the text.
            if match is None:
                may_read -= len(data) - place
                match = self.pattern.search(data, place)
                if match is None:
                    return
            start, end = match.span(self.group)
            yield start, end
            place = end if end > place else place + 1


class Pattern:
    """Finds what one regular expression matches."""

    def __init__(self, pattern: str, *, case: bool = False, whole_word: bool = False, group: int = 0) -> None:
        """`group` is the part of a match that counts, in a pattern without `\b`.

        Raises:
            PolicyError: RE2 cannot read it, or it matches the empty text.
        """
        if len(pattern) > MAX_PATTERN_CHARACTERS:
            raise PolicyError(f"its pattern has more than {MAX_PATTERN_CHARACTERS:,} characters; make several rules")
        _compiled(pattern, case)  # Unchanged, so that errors refer to what was written.
        pieces = [_written_out(piece) for piece in _PIECE.findall(pattern)]
        if pieces and pieces[-1].startswith(r"\Q") and not pieces[-1].endswith(r"\E"):
            pieces[-1] += r"\E"  # Something may follow it.
        self._alone: list[_Search] = []
        self._longest: list[_Search] = []
        if whole_word:
            self._alone, self._longest = _alone(pieces, case)
        self._exact = _Search(_compiled("".join(pieces), case), group)
        self._loose = _loose(pieces, case) if set(_BOUNDARIES) & {*pieces} else None
        if any(
            match.start() == match.end() for match in map(self._exact.pattern.search, ("", "a", " a ", "1")) if match
        ):
            raise PolicyError("its pattern matches the empty text; make it ask for one character at least")

    def find(self, text: str, data: bytes | None = None) -> Ranges:
        """The ranges of `text` that match. `data`: `encoded(text)`, if it is known already."""
        data = encoded(text) if data is None else data
        places = self._exact.matches(data)
        if self._loose and not data.isascii():
            more = (place for place in self._loose.matches(data) if _is_beside_other_than_ascii(data, *place))
            places = merge(places, more, key=_END)
        found = _characters(data, text, places)
        if self._alone:
            ways = (found, *(_characters(data, text, way.matches(data)) for way in self._alone))
            found = Ranges(merge(*(_standing_alone(text, way) for way in ways), key=_END))
        for search in self._longest:
            # Only where there is no other match: "(a) and (b)" is the longest of `\(.*?\)`, but not meant.
            longer = _standing_alone(text, _characters(data, text, search.matches(data)))
            found = Ranges(merge(found, _apart(longer, found), key=_END))
        return found

    def matches(self, text: str) -> bool:
        """Whether there is a match anywhere in `text`."""
        return len(self.find(text)) > 0


def encoded(text: str) -> bytes:
    """The bytes that RE2 searches."""
    # A lone surrogate, which only JSON can bring in, becomes a question mark: still one character.
    return text.encode(errors="replace")


def _compiled(pattern: str, case: bool, *, longest: bool = False) -> Any:
    options = re2.Options()
    options.longest_match = longest
    options.log_errors = False
    options.case_sensitive = case
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise PolicyError("its pattern holds half of a surrogate pair; write the character itself") from None
    except re2.error as error:
        # After the colon comes the pattern, which may be secret.
        message = error.args[0].decode(errors="replace") if error.args else ""
        reason = message.partition(":")[0]
        hint = "look-around and back-references do not exist here; everything else is as RE2 has it"
        raise PolicyError(f"its pattern cannot be read ({reason}); {hint}") from None


def _written_out(piece: str) -> str:
    """The piece with its classes expanded to Unicode."""
    if piece == r"\C":
        raise PolicyError(r"its pattern has \C, a single byte; write . for a character")
    if piece[0] == "[":
        return _ESCAPE.sub(lambda escape: _CLASSES_IN_BRACKETS.get(escape[0], escape[0]), piece)
    return _CLASSES.get(piece, piece)


def _loose(pieces: list[str], case: bool) -> _Search:
    r"""Searches for the pattern without `\b` except at its ends, where `\b` follows Unicode."""
    flags, body = _flags_and_body(pieces)
    inner = "".join(piece for piece in body if piece not in _BOUNDARIES)
    before = rf"(?:\A|[^{_WORD}])" if body[:1] == [r"\b"] else ""
    after = rf"(?:[^{_WORD}]|\z)" if body[-1:] == [r"\b"] else ""
    if not (before or after) or _has_alternatives(body):
        return _Search(_compiled(flags + inner, case))
    return _Search(_compiled(f"{flags}{before}({inner}){after}", case), group=1)


def _alone(pieces: list[str], case: bool) -> tuple[list[_Search], list[_Search]]:
    """Searches for whole words. By itself `Vega|Vegas` finds only part of a word in "Vegas", so the first list searches
    between characters of no word, and also after anything, for matches that begin with such a character:
    `-Vega|-Vegas`.

    The second list is for matches that end with a character of no word and may precede a letter: `Vega|Vegas-`. RE2 has
    no such search, but it finds the longest match, which is the right one of two. Of three nested matches, it misses
    the middle one.
    """
    flags, body = _flags_and_body(pieces)
    inner, after = f"({''.join(body)})", rf"(?:[^{_IN_WORD}]|\z)"
    begins = [f"{flags}{before}{inner}" for before in (rf"(?:\A|[^{_IN_WORD}])", "")]
    return (
        [_Search(_compiled(begin + after, case), group=1) for begin in begins],
        [_Search(_compiled(begin, case, longest=True), group=1) for begin in begins],
    )


def _flags_and_body(pieces: list[str]) -> tuple[str, list[str]]:
    flags = _FLAGS.match("".join(pieces))
    count = flags.end() if flags else 0  # Each character of them is a piece.
    return "".join(pieces[:count]), pieces[count:]


def _has_alternatives(pieces: list[str]) -> bool:
    """Whether the pattern as a whole is "this or that", so that its first `\\b` belongs to one of them only."""
    depth = 0
    for piece in pieces:
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            return True
    return False


def _is_beside_other_than_ascii(data: bytes, start: int, end: int) -> bool:
    return not data[max(start - 1, 0) : end + 1].isascii()


def _standing_alone(text: str, found: Ranges) -> Iterator[Range]:
    return (place for place in found if stands_alone(text, *place))


def _apart(places: Iterable[Range], found: Iterable[Range]) -> Iterator[Range]:
    """The places that no range of `found` overlaps; both are in order."""
    others = iter(found)
    other = next(others, None)
    for start, end in places:
        while other and other[1] <= start:
            other = next(others, None)
        if other is None or end <= other[0]:
            yield start, end


def _characters(data: bytes, text: str, places: Iterable[Range]) -> Ranges:
    """Ranges of bytes as ranges of characters."""
    ranges = Ranges(places)
    return ranges if len(data) == len(text) else Ranges(_counted(data, ranges))


def _counted(data: bytes, ranges: Ranges) -> Iterator[Range]:
    byte = character = 0
    for start, end in ranges:
        first = character + len(data[byte:start].decode())
        character = first + len(data[start:end].decode())
        byte = end
        yield first, character
