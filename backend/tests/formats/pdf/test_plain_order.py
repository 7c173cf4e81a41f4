"""Another text on the classified page may change names, order and shared tables that a program writes: the plain stream
must not show it."""

from collections.abc import Callable
from io import BytesIO

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from numbered_pdfs import as_by_cairo, made
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading
from sieve.formats.pdf.search_terms import SearchTerms

PROSE = [
    "The quick brown fox jumps over the lazy dog, then it rests.",
    "Pack my box with five dozen liquor jugs and go home quietly.",
    "the secret",
    "Sphinx of black quartz, judge my vow.",
    "the fox rests over the dog",
]
MARK = Mark("page/3")


def plain_of(data: bytes, *marks: Mark) -> bytes:
    """The plain stream, if these are marked."""
    return separate(Document(data, PdfReading(data).spans(marks or [MARK]))).plain


def saved(pdf: pikepdf.Pdf) -> bytes:
    written = BytesIO()
    pdf.save(written, static_id=True, compress_streams=False)
    return written.getvalue()


def changed(data: bytes, change: Callable[[pikepdf.Pdf], None]) -> bytes:
    with pikepdf.open(BytesIO(data)) as pdf:
        change(pdf)
        return saved(pdf)


def test_the_name_of_a_later_picture_is_not_plain() -> None:
    """cairo and LibreOffice name pictures by the numbers of their objects, which a longer secret shifts."""
    plains = set()
    for name in ("x24", "x25"):

        def draw(pdf: pikepdf.Pdf, name: str = name) -> None:
            page = pdf.pages[4].obj
            picture = pdf.make_stream(b"." * 300, Subtype=Name.Image, Width=300, Height=1)
            page.Resources.XObject = Dictionary({f"/{name}": picture})
            page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" /%s Do" % name.encode())

        plains.add(plain_of(as_by_cairo(changed(made("by_use", PROSE), draw))))
    (plain,) = plains
    assert b"." * 300 in plain and b"Tj" in plain


def test_names_of_tex_follow_from_fonts_and_pictures() -> None:
    def draw(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[4].obj
        page.Resources.XObject = Dictionary(Im24=pdf.make_stream(b"." * 300, Subtype=Name.Image, Width=300, Height=1))
        page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" /Im24 Do")

    for producer, is_plain in (("pdfeTeX-1.21a", True), ("LuaTeX-1.15", True), ("Some", False)):
        data = changed(made("by_glyph_id", PROSE, producer), draw)
        assert (b"/Im24 Do" in plain_of(data)) is is_plain


@pytest.mark.parametrize("modern", [True, False])
def test_the_order_of_bodies_does_not_show_what_a_heading_is_called(modern: bool) -> None:
    """qpdf writes a page when it comes to its first destination, and they are sorted by name."""
    plains = set()
    for secret in ("aardvark", "zebra"):

        def name_headings(pdf: pikepdf.Pdf, secret: str = secret) -> None:
            pages = [page.obj for page in pdf.pages]
            picture = pdf.make_stream(b"." * 300, Subtype=Name.Image, Width=300, Height=1)
            for page in (pages[0], pages[2]):
                page.Resources.XObject = Dictionary(Logo=picture)
                page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" /Logo Do")
            headings = sorted([(secret, pages[2]), ("middle", pages[0])], key=lambda pair: pair[0])
            if modern:
                listed = [item for name, page in headings for item in (String(name), Array([page, Name.Fit]))]
                pdf.Root.Names = Dictionary(Dests=pdf.make_indirect(Dictionary(Names=Array(listed))))
            else:
                pdf.Root.Dests = Dictionary({f"/{name}": Array([page, Name.Fit]) for name, page in headings})

        data = changed(made("by_glyph_id", PROSE), name_headings)
        plains.add(plain_of(data))
        # The name of a page that is plain is.
        assert plain_of(data, Mark("page/5"))
    assert len(plains) == 1


@pytest.mark.parametrize("producer", ["fpdf2", "", "Quartz PDFContext"])
def test_order_of_use_proves_nothing_if_a_program_may_go_back_to_earlier_pages(producer: str) -> None:
    """A table of contents on page 2 is written last, with new letters after those of the secret."""
    assert b"Tj" in plain_of(made("by_use", PROSE))
    assert not plain_of(made("by_use", PROSE, producer or "?"))


def test_order_of_use_proves_nothing_if_a_file_was_rewritten() -> None:
    def move(pdf: pikepdf.Pdf) -> None:
        pdf.pages.append(pdf.pages[2])
        del pdf.pages[2]

    data = changed(made("by_use", PROSE), move)
    assert not plain_of(data, Mark("page/5"))
    appended = made("by_use", PROSE)
    assert not plain_of(appended + b"%" + appended[appended.rindex(b"\nstartxref") :])


def test_a_map_of_codes_is_never_plain() -> None:
    """mutool writes equal streams once: another secret has another map, which then is no longer shared."""
    plains = set()
    for is_equal in (True, False):

        def share(pdf: pikepdf.Pdf, is_equal: bool = is_equal) -> None:
            with pikepdf.open(BytesIO(made("by_glyph_id", ["0123456789"]))) as other:
                font = pdf.copy_foreign(other.pages[0].obj.Resources.Font.F1)
            font.BaseFont = font.DescendantFonts[0].BaseFont = Name("/ABCDEF+Bold")
            for at in (0, 4):
                page = pdf.pages[at].obj
                page.Resources.Font.F2 = font
                page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" BT /F2 9 Tf <0013> Tj ET")
            if is_equal:
                pdf.pages[2].obj.Resources.Font.F1.ToUnicode = font.ToUnicode

        data = changed(made("by_glyph_id", PROSE), share)
        plains.add(b"begincmap" in plain_of(data))
    assert plains == {False}


