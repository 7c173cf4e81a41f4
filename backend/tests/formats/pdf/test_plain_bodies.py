"""What plain pages share with a classified page travels plain only as far as it says nothing of that page.

The property: another text on the classified page, the same plain stream, however a program numbers the characters.
"""

import re
from collections.abc import Callable
from io import BytesIO

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from examples import examples
from numbered_pdfs import NUMBERINGS, as_by_cairo, made
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading

PROSE = [
    "The quick brown fox jumps over the lazy dog, then it rests.",
    "Pack my box with five dozen liquor jugs and go home quietly.",
    "0123456789 are the digits; abcdef are not.",
    "Sphinx of black quartz, judge my vow: it is worth 45%.",
    "the fox rests over the dog",
]
SORTED = ["abcdefghijklmnop", "0123456789", "abc 0123", "ABCDEFGHIJKLM", "!\"#$%&'()*+,-./"]
LOWER = ["the quick brown fox jumps over the lazy dog", "pack my box with five dozen liquor jugs 6", "the end 9"]
SHORT = ["7", "8", "12 a", "9", "b"]

pages = st.one_of(
    st.sampled_from([PROSE, LOWER, SORTED, SHORT]),
    st.lists(st.text("abcdefgABC 0123é", min_size=1, max_size=30), min_size=2, max_size=4),
)
TABLE = "".join(map(chr, range(33, 127)))
secrets = st.one_of(
    st.text("etaoinT qxz", min_size=1, max_size=9), st.text("QXZé€ß!7~^@", min_size=1, max_size=9), st.just(TABLE[::-1])
)


def plain_of(data: bytes, *marks: Mark) -> bytes:
    """The plain stream, if these are marked."""
    return separate(Document(data, PdfReading(data).spans(marks))).plain


def body(text: str, numbering: str, texts: list[str]) -> bytes:
    """The drawing instructions of the page that says `text`."""
    codes = NUMBERINGS[numbering](texts)
    return b"".join(b"%04x" % codes[character] for character in text)


@pytest.mark.parametrize("numbering", NUMBERINGS)
@settings(max_examples=examples(5))
@given(public=pages, at=st.integers(0, 5), one=secrets, other=secrets)
def test_another_secret_leaves_the_plain_stream_identical(
    numbering: str, public: list[str], at: int, one: str, other: str
) -> None:
    at = min(at, len(public))
    plains = []
    for secret in (one, other):
        data = made(numbering, [*public[:at], f"It says {secret} here.", *public[at:]])
        plains.append(plain_of(data, Mark(f"page/{at + 1}")))
    assert plains[0] == plains[1]


@pytest.mark.parametrize(
    ("numbering", "expected"),
    [
        ("by_glyph_id", [0, 1, 3, 4, 5]),
        # "%" and "S" occur after the classified page for the first time, other letters just before it.
        ("by_use", [0, 5]),
        ("by_use_with_late_totals", [0, 5]),
        ("by_use_around_ascii", [0, 1, 3, 4, 5]),
        ("by_alphabet", []),
        ("by_alphabet_from_ascii", []),
        ("by_use_from_the_end", []),
        ("by_frequency", []),
    ],
)
def test_a_page_travels_plain_whose_codes_follow_from_the_plain_pages(numbering: str, expected: list[int]) -> None:
    texts = [*PROSE[:2], "Hidden: Ω and é", *PROSE[2:]]
    data = made(numbering, texts)
    plain = plain_of(data, Mark("page/3"))
    assert [at for at, text in enumerate(texts) if body(text, numbering, texts) in plain] == expected
    assert b"beginbfchar" not in plain and b"loca" not in plain  # the font


@pytest.mark.parametrize("numbering", NUMBERINGS)
@pytest.mark.parametrize("public", [LOWER, ["the quick brown fox jumps over the lazy dog 9", *LOWER[1:]]])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_secret_with_all_letters_leaves_the_plain_stream_identical(
    numbering: str, public: list[str], at: int
) -> None:
    """A proof must not depend on the gaps that it leaves."""
    plains = {
        plain_of(made(numbering, [*public[:at], secret, *public[at:]]), Mark(f"page/{at + 1}"))
        for secret in ("the dog", TABLE[::-1], TABLE[17::-1] + "the")
    }
    assert len(plains) == 1


