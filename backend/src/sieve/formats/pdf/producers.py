"""Which program wrote a PDF, as far as that says how it numbers letters and names fonts, pictures and states.

Invariant: nothing here depends on what pages show. A program is known by the producer that the file names; where the
order of pages counts, also by the comment after the header that only it writes, and by a file that was written once:
other programs that rewrite a file can move its pages.
"""

import re
from contextlib import suppress
from functools import cached_property
from typing import Final

import pikepdf
from pikepdf import Dictionary, String

from sieve.formats.pdf.opening import FAULTS

_TEX: Final = re.compile(r"pdfe?TeX|LuaTeX|MiKTeX")
_REPORTLAB: Final = re.compile(r"ReportLab")
_SKIA: Final = re.compile(r"Skia/PDF")
_MATPLOTLIB: Final = (re.compile(r"^Matplotlib pdf backend"), b"%\xac\xdc \xab\xba")
_IN_PAGE_ORDER: Final = (
    (re.compile(r"LibreOffice|OpenOffice"), b"%\xc3\xa4\xc3\xbc\xc3\xb6\xc3\x9f"),
    (re.compile(r"^cairo "), b"%\xb5\xed\xae\xfb"),
)
_HEAD: Final = 64


class Producer:
    """The program that wrote a PDF."""

    def __init__(self, data: bytes, pdf: pikepdf.Pdf) -> None:
        """`data`: the file."""
        self._name = _name(pdf)
        self._data = data

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

    def _wrote_it(self, name: re.Pattern[str], comment: bytes) -> bool:
        """Whether the file is as the program of this `name` wrote it."""
        return (
            name.search(self._name) is not None
            and comment in self._data[:_HEAD]
            and self._data.count(b"startxref") == 1
        )


def _name(pdf: pikepdf.Pdf) -> str:
    """The producer that the file names; empty if there is none that can be read."""
    with suppress(*FAULTS):
        info = pdf.trailer.get("/Info")
        producer = info.get("/Producer") if isinstance(info, Dictionary) else None
        if isinstance(producer, String):
            return str(producer)
    return ""
