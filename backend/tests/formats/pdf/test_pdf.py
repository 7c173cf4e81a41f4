"""PDFs are read, sieved and redacted: the laws first, over several producers and forms of file."""

import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

import pdf_files
from examples import examples
from pdf_files import FORMS, PRODUCERS, by_reportlab, holds, made
from sieve.core.document import Document, Spans
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, FormatError, Protected, RedactionFailed, TooLarge, UnknownPlace
from sieve.formats.pdf import PdfReading, rendering, strings
from sieve.formats.reading import redact

few = settings(max_examples=examples(4))
some = settings(max_examples=examples(12))

SECRET = "ORION"
ALL_OF_IT = "This page is withheld.\nAll of it is classified."

producers = st.sampled_from([*PRODUCERS, *("reportlab", "pikepdf") * 2])
forms = st.sampled_from([*FORMS])
publics = st.lists(st.sampled_from(["green hills", "a river bed", "one (small) boat", "fields of oats"]), min_size=1)
secrets = st.text("QXZJKVéü0379", min_size=5, max_size=12)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str, list[str], int]:
    """Producer, form, the texts of the public pages, and the one that the secret page precedes.

    A revision is appended to the first page, which is therefore never the secret one then.
    """
    producer, form = draw(producers), draw(forms)
    public = draw(publics.filter(lambda texts: len(texts) < 4))
    least = 1 if form == "continued" else 0
    return producer, form, public, draw(st.integers(least, len(public)))


def build(document: tuple[str, str, list[str], int], secret: str) -> bytes:
    """The document with `secret` on its secret page."""
    producer, form, public, place = document
    return made(producer, form, (*public[:place], f"hidden {secret} here", *public[place:]))


def mark_of(reading: PdfReading, secret: str) -> Mark:
    """The first place where a page says `secret`."""
    for unit in reading.units():
        if unit.kind == "page" and secret in unit.text:
            start = unit.text.index(secret)
            return Mark(unit.address, start, start + len(secret))
    raise AssertionError("no page says it")


def sieved(data: bytes, spans: Spans) -> bytes:
    """The plain stream; the document comes back identical."""
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), *streams) == data
    return streams.plain


@some
@given(documents(), secrets)
def test_the_bytes_come_back_and_the_plain_stream_holds_no_marked_text(
    document: tuple[str, str, list[str], int], secret: str
) -> None:
    data = build(document, secret)
    reading = PdfReading(data)
    assert not reading.note
    plain = sieved(data, reading.spans([mark_of(reading, secret)]))
    assert not holds(plain, secret)
    # But it contains what another page draws with, unless its font reveals the secret page.
    assert plain or document[0] in ("reportlab, embedded font", "matplotlib")


@some
@given(documents(), secrets, secrets, st.booleans())
def test_a_change_of_the_secret_alone_leaves_the_plain_stream_identical(
    document: tuple[str, str, list[str], int], one: str, other: str, whole: bool
) -> None:
    plains = []
    for secret in (one, other):
        data = build(document, secret)
        reading = PdfReading(data)
        mark = mark_of(reading, secret)
        plains.append(sieved(data, reading.spans([Mark(mark.address) if whole else mark])))
    assert plains[0] == plains[1]


@few
@given(documents(), secrets, secrets)
def test_the_redacted_edition_keeps_the_other_pages_and_nothing_of_a_marked_one(
    document: tuple[str, str, list[str], int], one: str, other: str
) -> None:
    editions = []
    for secret in (one, other):
        reading = PdfReading(build(document, secret))
        mark = Mark(mark_of(reading, secret).address)
        editions.append(redact(reading, [mark]))
        assert editions[-1] == redact(reading, [mark])
        assert not holds(editions[-1], secret)
        before = {u.address: u.text for u in reading.units() if u.kind == "page" and not u.hidden}
        after = [unit for unit in PdfReading(editions[-1]).units() if unit.kind != "image"]
        assert [unit.text for unit in after if unit.address != mark.address] == [
            text for address, text in before.items() if address != mark.address
        ]
        assert [unit.text for unit in after if unit.address == mark.address] == [ALL_OF_IT]
        assert all(unit.kind == "page" for unit in after)
    assert editions[0] == editions[1]