def test_what_a_large_classified_page_shows_does_not_count_towards_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.formats.pdf.font_codes.MAX_INSTRUCTIONS", 50)
    monkeypatch.setattr("sieve.formats.pdf.shown_text.MAX_INSTRUCTIONS", 50)
    plains = set()
    for more in (0, 60):
        with pikepdf.open(BytesIO(made("by_glyph_id", [*PROSE[:2], "the secret", *PROSE[2:]]))) as pdf:
            page = pdf.pages[2].obj
            page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" BT ET" * more)
            written = BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
        plains.add(plain_of(written.getvalue(), Mark("page/3")))
    assert len(plains) == 1 and b"" not in plains


def test_the_name_of_a_font_does_not_say_that_a_classified_page_uses_a_second_part() -> None:
    """matplotlib counts the parts of fonts through the document: with "Ω" on page 1, its other letters are in F2."""
    plains = set()
    for latin in ("F1", "F2"):
        pdf = pikepdf.new()
        differences = Array([65, *(Name(f"/{chr(code)}") for code in range(65, 91))])
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            BaseFont=Name("/ABCDEF+Some"),
            FontBBox=Array([0, 0, 700, 700]),
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
            FirstChar=65,
            LastChar=90,
            Widths=Array([700] * 26),
            Encoding=Dictionary(Differences=differences),
            CharProcs=Dictionary({f"/{chr(code)}": pdf.make_stream(b"700 0 d0") for code in range(65, 91)}),
            Resources=Dictionary(),
        )
        shared = pdf.make_indirect(font)
        for text in (b"THE SECRET", b"PACKMYBOXWITHFIVEDOZENLIQUORJUGS"):
            page = pdf.add_blank_page(page_size=(2000, 800)).obj
            page.Resources = Dictionary(Font=Dictionary({f"/{latin}": shared}))
            page.Contents = pdf.make_stream(b"BT /%s 9 Tf (%s) Tj ET" % (latin.encode(), text))
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
        plains.add(plain_of(written.getvalue(), Mark("page/1")))
    assert len(plains) == 1


def _pictured(drawn: dict[int, str], shown: bytes = b"a logo that several pages show, 32") -> bytes:
    """Five pages; page number → names of the pictures that it draws: the logo, and a copy of it."""
    with pikepdf.open(BytesIO(made("by_glyph_id", PROSE))) as pdf:
        pictures = {name: _picture(pdf, shown) for name in ("Logo", "Copy")}
        for number, name in drawn.items():
            page = pdf.pages[number - 1].obj
            page.Resources.XObject = Dictionary({f"/{name}": pictures[name]})
            page.Contents = pdf.make_stream(page.Contents.read_bytes() + f" /{name} Do".encode())
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
        return written.getvalue()


def _picture(pdf: pikepdf.Pdf, pixels: bytes, width: int = 300) -> pikepdf.Stream:
    pixels = pixels.ljust(width, b".")
    return pdf.make_stream(
        pixels,
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=len(pixels),
        Height=1,
        ColorSpace=Name.DeviceGray,
        BitsPerComponent=8,
    )


@pytest.mark.parametrize(
    ("pages", "mark", "plain"),
    [
        # An earlier plain page draws it: neither its bytes nor its place depend on page 3.
        ({1: "Logo", 3: "Logo", 5: "Logo"}, "page/3", True),
        # Its place in the file says that page 3 draws it, too.
        ({3: "Logo", 5: "Logo"}, "page/3", False),
        ({3: "Logo"}, "page/3", False),
        ({5: "Logo"}, "page/3", True),
        # Now it is what is secret, wherever it is.
        ({1: "Logo", 3: "Logo"}, "page/3/image/1", False),
        ({1: "Copy", 3: "Logo"}, "page/3/image/1", False),
    ],
)
def test_a_picture_travels_plain_if_an_earlier_plain_page_draws_it(
    pages: dict[int, str], mark: str, plain: bool
) -> None:
    sent = plain_of(_pictured(pages), Mark(mark))
    assert (b"a logo" in sent) == plain


