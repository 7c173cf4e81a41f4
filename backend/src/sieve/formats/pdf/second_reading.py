"""A second opinion on the text of pages: what their drawing instructions show, and pdfium does not find.

Readers disagree on broken or unusual pages. What one of them shows is not hidden, so a search must find it. Invariant:
it is never less careful to call a page disputed, since a disputed page travels classified with any mark. A page that is
too long to be followed has no second opinion.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from sieve.formats.pdf.object_graph import ObjGen
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.search_terms import folded
from sieve.formats.pdf.shown_text import Cost, NotFollowed, Shown, ShownText, TooMuchText
from sieve.formats.pdf.to_unicode import character_map

LEAST: Final = 3
"""Letters of a piece of text that is looked for. Less occurs everywhere, and is placed in many ways."""
MAX_UNSEEN: Final = 4 << 20
"""Characters of the disputed text of one page."""
_UNKNOWN: Final = "\n"
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+")


class SecondReading:
    """Reads the pages of one PDF again."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        self._reader = ShownText()
        self._texts: dict[ObjGen, dict[int, str]] = {}
        self._wide: dict[ObjGen, bool] = {}

    def unseen(self, page: Object, seen: str) -> tuple[str | None, Cost]:
        """What `page` shows beyond the text `seen`, a line each, and what it took to find out; None if readers agree.

        Empty if the page is broken, so that nobody knows what another reader shows.
        """
        reader = ShownText()
        before = len(self._pdf.get_warnings())
        try:
            found = self._beyond(reader.of_page(page), seen) or None
        except TooMuchText:
            return None, reader.cost
        except (NotFollowed, *FAULTS):
            return "", reader.cost
        return "" if len(self._pdf.get_warnings()) > before else found, reader.cost

    def appearances(self, page: Object, seen: str) -> str:
        """What the annotations of `page` look like beyond the text `seen`, a line each."""
        found = []
        with suppress(*FAULTS):
            for look in _appearances(page):
                with suppress(NotFollowed):
                    found.append(self._beyond(self._reader.of_form(look), seen))
        return "\n".join(filter(None, found))[:MAX_UNSEEN]

    def _beyond(self, shown: list[Shown], seen: str) -> str:
        return "\n".join(_missing(dict.fromkeys(self._pieces(shown)), seen))[:MAX_UNSEEN]

    def _pieces(self, shown: list[Shown]) -> Iterator[str]:
        """Each text that is placed by itself: with a space for each gap, and without. Letters may be far apart, too."""
        piece = spaced = ""
        for one in shown:
            if one.starts:
                yield from dict.fromkeys((*spaced.split(_UNKNOWN), *piece.split(_UNKNOWN)))
                piece = spaced = ""
            text = self._text(one)
            piece += text
            spaced += f" {text}" if one.has_gap and spaced else text
        yield from dict.fromkeys((*spaced.split(_UNKNOWN), *piece.split(_UNKNOWN)))

    def _text(self, shown: Shown) -> str:
        font = shown.font
        if font == (0, 0):
            return _UNKNOWN
        if font not in self._texts:
            item = self._pdf.get_object(font)
            self._wide[font] = item.get("/Subtype") == Name.Type0
            self._texts[font] = character_map(item)
        text = self._texts[font]
        codes: Iterable[int] = shown.codes
        if self._wide[font]:
            codes = (high << 8 | low for high, low in zip(shown.codes[::2], shown.codes[1::2], strict=False))
        return "".join(text.get(code, _UNKNOWN) for code in codes)


def _missing(pieces: Iterable[str], seen: str) -> Iterator[str]:
    """The pieces that `seen` does not contain, or only in broken words."""
    lines = [folded(line) for line in seen.split("\n")]
    ends = list(accumulate(map(len, lines)))
    whole, broken = "".join(lines), "\n".join(lines)
    for piece in pieces:
        text = folded(piece)
        if len(text) < LEAST or text in broken or _is_turned(text, whole):
            continue
        if text not in whole or any(_is_broken(folded(word), whole, ends) for word in piece.split()):
            yield piece


def _is_broken(word: str, whole: str, ends: list[int]) -> bool:
    """Whether a line ends at every third letter of the `word`, or more often."""
    at = whole.find(word)
    return len(word) >= LEAST and bisect_left(ends, at + len(word)) - bisect_left(ends, at + 1) > len(word) // LEAST


def _is_turned(text: str, whole: str) -> bool:
    """Whether `whole` has the parts of `text` in the order in which people read them from right to left."""
    parts = _RIGHT_TO_LEFT.findall(text)
    return bool(parts) and all(
        part[::-1] in whole or part in whole for part in (*parts, *_RIGHT_TO_LEFT.split(text)) if part
    )


def _appearances(page: Object) -> Iterator[Stream]:
    """The forms that annotations look like, in each of their states."""
    annotations = page.get("/Annots")
    for annotation in annotations if isinstance(annotations, Array) else ():
        looks = annotation.get("/AP") if isinstance(annotation, Dictionary) else None
        normal = looks.get("/N") if isinstance(looks, Dictionary) else None
        if isinstance(normal, Stream):
            yield normal
        elif isinstance(normal, Dictionary):
            yield from (look for _, look in normal.items() if isinstance(look, Stream))
