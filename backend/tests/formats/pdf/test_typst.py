"""Another text on the marked page of a PDF by Typst, in any letters: the same plain stream.

A model of how Typst writes pages. Each font numbers its glyphs by their first use, page by page. Fonts have names by
their first use on a page. A glyph has one text, the first that it shows; where it shows another one, or several glyphs
are one letter, the instructions say which (`ActualText`).
"""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from examples import examples
from numbered_pdfs import as_by_typst
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading

GLYPHS = {
    "\u0391": "A",  # Greek
    "\u00b4": "acute",
    "\u02ca": "acute",
}
"""The glyphs of characters that share one, or are several. The glyph of any other is its own."""
CLUSTERS = {"\u00e9": ("e", "acute")}


class Line(NamedTuple):
    """A text in one of two fonts."""

    text: str
    is_bold: bool = False
    in_form: bool = False


Page = tuple[Line, ...]


class _Font:
    def __init__(self, pdf: pikepdf.Pdf, name: str) -> None:
        self.codes: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        below = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType0,
            BaseFont=Name(f"/ABCDEF+{name}"),
            CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
            FontDescriptor=Dictionary(
                Type=Name.FontDescriptor,
                FontName=Name(f"/ABCDEF+{name}"),
                Flags=4,
                FontBBox=Array([0, -200, 1000, 900]),
                ItalicAngle=0,
                Ascent=900,
                Descent=-200,
                FontFile3=pdf.make_stream(b"glyphs"),
            ),
            DW=600,
        )
        self.map = pdf.make_stream(b"")
        self.item = pdf.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type0,
                BaseFont=Name(f"/ABCDEF+{name}-Identity-H"),
                Encoding=Name("/Identity-H"),
                DescendantFonts=Array([below]),
                ToUnicode=self.map,
            )
        )

    def shown(self, text: str) -> bytes:
        """The instructions that show `text`."""
        return b"".join(map(self._letter, text)).replace(b"> Tj <", b"")

    def finish(self) -> None:
        """Writes what each code says."""
        said = (f"<{self.codes[glyph]:04x}> <{_utf16(text)}>\n" for glyph, text in self._texts.items())
        head = f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(self._texts)} beginbfchar\n"
        self.map.write(f"{head}{''.join(said)}endbfchar".encode())

    def _letter(self, letter: str) -> bytes:
        glyphs = CLUSTERS.get(letter, (GLYPHS.get(letter, letter),))
        codes = b"".join(b"%04x" % self.codes.setdefault(glyph, len(self.codes) + 1) for glyph in glyphs)
        # Of several glyphs, the first one gets the text.
        if self._texts.setdefault(glyphs[0], letter) == letter and len(glyphs) == 1:
            return b"<%s> Tj " % codes
        return b"/Span <</ActualText <feff%s>>> BDC <%s> Tj EMC " % (_utf16(letter).encode(), codes)


def _utf16(text: str) -> str:
    return text.encode("utf-16-be").hex()


def made(pages: Sequence[Page], creator: str = "Typst 0.15.1") -> bytes:
    """A PDF with these `pages`."""
    with pikepdf.new() as pdf:
        fonts = {is_bold: _Font(pdf, "Bold" if is_bold else "Serif") for is_bold in (False, True)}
        for lines in pages:
            page = pdf.add_blank_page(page_size=(2000, 800)).obj
            names: dict[bool, str] = {}
            forms = Dictionary()
            content = b""
            for at, line in enumerate(lines):
                name = names.setdefault(line.is_bold, f"/f{len(names)}")
                shown = fonts[line.is_bold].shown(line.text)
                drawn = b"BT %s 12 Tf 50 %d Td %sET\n" % (name.encode(), 700 - 20 * at, shown)
                if line.in_form:
                    form = pdf.make_stream(drawn, Subtype=Name.Form, BBox=Array([0, 0, 2000, 800]))
                    form.Resources = Dictionary(Font=Dictionary({name: fonts[line.is_bold].item}))
                    forms[f"/x{len(forms)}"] = form
                    drawn = b"/x%d Do\n" % (len(forms) - 1)
                content += drawn
            page.Resources = Dictionary(Font=Dictionary({name: fonts[key].item for key, name in names.items()}))
            page.Resources.XObject = forms
            page.Contents = pdf.make_stream(content)
        for font in fonts.values():
            font.finish()
        return as_by_typst(pdf, creator)


def plain_of(data: bytes, number: int) -> bytes:
    """The plain stream, if this page is marked."""
    return separate(Document(data, PdfReading(data).spans([Mark(f"page/{number}")]))).plain