@pytest.mark.parametrize("content", [b"BT /F1 9 Tf <0001> Tj (/Logo) Tj ET", b"/Fm Do", b"/Logo Do (", b"/Logo gs"])
def test_a_picture_that_an_earlier_page_only_names_is_not_plain(content: bytes) -> None:
    """To be shared it has to be drawn: a name may be part of a text, or listed for a form that does not use it."""
    with pikepdf.open(BytesIO(_pictured({3: "Logo"}))) as pdf:
        first, third = pdf.pages[0].obj, pdf.pages[2].obj
        logo = third.Resources.XObject.Logo
        form = pdf.make_stream(b"0 0 9 9 re f", Subtype=Name.Form, Resources=Dictionary(XObject=Dictionary(Logo=logo)))
        first.Resources.XObject = Dictionary(Logo=logo, Fm=form)
        first.Contents = pdf.make_stream(content)
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
    assert b"a logo" not in plain_of(written.getvalue(), Mark("page/3"))


@pytest.mark.parametrize("says_matplotlib", [False, True])
def test_what_a_form_without_resources_draws_is_not_plain_whatever_program_the_file_names(
    says_matplotlib: bool,
) -> None:
    """It draws with those of its page, and a text on a plain page may look like a name."""
    with pikepdf.open(BytesIO(_pictured({3: "Logo"}))) as pdf:
        third, fourth = pdf.pages[2].obj, pdf.pages[3].obj
        third.Resources.XObject.Fm0 = pdf.make_stream(b"/Logo Do", Subtype=Name.Form)
        third.Contents = pdf.make_stream(b"/Fm0 Do")
        third.Resources.Font.F2 = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        fourth.Resources = third.Resources
        fourth.Contents = pdf.make_stream(b"BT /F2 9 Tf (see picture /Logo) Tj ET")
        if says_matplotlib:
            pdf.docinfo["/Producer"] = "Matplotlib pdf backend v3.11.2"
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
    data = written.getvalue()
    if says_matplotlib:
        data = data.replace(b"%\xbf\xf7\xa2\xfe\n", b"%\xac\xdc \xab\xba")
    assert b"a logo" not in plain_of(data, Mark("page/3"))


@pytest.mark.parametrize("info", [b"5", b"true", b"[1 2]", b"<< /Producer <EFBBBFFF> >>"])
def test_a_file_whose_producer_cannot_be_read_travels_plain_as_any_other(info: bytes) -> None:
    data = made("by_glyph_id", [*PROSE[:2], "a secret", *PROSE[2:]])
    unnamed, other = (re.sub(rb"/Info \d+ 0 R", entry, data) for entry in (b"", b"/Info " + info))
    assert len({data, unnamed, other}) == 3
    assert plain_of(other, Mark("page/3")) == plain_of(unnamed, Mark("page/3")) != b""


def test_what_an_annotation_draws_with_is_never_plain() -> None:
    with pikepdf.open(BytesIO(_pictured({1: "Logo", 3: "Logo"}))) as pdf:
        logo = pdf.pages[0].obj.Resources.XObject.Logo
        form = pdf.make_stream(b"/X Do", Subtype=Name.Form, Resources=Dictionary(XObject=Dictionary(X=logo)))
        pdf.pages[4].obj.Annots = Array([Dictionary(Subtype=Name.Stamp, AP=Dictionary(N=form))])
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
    assert b"a logo" not in plain_of(written.getvalue(), Mark("page/3"))


