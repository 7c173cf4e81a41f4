"""Which program wrote a PDF, as far as that says how it numbers letters and names fonts, pictures and states.

Invariant: nothing here depends on what pages show. A program is known by the producer or creator that the file names;
where the order of pages counts, also by the comment after the header that only it writes, and by a file that was
written once: other programs that rewrite a file can move its pages.
"""

import re
from contextlib import suppress
from functools import cached_property
from typing import Final

import pikepdf
from pikepdf import Dictionary, Stream, String

from sieve.formats.pdf.opening import FAULTS

_TEX: Final = re.compile(r"pdfe?TeX|LuaTeX|MiKTeX")
_REPORTLAB: Final = re.compile(r"ReportLab")
_SKIA: Final = re.compile(r"Skia/PDF")
_MATPLOTLIB: Final = (re.compile(r"^Matplotlib pdf backend"), b"%\xac\xdc \xab\xba")
_TYPST: Final = (re.compile(r"^Typst 0\.1[45]\."), b"%\x80\x80\x80\x80")
"""Earlier versions name fonts by their number in the document; later ones were not tried."""
_IN_PAGE_ORDER: Final = (
    (re.compile(r"LibreOffice|OpenOffice"), b"%\xc3\xa4\xc3\xbc\xc3\xb6\xc3\x9f"),
    (re.compile(r"^cairo "), b"%\xb5\xed\xae\xfb"),
)
_HEAD: Final = 64


class Producer:
    """The program that wrote a PDF."""

    def __init__(self, data: bytes, pdf: pikepdf.Pdf) -> None:
        """`data`: the file."""
        self._name = _said(pdf, "/Producer")
        self._creator = _said(pdf, "/Creator")
        self._data = data
        self._pdf = pdf

    @cached_property
    def is_tex(self) -> bool:
        """Whether it is one of TeX's programs: these keep the codes of TeX's fonts. Others may number them again."""
        return _TEX.search(self._name) is not None

    @cached_property
    def is_reportlab(self) -> bool:
        """Whether it is reportlab, which names pictures by digests, and counts the parts of each font by themselves."""
        return _REPORTLAB.search(self._name) is not None

    @cached_property
    def is_skia(self) -> bool:
        """Whether it is Chromium or another program with Skia.

        It splits only simple fonts, into parts of 256 letters, and numbers no other objects between pages.
        """
        return _SKIA.search(self._name) is not None

    @cached_property
    def is_in_page_order(self) -> bool:
        """Whether it finishes each page before the next one, and numbers the letters of each font in order of use.

        Other programs can add to earlier pages last, such as a table of contents.
        """
        return any(self._wrote_it(*program) for program in _IN_PAGE_ORDER)

    @cached_property
    def is_matplotlib(self) -> bool:
        """Whether it is matplotlib.

        It finishes each page before the next one. A glyph gets a part of a font, and a code in it, when a page first
        shows it, and keeps both; so do states, pictures and markers their names.
        """
        return self._wrote_it(*_MATPLOTLIB)

    @cached_property
    def is_typst(self) -> bool:
        """Whether it is Typst, which names itself as the creator, and no producer.

        It lays out all pages, and then finishes each before the next one. A glyph gets its code when a page first shows
        it, and keeps it, and so does its text: whether a page gives a glyph another text (`ActualText`) depends on the
        text with which a page first showed it by itself. Names count only what the same drawing instructions use.
        """
        return (
            not _names(self._pdf, "/Producer")
            and self._wrote_it(*_TYPST, name=self._creator)
            and _is_numbered_in_page_order(self._pdf)
        )

    @cached_property
    def keeps_codes(self) -> bool:
        """Whether codes that a page shows do not change by what later pages show, in any font that it embeds."""
        return self.is_matplotlib or self.is_typst

    def _wrote_it(self, pattern: re.Pattern[str], comment: bytes, name: str | None = None) -> bool:
        """Whether the program whose name has this `pattern` wrote the file. `name`: by default the producer."""
        return (
            pattern.search(self._name if name is None else name) is not None
            and comment in self._data[:_HEAD]
            and self._data.count(b"startxref") == 1
        )


def _names(pdf: pikepdf.Pdf, key: str) -> bool:
    """Whether the file says anything under this `key` of the program; also if that cannot be read."""
    with suppress(*FAULTS):
        info = pdf.trailer.get("/Info")
        return isinstance(info, Dictionary) and key in info
    return True


def _is_numbered_in_page_order(pdf: pikepdf.Pdf) -> bool:
    """Whether each page has one content stream, whose number is higher than that of the page before.

    Programs that move pages of a finished file may keep the comment of the one that wrote it, but also these numbers.
    """
    with suppress(*FAULTS):
        contents = [page.obj.get("/Contents") for page in pdf.pages]
        numbers = [each.objgen[0] for each in contents if isinstance(each, Stream)]
        return len(numbers) == len(contents) and 0 not in numbers and numbers == sorted(set(numbers))
    return False


def _said(pdf: pikepdf.Pdf, key: str) -> str:
    """What the file says of the program under this `key`; empty if that cannot be read."""
    with suppress(*FAULTS):
        info = pdf.trailer.get("/Info")
        value = info.get(key) if isinstance(info, Dictionary) else None
        if isinstance(value, String):
            return str(value)
    return ""