@pytest.mark.parametrize("kind", ["form", "picture"])
def test_a_letter_that_is_drawn_as_a_form_or_picture_is_not_plain(kind: str) -> None:
    """matplotlib draws some letters as forms, and an emoji may be a picture: another secret would not draw with it."""

    def of(*numbers: int) -> bytes:
        def draw(pdf: pikepdf.Pdf) -> None:
            letter = pdf.make_stream(b"1 2 3 4 5 6 7 8 c f", Subtype=Name.Form, BBox=Array([0, 0, 9, 9]))
            if kind == "picture":
                letter = pdf.make_stream(b"." * 136, Subtype=Name.Image, Width=136, Height=1)
            for number in numbers:
                page = pdf.pages[number - 1].obj
                page.Resources.XObject = Dictionary(Letter=letter)
                page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" /Letter Do")

        return plain_of(changed(made("by_glyph_id", PROSE), draw))

    assert of(3, 5) == of(5)
    # Unless an earlier page draws with it.
    assert of(1, 3, 5) == of(1, 5)
    assert len(of(1, 5)) > len(of(5))


def _simple(texts: list[str], flags: int, encoding: object) -> bytes:
    """Pages in one embedded TrueType font."""
    with pikepdf.new() as pdf:
        font = pdf.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.TrueType,
                BaseFont=Name("/ABCDEF+Some"),
                FirstChar=32,
                LastChar=126,
                Widths=Array([600] * 95),
                Encoding=encoding,
                FontDescriptor=Dictionary(Type=Name.FontDescriptor, Flags=flags, FontFile2=pdf.make_stream(b"glyphs")),
            )
        )
        for text in texts:
            page = pdf.add_blank_page(page_size=(2000, 800)).obj
            page.Resources = Dictionary(Font=Dictionary(F1=font))
            page.Contents = pdf.make_stream(b"BT /F1 9 Tf (" + text.encode() + b") Tj ET")
        return saved(pdf)


@pytest.mark.parametrize(("flags", "is_plain"), [(32, True), (4, False), (36, True)])
def test_the_encoding_of_a_symbolic_font_proves_nothing(flags: int, is_plain: bool) -> None:
    """Readers ignore it, so that the program can number letters in any order."""
    data = _simple(["abcdefg", "gfedcba", "abc"], flags, Name.WinAnsiEncoding)
    assert (b"abcdefg" in plain_of(data)) is is_plain


@pytest.mark.parametrize(("public", "is_plain"), [("THEQUICKBROWNFX", False), ("thequickbrownfx", True)])
def test_an_alphabet_without_gaps_proves_nothing(public: str, is_plain: bool) -> None:
    """Numbered by alphabet from 32 on, letters have the codes of ASCII if the secret fills all gaps."""
    if not is_plain:
        public = "".join(sorted(map(chr, range(33, 91)), key=lambda letter: ord(letter) * 37 % 101))
        public = public.translate({ord(sign): None for sign in '()"YZ'})
    names = {ord(one): one for one in public if one.isalpha()}
    names |= {code: name for code, name in enumerate(_SIGNS.split(), 33) if chr(code) in public}
    differences = [item for code, name in sorted(names.items()) for item in (code, Name(f"/{name}"))]
    data = _simple([public, public, "secret"], 4, Dictionary(Differences=Array(differences)))
    assert (public.encode() in plain_of(data)) is is_plain


_SIGNS = """exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma
hyphen
period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at"""


def test_what_a_large_marked_page_shows_leaves_others_their_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.formats.pdf.shown_text.MAX_INSTRUCTIONS", 60)
    monkeypatch.setattr("sieve.formats.pdf.reading.MAX_INSTRUCTIONS", 60)
    plains = []
    for more in (0, 60):

        def change(pdf: pikepdf.Pdf, more: int = more) -> None:
            page = pdf.pages[2].obj
            page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" BT ET" * more)
            pdf.pages[4].obj.Contents = pdf.make_stream(b"BT /F1 12 Tf 50 700 Td <0028> Tj (broken")

        plains.append(plain_of(changed(made("by_glyph_id", PROSE), change)))
    assert plains[0] == plains[1]
    assert b"broken" not in plains[0] and b"Tj" in plains[0]


def test_long_texts_are_searched_like_short_ones() -> None:
    """The length of what is marked must not decide whether anything is plain."""
    long = " ".join(f"word{number}" for number in range(200_000))
    terms = SearchTerms([long, *(f"{number} {long[:3_000]}" for number in range(150))])
    assert terms.in_text(f"before {long} after") and not terms.in_text("word1 word2")
    assert terms.in_bytes(long.encode()) and terms.in_bytes(long.encode("utf-16-be"), strings=False)
    combined = "e\u0301" * 300
    assert SearchTerms([combined]).in_text("\u00e9" * 300)
    assert SearchTerms(["a" + "-" * 600 + "b"]).in_text("ab")