def test_the_glyphs_of_a_type_3_font_are_never_shared() -> None:
    """A page reaches all glyphs of a font, also those that only the classified page shows."""
    with pikepdf.open(BytesIO(made("by_glyph_id", PROSE))) as pdf:
        glyph = pdf.make_stream(b"700 0 0 0 700 700 d1 /G Do")
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 700, 700]),
            FontMatrix=Array([1, 0, 0, 1, 0, 0]),
            FirstChar=65,
            LastChar=66,
            Widths=Array([700, 700]),
            Encoding=Dictionary(Differences=Array([65, Name.A, Name.B])),
            CharProcs=Dictionary(A=glyph, B=glyph),
            Resources=Dictionary(XObject=Dictionary(G=_picture(pdf, b"the pixels of a letter, a secret"))),
        )
        for font_object in (font, pdf.make_indirect(font)):
            for number in (1, 3):
                page = pdf.pages[number - 1].obj
                page.Resources.Font.F3 = font_object
                page.Contents = pdf.make_stream(b"BT /F3 9 Tf (A) Tj ET")
            written = BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
            assert b"pixels of a letter" not in plain_of(written.getvalue(), Mark("page/3"))


def test_another_part_of_the_same_font_is_not_plain_either() -> None:
    """cairo starts a second part for letters outside of Latin: another secret would draw with it, too."""
    plains = []
    for is_used in (False, True):
        with (
            pikepdf.open(BytesIO(made("by_use", PROSE))) as pdf,
            pikepdf.open(BytesIO(made("by_use", ["ΩΔΣ", "ΩΔ"]))) as greek,
        ):
            fonts = [page.obj.Resources.Font for page in pdf.pages]
            second = pdf.copy_foreign(greek.pages[0].obj.Resources.Font.F1)
            for number in (4, 5, 3) if is_used else (4, 5):
                fonts[number - 1].F2 = second
                page = pdf.pages[number - 1].obj
                page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" BT /F2 9 Tf <0001> Tj ET")
            written = BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
        plains.append(plain_of(as_by_cairo(written.getvalue()), Mark("page/3")))
    assert plains[0] == plains[1]
    assert plains[0]


TEX = "The quick brown \x0cx jumps over the lazy dog; o\x0ece sta\x0b."
"""In TeX's OT1: 11 is ff, 12 fi, 14 ffi."""
LIGATURES = {11: "ff", 12: "fi", 14: "ffi", 15: "ffl"}


def _by_tex(program: str, ligatures: dict[int, str], base: str = "/ABCDEF+Some") -> bytes:
    """Three pages in one Type 1 font with an encoding of its own."""
    with pikepdf.new() as pdf:
        names = {ord(one): one for one in "Thequickbrownfxjmpsvlazydgta"} | {59: "semicolon", 46: "period"} | ligatures
        descriptor = Dictionary(Type=Name.FontDescriptor, FontName=Name(base), Flags=4)
        descriptor[program] = pdf.make_stream(b"%!PS-AdobeFont-1.0\neexec")
        differences = [item for code, name in sorted(names.items()) for item in (code, Name(f"/{name}"))]
        font = pdf.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type1,
                BaseFont=Name(base),
                FontDescriptor=pdf.make_indirect(descriptor),
                FirstChar=0,
                LastChar=127,
                Widths=Array([500] * 128),
                Encoding=Dictionary(Type=Name.Encoding, Differences=Array(differences)),
            )
        )
        for text in (TEX, "a secret", TEX):
            page = pdf.add_blank_page(page_size=(600, 800))
            page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
            page.obj.Contents = pdf.make_stream(
                b"BT /F1 12 Tf 50 700 Td ["
                + b" -300 ".join(b"(%b)" % word.encode() for word in text.split(" "))
                + b"] TJ ET"
            )
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
        return written.getvalue()


@pytest.mark.parametrize(
    ("program", "ligatures", "is_plain"),
    [
        ("/FontFile", LIGATURES, True),
        # Programs other than TeX's number ligatures by their use, which may be the same by chance.
        ("/FontFile3", LIGATURES, False),
        ("/FontFile", LIGATURES | {12: "fl"}, False),
        ("/FontFile", LIGATURES | {12: "g12"}, False),
    ],
)
def test_codes_of_tex_say_nothing_of_other_pages(program: str, ligatures: dict[int, str], is_plain: bool) -> None:
    plain = plain_of(_by_tex(program, ligatures), Mark("page/2"))
    assert plain.count(b"quick") == (2 if is_plain else 0)
    assert b"secret" not in plain and b"eexec" not in plain