@some
@given(documents(), st.text(max_size=9), st.integers(-2, 99), st.integers(-2, 99))
def test_what_is_not_there_is_refused_by_name(
    document: tuple[str, str, list[str], int], noise: str, start: int, end: int
) -> None:
    reading = PdfReading(build(document, "QXZJKV"))
    size = len(next(iter(reading.units())).text)
    for mark in (Mark(f"page/{noise}1"), Mark(f"page/9{noise}"), Mark(noise), Mark("page/1/image/99")):
        if mark.address not in ("page/1", "page/01"):
            with pytest.raises(UnknownPlace) as caught:
                reading.spans([mark])
            assert caught.value.address == mark.address
    if not 0 <= start <= end <= size:
        with pytest.raises(UnknownPlace, match="page/1"):
            reading.spans([Mark("page/1", start, end)])


@settings(max_examples=examples(10))
@given(st.data())
def test_a_damaged_file_is_refused_or_sieved_by_the_same_laws(data: st.DataObject) -> None:
    good = data.draw(st.sampled_from(list(_fuzzed())))
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(bad) - 1))
        match data.draw(st.integers(0, 3)):
            case 0:
                bad[at] = data.draw(st.integers(0, 255))
            case 1:
                del bad[at : at + data.draw(st.integers(1, 40))]
            case 2:
                bad[at:at] = data.draw(
                    st.sampled_from([b"<<", b"endstream", b"5 0 obj", b"99999999", b"/Kids [3 0 R]"])
                )
            case _:
                del bad[at:]
        if not bad:
            return
    broken = bytes(bad)
    try:
        reading = PdfReading(broken)
        marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
        spans = reading.spans(marks)
        assert marks or not spans
        if marks:
            assert not holds(sieved(broken, spans), SECRET)
            assert not holds(redact(reading, marks), SECRET)
    except FormatError:
        pass


def _fuzzed() -> Iterator[bytes]:
    pages = ("green hills", f"hidden {SECRET} here", "fields of oats")
    yield made("reportlab", "as it is", pages)
    yield made("pikepdf", "legible", pages)
    yield made("reportlab", "packed", pages)
    yield made("pikepdf", "continued", pages)


def test_without_marks_all_is_plain() -> None:
    assert not PdfReading(by_reportlab(["one", "two"])).spans([])


def test_what_hides_beside_the_pages_is_shown_and_travels_classified() -> None:
    data = pdf_files.with_hidden(["green hills", "fields of oats"], SECRET)
    reading = PdfReading(data)
    told = {unit.address.rstrip("0123456789/"): unit for unit in reading.units() if SECRET in unit.text}
    assert set(told) == {
        *("page", "page/1/layer", "page/1/link", "page/1/annotation", "info/Title", "xmp", "bookmark", "destination"),
        *("attachment", "attachment/1/content", "field", "script", "layer", "structure", "object"),
    }
    objects = "\n".join(unit.text for unit in reading.units() if unit.address.startswith("object/"))
    assert {f"deep {SECRET}", f"launch {SECRET}"} <= set(objects.split("\n"))
    assert all(unit.hidden for kind, unit in told.items() if kind != "page")
    for unit in told.values():
        start = unit.text.index(SECRET)
        plain = sieved(data, reading.spans([Mark(unit.address, start, start + len(SECRET))]))
        assert plain and not holds(plain, SECRET)
    whole = [Mark("page/1")]
    assert [unit.text for unit in PdfReading(redact(reading, whole)).units()] == [
        ALL_OF_IT,
        "fields of oats",
    ]


def test_an_earlier_revision_is_shown_and_travels_classified() -> None:
    data = pdf_files.continued(by_reportlab([f"it was {SECRET}", "green hills"]), "nothing here")
    reading = PdfReading(data)
    earlier = next(unit for unit in reading.units() if SECRET in unit.text)
    assert (earlier.address, earlier.hidden) == ("revision/1/page/1", "an earlier revision")
    plain = sieved(data, reading.spans([Mark(earlier.address)]))
    assert plain and not holds(plain, SECRET)
    assert not holds(redact(reading, [Mark(earlier.address)]), SECRET)