def contents(data: bytes) -> list[bytes]:
    """The drawing instructions of each page."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return [page.obj.Contents.read_raw_bytes() for page in pdf.pages]


def are_plain(pages: Sequence[Page], number: int, creator: str = "Typst 0.15.1") -> list[bool]:
    """Whether the drawing instructions of each page travel plain, if this one is marked."""
    data = made(pages, creator)
    plain = plain_of(data, number)
    return [body in plain for body in contents(data)]


PROSE = (
    (Line("Section 1", is_bold=True), Line("The quick brown fox jumps over the lazy dog, then it rests.")),
    (Line("Section 2", is_bold=True), Line("the fox rests over the dog")),
    (Line("over", in_form=True), Line("the dog")),
    (Line("dog"), Line("ion", is_bold=True)),
)
words = st.text("the quick fox A\u0391\u00b4\u02ca\u00e9 7", min_size=1, max_size=9)
pages = st.lists(st.builds(Line, words, st.booleans(), st.booleans()), min_size=1, max_size=3).map(tuple)
public_pages = st.lists(st.one_of(st.sampled_from(PROSE), pages), min_size=2, max_size=4)


@settings(max_examples=examples(40))
@given(public=public_pages, at=st.integers(0, 4), one=pages, other=pages)
def test_another_secret_leaves_the_plain_stream_identical(public: list[Page], at: int, one: Page, other: Page) -> None:
    at = min(at, len(public))
    # Every marked page draws with both fonts: with which ones may show.
    both = (Line("q"), Line("q", is_bold=True))
    plains = {plain_of(made([*public[:at], both + secret, *public[at:]]), at + 1) for secret in (one, other)}
    assert len(plains) == 1


def test_a_page_travels_plain_if_earlier_pages_show_all_that_it_shows() -> None:
    # The heading of page 3 has a digit that page 1 does not have, and a form may be a page of another PDF.
    assert are_plain([PROSE[0], (Line("x 9"),), *PROSE[1:]], 2) == [True, False, False, False, True]


def test_text_of_a_form_proves_nothing() -> None:
    """It may be a page of another PDF, with codes by the order of that file."""
    for in_form in (True, False):
        first = (Line("the dog", in_form=in_form),)
        assert are_plain([first, (Line("x"),), (Line("dog"),)], 2) == [not in_form, False, not in_form]


@pytest.mark.parametrize(
    ("first", "later", "is_plain"),
    [
        (("e", "\u00e9", "\u00b4"), ("\u00b4", "e"), True),
        (("e", "\u00e9"), ("e",), True),
        # The glyph of the accent gets its text from the marked page, or here.
        (("e", "\u00e9"), ("\u00b4",), False),
        (("A",), ("\u0391", "A"), True),
    ],
)
def test_a_glyph_needs_a_text_before_the_marked_page(
    first: tuple[str, ...], later: tuple[str, ...], is_plain: bool
) -> None:
    plains = set()
    for secret in ("x", "\u02ca"):
        data = made([tuple(map(Line, first)), (Line(secret),), tuple(map(Line, later))])
        plains.add(plain_of(data, 2))
        assert (contents(data)[2] in plain_of(data, 2)) is is_plain
    assert len(plains) == 1


@pytest.mark.parametrize(("kind", "is_plain"), [("P", True), ("Span", False), ("Document", False)])
def test_text_outside_of_paragraphs_may_reveal_the_language_of_a_marked_page(kind: str, is_plain: bool) -> None:
    """Its language is in the instructions if the document has another one."""
    with pikepdf.open(BytesIO(made([PROSE[0], (Line("x"),), PROSE[3]]))) as pdf:
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        top = pdf.make_indirect(Dictionary(S=Name.Document, P=root))
        element = pdf.make_indirect(Dictionary(S=Name(f"/{kind}"), P=top)) if kind != "Document" else top
        root.K, top.K = Array([top]), Array([element])
        root.ParentTree = Dictionary(Nums=Array([0, pdf.make_indirect(Array([element, element]))]))
        pdf.Root.StructTreeRoot = root
        pdf.pages[2].obj.StructParents = 0
        data = as_by_typst(pdf)
    sent = plain_of(data, 2)
    assert [body in sent for body in contents(data)] == [True, False, is_plain]


@pytest.mark.parametrize("creator", ["Typst 0.13.1", "Typst 0.16.0", "typst 0.15.1", "Some Typst 0.15.1"])
def test_other_programs_and_versions_prove_nothing(creator: str) -> None:
    assert not any(are_plain([PROSE[0], (Line("x"),), PROSE[3]], 2, creator))


def test_what_another_program_wrote_again_proves_nothing() -> None:
    data = made([PROSE[0], (Line("x"),), PROSE[3]])
    assert plain_of(data, 2)
    with pikepdf.open(BytesIO(data)) as pdf:
        written = BytesIO()
        pdf.save(written)
        pdf.docinfo["/Producer"] = "Some"
        produced = BytesIO()
        pdf.save(produced, static_id=True, compress_streams=False)
    named = produced.getvalue().replace(b"%\xbf\xf7\xa2\xfe", b"%\x80\x80\x80\x80", 1)
    for other in (written.getvalue(), named, data + b"% startxref"):
        assert not plain_of(other, 2)


def test_pages_that_another_program_moved_prove_nothing() -> None:
    """Some keep all else as it is, also the comment after the header."""
    data = made([PROSE[0], (Line("x"),), PROSE[3]])
    kids = re.search(rb"/Kids \[ (\d+ 0 R) (\d+ 0 R) ", data)
    assert kids is not None
    first, second = kids.groups()
    assert len(first) == len(second)
    moved = data.replace(kids[0], b"/Kids [ " + second + b" " + first + b" ")
    assert plain_of(data, 3)
    assert not plain_of(moved, 3)