@pytest.mark.parametrize(("producer", "is_plain"), [("pdfTeX-1.40.25", True), ("GPL Ghostscript 10.0", False)])
def test_a_code_that_only_pages_after_a_secret_show_says_nothing_in_pdfs_of_tex_alone(
    producer: str, is_plain: bool
) -> None:
    with pikepdf.open(BytesIO(_by_tex("/FontFile", LIGATURES))) as pdf:
        pdf.docinfo["/Producer"] = producer
        first = pdf.pages[0].obj
        first.Contents = pdf.make_stream(first.Contents.read_bytes().replace(b";", b""))
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
    plain = plain_of(written.getvalue(), Mark("page/2"))
    assert b"(dog)" in plain
    assert (b"(dog;)" in plain) is is_plain


@pytest.mark.parametrize("numbering", ["by_alphabet", "by_frequency", "by_use_from_the_end"])
def test_text_of_a_form_is_in_the_font_of_its_page(numbering: str) -> None:
    """Until the form chooses another one."""

    def sent(secret: str) -> bytes:
        with pikepdf.open(BytesIO(made(numbering, [PROSE[0], secret, PROSE[1]]))) as pdf:
            shown = pdf.pages[0].obj
            said = shown.Contents.read_bytes()
            found = re.search(rb"/\S+ [\d.]+ Tf", said)
            assert found
            form = pdf.make_stream(said.replace(found[0], b""), Subtype=Name.Form, BBox=Array([0, 0, 2000, 800]))
            form.Resources = Dictionary(Font=shown.Resources.Font)
            shown.Resources.XObject = Dictionary(Fm=form)
            shown.Contents = pdf.make_stream(found[0] + b" /Fm Do")
            written = BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
        return plain_of(written.getvalue(), Mark("page/2"))

    assert sent("x7") == sent("ZAQ!*é and all")


def test_names_in_glyphs_are_not_known() -> None:
    """A form that a glyph draws after the marked page may name pictures by their numbers."""
    pdf = pikepdf.new()
    described = pdf.make_indirect(Dictionary(Type=Name.FontDescriptor, FontName=Name.Some, Flags=32))
    font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Some))
    font.FontDescriptor, font.Encoding = described, Name.WinAnsiEncoding
    for text in (b"one", b"secret", b""):
        page = pdf.add_blank_page().obj
        page.Resources = Dictionary(Font=Dictionary(F1=font))
        page.Contents = pdf.make_stream(b"BT /F1 12 Tf (%s) Tj ET" % text)
    picture = pdf.make_stream(
        bytes(300 * 300), Subtype=Name.Image, Width=300, Height=300, ColorSpace=Name.DeviceGray, BitsPerComponent=8
    )
    drawn = pdf.make_stream(b"/Im7 Do\n" + b"0 0 9 9 re f\n" * 900, Subtype=Name.Form, BBox=Array([0, 0, 9, 9]))
    drawn.Resources = Dictionary(XObject=Dictionary(Im7=picture))
    glyphs = Dictionary(Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 9, 9]), FirstChar=65, LastChar=65)
    glyphs.FontMatrix, glyphs.Widths = Array([0.1, 0, 0, 0.1, 0, 0]), Array([9])
    glyphs.Encoding = Dictionary(Differences=Array([65, Name.glyph]))
    glyphs.CharProcs = Dictionary(glyph=pdf.make_stream(b"9 0 d0 /FormA Do"))
    glyphs.Resources = Dictionary(XObject=Dictionary(FormA=drawn))
    page.Resources = Dictionary(Font=Dictionary(Bullets=pdf.make_indirect(glyphs)))
    page.Contents = pdf.make_stream(b"BT /Bullets 12 Tf (A) Tj ET")
    written = BytesIO()
    pdf.save(written, static_id=True, compress_streams=False)
    assert b"/Im7 Do" not in plain_of(written.getvalue(), Mark("page/2"))