def test_a_marked_text_on_another_page_classifies_that_page_and_stops_the_redaction() -> None:
    data = by_reportlab([f"first {SECRET}", f"then {SECRET} again", "green hills"])
    reading = PdfReading(data)
    marks = [Mark("page/1", 6, 11)]
    assert not holds(sieved(data, reading.spans(marks)), SECRET)
    with pytest.raises(RedactionFailed, match="page/2"):
        redact(reading, marks)
    assert not holds(redact(reading, [*marks, Mark("page/2")]), SECRET)


def test_codes_of_a_shared_embedded_font_reveal_the_marked_page() -> None:
    """The letters of page 1 come first in the font: without page 1, the codes of page 2 would still reveal them."""
    one = pdf_files.by_reportlab_subset(["éü", "öä", "plain"])
    other = pdf_files.by_reportlab_subset(["é", "öä", "plain"])
    contents = []
    for data in (one, other):
        with pikepdf.open(BytesIO(data)) as pdf:
            contents.append([page.obj.Contents.read_raw_bytes() for page in pdf.pages])
    assert contents[0][1] != contents[1][1]
    # The last page has ASCII alone, whose codes are the same in every document of reportlab.
    for data in (one, other):
        assert sieved(data, PdfReading(data).spans([Mark("page/1")])) == contents[0][2]


def test_the_text_of_a_redrawn_page_is_on_one_line() -> None:
    """Readers begin a new word where the size or the line changes: "12.5" could not be found as "1 2 .5"."""
    data = (Path(__file__).parents[1] / "samples" / "producers" / "libreoffice-calc.pdf").read_bytes()
    with pikepdf.open(BytesIO(redact(PdfReading(data), [Mark("page/1")]))) as pdf:
        placed = [
            [float(number) for number in instruction.operands]
            for instruction in pikepdf.parse_content_stream(pdf.pages[1])
            if str(instruction.operator) == "Tm"
        ]
    assert len(placed) > 20
    assert len({(height, line) for _, _, _, height, _, line in placed}) == 4  # Numbers; 12.5 -3 1; 1500000 0.25; Page 2


def test_an_encrypted_file_is_classified_whole_and_says_so() -> None:
    data = pdf_files.encrypted(by_reportlab([f"it is {SECRET}", "green hills"]))
    reading = PdfReading(data)
    assert "encrypted" in reading.note
    assert reading.spans([Mark("page/1")]) == Spans.of([(0, len(data))])
    assert [unit.text for unit in reading.units()][:2] == [f"it is {SECRET}", "green hills"]
    assert [unit.text for unit in PdfReading(redact(reading, [Mark("page/1")])).units()][1] == "green hills"


def test_a_page_may_be_marked_by_its_image_and_as_a_whole() -> None:
    data = pdf_files.by_pikepdf(["green hills", "fields of oats"])
    reading = PdfReading(data)
    assert [unit.address for unit in reading.units() if unit.kind == "image"][:1] == ["page/1/image/1"]
    assert reading.spans([Mark("page/1/image/1")]) == reading.spans([Mark("page/1")])


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", Damaged),
        (b"%PDF-1.7\n%%EOF\n", Damaged),
        (b"no PDF at all", Damaged),
        (pdf_files.encrypted(by_reportlab(["one"]), user="word"), Protected),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(data: bytes, error: type[FormatError]) -> None:
    with pytest.raises(error, match=r"^this (is not a )?PDF"):
        PdfReading(data)


def _written(pdf: pikepdf.Pdf) -> bytes:
    written = BytesIO()
    pdf.save(
        written,
        static_id=True,
        preserve_pdfa=False,
        fix_metadata_version=False,
        compress_streams=False,
        stream_decode_level=pikepdf.StreamDecodeLevel.none,
    )
    return written.getvalue()


def _two_pages() -> pikepdf.Pdf:
    return pikepdf.open(BytesIO(by_reportlab([f"it is {SECRET}", "green hills"])))


def test_data_after_the_end_of_compressed_data_is_not_plain() -> None:
    with _two_pages() as pdf:
        packed = zlib.compress(b"BT ET") + zlib.compress(SECRET.encode())
        pdf.pages[1].obj.Contents = pikepdf.Stream(pdf, packed, Filter=Name.FlateDecode)
        data = _written(pdf)
    assert sieved(data, PdfReading(data).spans([Mark("page/1")])) == b""