def test_the_font_of_a_text_is_the_last_name_before_its_size() -> None:
    """pdfium takes operands from the end."""

    def sent(secret: str) -> bytes:
        def draw(page: pikepdf.Object, pdf: pikepdf.Pdf) -> None:
            page.Resources.Font.F2 = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            page.Contents = pdf.make_stream(page.Contents.read_bytes().replace(b"/F1 12 Tf", b"/F2 /F1 12 Tf"))

        return plain_of(_redrawn("by_alphabet", [PROSE[0], secret], draw), Mark("page/2"))

    assert sent("x7") == sent("ZAQ!*\u00e9 and all") == b""


def _redrawn(numbering: str, texts: list[str], draw: Callable[[pikepdf.Object, pikepdf.Pdf], None]) -> bytes:
    """The PDF of these `texts` with its first page changed, as by the program of this `numbering`."""
    with pikepdf.open(BytesIO(made(numbering, texts))) as pdf:
        draw(pdf.pages[0].obj, pdf)
        written = BytesIO()
        pdf.save(written, static_id=True, compress_streams=False)
    return as_by_cairo(written.getvalue())


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_code_that_is_only_shown_with_another_text_is_not_safe(is_replaced: bool) -> None:
    """cairo gives a glyph its text when a page first shows it alone, and others `ActualText`: a secret may do that."""

    def draw(page: pikepdf.Object, pdf: pikepdf.Pdf) -> None:
        content = page.Contents.read_bytes()
        head, code = content.rpartition(b"> Tj")[0][:-4], content.rpartition(b"> Tj")[0][-4:]
        tail = b"<%s> Tj" % code
        if is_replaced:
            tail = b"/Span <</ActualText <feff0034>>> BDC %s EMC" % tail
        page.Contents = pdf.make_stream(head + b"> Tj ET BT /F1 12 Tf 50 650 Td " + tail + b" ET")

    texts = ["The quick brown fox jumps over the lazy dog4", PROSE[1], "a secret", "the fox 4", "the fox"]
    plain = plain_of(_redrawn("by_use", texts, draw), Mark("page/3"))
    assert body(texts[4], "by_use", texts) in plain
    assert (body(texts[3], "by_use", texts) in plain) is not is_replaced


def test_a_text_that_looks_like_the_name_of_a_pattern_leaves_the_plain_stream_identical() -> None:
    """Of a pattern with text that there is only for the marked page."""

    def sent(is_patterned: bool) -> bytes:
        with pikepdf.open(BytesIO(made("by_glyph_id", [*PROSE[:2], "a secret", PROSE[3]]))) as pdf:
            pages = [page.obj for page in pdf.pages]
            shared = pages[0].Resources
            shared.Font.F2 = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            pages[1].Contents = pdf.make_stream(pages[1].Contents.read_bytes() + b" BT /F2 9 Tf (see /P1) Tj ET")
            if is_patterned:
                pattern = pdf.make_stream(b"BT /F1 9 Tf <0024> Tj ET", PatternType=1, PaintType=1, TilingType=1)
                pattern.BBox, pattern.XStep, pattern.YStep = Array([0, 0, 9, 9]), 9, 9
                pattern.Resources = Dictionary(Font=Dictionary(F1=shared.Font.F1))
                shared.Pattern = Dictionary(P1=pattern)
                drawn = b"/Pattern cs /P1 scn 0 0 9 9 re f "
                pages[2].Contents = pdf.make_stream(drawn + pages[2].Contents.read_bytes())
            for page in pages:
                page.Resources = shared
            written = BytesIO()
            pdf.save(written, static_id=True, compress_streams=False)
        return plain_of(written.getvalue(), Mark("page/3"))

    assert sent(True) == sent(False) != b""