def test_a_length_that_reaches_over_the_next_object_is_not_plain() -> None:
    with _two_pages() as pdf:
        inner = b"BT ET\nendstream\nendobj\n77 0 obj\n<< /Length 5 >>\nstream\n" + SECRET.encode()
        pdf.pages[1].obj.Contents = pikepdf.Stream(pdf, inner)
        data = _written(pdf)
    assert sieved(data, PdfReading(data).spans([Mark("page/1")])) == b""


def test_loops_end() -> None:
    with _two_pages() as pdf:
        first, second = (page.obj for page in pdf.pages)
        item = pdf.make_indirect(Dictionary(Title=pikepdf.String("again")))
        item.Next = item
        item.First = item
        pdf.Root.Outlines = item
        tree = pdf.make_indirect(Dictionary())
        tree.Kids = Array([tree])
        pdf.Root.Names = Dictionary(Dests=tree, EmbeddedFiles=tree, JavaScript=tree)
        form = pdf.make_stream(b"/X Do", Subtype=Name.Form, Type=Name.XObject, BBox=Array([0, 0, 9, 9]))
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        second.Resources = Dictionary(XObject=Dictionary(X=form), Font=second.Resources.Font)
        second.Annots = Array([Dictionary(Subtype=Name.Link, A=Dictionary(Next=item), Parent=item, P=first)])
        data = _written(pdf)
    reading = PdfReading(data)
    assert [unit.address for unit in reading.units() if unit.kind == "bookmark"] == ["bookmark/1"]
    assert not holds(sieved(data, reading.spans([Mark("page/1")])), SECRET)
    assert not holds(redact(reading, [Mark("page/1")]), SECRET)
    broken = data.replace(b"/Type /Pages", b"/Type /Pages /Kids [2 0 R]")
    with pytest.raises(Damaged):
        looping = PdfReading(broken)
        assert sieved(broken, looping.spans([Mark("page/1")])) == b""
        raise Damaged("")


def test_an_object_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "MAX_VALUES", 9)
    pdf = _two_pages()
    pdf.Root.Any = Array([pikepdf.String(f"word {number}") for number in range(9)])
    with pytest.raises(TooLarge):
        list(PdfReading(_written(pdf)).units())


def test_bombs_are_bounded() -> None:
    bomb = zlib.compress(b"\0" * (130 << 20), 1)
    with _two_pages() as pdf:
        pdf.pages[1].obj.Contents = pikepdf.Stream(pdf, bomb, Filter=Name.FlateDecode)
        pdf.Root.Metadata = pikepdf.Stream(pdf, bomb, Filter=Name.FlateDecode)
        data = _written(pdf)
    reading = PdfReading(data)
    assert "xmp" not in {unit.address for unit in reading.units()}
    assert reading.spans([Mark("page/1")]) == PdfReading(data).spans([Mark("page/1")])
    assert sieved(data, reading.spans([Mark("page/1")])) == b""


def test_page_pictures_and_boxes() -> None:
    with _two_pages() as pdf:
        for index, turn in enumerate((0, 90)):
            pdf.pages[index].obj.Rotate = turn
        reading = PdfReading(_written(pdf))
    for number, unit in enumerate((unit for unit in reading.units() if unit.kind == "page"), 1):
        text, boxes = reading.page_boxes(number)
        width, height = reading.page_size(number)
        assert text == unit.text
        assert len(boxes) == len(text)
        assert all(0 <= box.left <= box.right <= width and 0 <= box.top <= box.bottom <= height for box in boxes)
        assert reading.page_image(number, 0.5).startswith(b"\x89PNG\r\n\x1a\n")
    assert reading.page_size(1) == tuple(reversed(reading.page_size(2)))
    with pytest.raises(TooLarge):
        reading.page_image(1, 99)
    with pytest.raises(UnknownPlace, match="page/3"):
        reading.page_boxes(3)
    assert rendering.MAX_PIXELS == 25_000_000


def test_no_secret_in_a_repr() -> None:
    assert SECRET not in repr(PdfReading(by_reportlab([SECRET])))
