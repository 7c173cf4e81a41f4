"""What every format must do, for Word."""

import zipfile
from io import BytesIO

import docx as python_docx_library
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from file_checks import any_marks, check_withheld, plain_stream
from office_files import DOCX_PLACES, archive, docx, entries, flat, png, python_docx, readings
from sieve.core.document import Document, Spans
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark, Unit
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import FormatError, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import redact
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN

# Without vowels, so that none of them is a word of the markup.
words = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
numbers = st.from_regex(r"[1-9][0-9]{6,8}|\+49 30 [1-9][0-9]{6}|20[0-9]{2}-1[0-2]-2[0-9]", fullmatch=True)
secrets = words | numbers
places = st.sets(st.sampled_from(DOCX_PLACES), max_size=4)
few = settings(max_examples=examples(15), deadline=None)


def marks(secret: str) -> list[Mark]:
    return [Mark("word/document.xml/p2", 5, 5 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(DocxReading(data), data, given_marks)


@few
@given(secrets, places)
def test_the_same_bytes_come_back(secret: str, where: set[str]) -> None:
    data = docx(secret, where)
    spans = DocxReading(data).spans(marks(secret))
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), streams.secure, streams.plain) == data


@few
@given(secrets, secrets, places)
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    assert plain_of(docx(one, where), marks(one)) == plain_of(docx(other, where), marks(other))


@pytest.mark.parametrize(("place", "secret"), [*((p, "XQZVK PLMRT") for p in DOCX_PLACES), ("watermark", "77142299")])
def test_no_place_reveals_the_secret_in_the_plain_stream(place: str, secret: str) -> None:
    data = docx(secret, {place})
    plain = plain_of(data, marks(secret))
    assert plain
    # Everything in the plain stream, in any decoding.
    assert not [text for text in readings(plain) if flat(secret) in text or flat(secret).replace(" ", "_") in text]


IN_THE_BODY = [
    *(
        "alt",
        "author",
        "bookmark",
        "case",
        "cdata",
        "charref",
        "deleted",
        "field",
        "hidden",
        "hidden_style",
        "inserted",
    ),
    *("moved", "old_drawing", "remark", "sdt", "split", "table", "text_box", "tooltip", "white_space", "attribute14"),
    *("foreign_attribute", "picture_link"),
]


@pytest.mark.parametrize(
    ("place", "secret"),
    [*((p, "XQZVK PLMRT") for p in IN_THE_BODY), ("foreign_attribute", "77142299"), ("picture_link", "77142299")],
)
def test_a_part_that_says_the_marked_text_again_travels_with_it(place: str, secret: str) -> None:
    data = docx(secret, {"header", place}, body_tells=False)
    assert any(flat(secret) in text for text in readings(data))
    plain = plain_of(data, [Mark("word/header1.xml/p1")])
    assert not [text for text in readings(plain) if flat(secret) in text]
    # And with nothing of it in there, it does not.
    unmarked = docx(secret, {"header"}, body_tells=False)
    entry = DocxReading(unmarked).container.entries["word/document.xml"]
    assert unmarked[entry.start : entry.end] in plain_of(unmarked, [Mark("word/header1.xml/p1")])


# What is no XML is not read, nor formatting, remarks and names of parts.
@pytest.mark.parametrize(
    "place",
    sorted(
        {*DOCX_PLACES}
        - {"picture_text", "picture_packed", "thumbnail", "embedded", "unknown", "font", "theme", "remark"}
        - {"directory_comment", "extra", "between", "prefix", "suffix", "name_of_part", "sheet_of_rels", "white_space"}
        - {"attribute14", "case"}
    ),
)
def test_what_a_program_can_show_is_a_unit(place: str) -> None:
    told = [unit for unit in DocxReading(docx("XQZVK PLMRT", {place})).units() if "XQZVK PLMRT" in unit.text]
    assert [unit for unit in told if unit.address != "word/document.xml/p2"]


@pytest.mark.parametrize("code", ["utf-8", "utf-16"])
def test_where_pages_end_is_worked_out_from_headers(code: str) -> None:
    with zipfile.ZipFile(BytesIO(docx("XQZVK", {"header"}, body_tells=False))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    main = "word/document.xml"
    parts[main] = parts[main].replace(b"<w:t ", b"<w:lastRenderedPageBreak/><w:t ", 1).decode().encode(code)
    data = archive(parts)
    entry = DocxReading(data).container.entries[main]
    assert data[entry.start : entry.end] not in plain_of(data, [Mark("word/header1.xml/p1")])


def test_a_new_document_has_few_units_besides_its_text() -> None:
    reading = DocxReading(python_docx("XQZVK"))
    hidden = {finding.address for finding in check([*reading.units()], []) if finding.kind == HIDDEN}
    assert not {address for address in hidden if not address.startswith(("docProps/", "word/document.xml/a"))}
    assert len(hidden) <= 5


@pytest.mark.parametrize("place", DOCX_PLACES)
def test_no_place_reveals_the_secret_in_the_redacted_edition(place: str) -> None:
    secret = "XQZVK PLMRT"
    edition = redact(DocxReading(docx(secret, {place})), marks(secret))
    for part in entries(edition):
        assert not [text for text in readings(part) if flat(secret) in text]
    assert flat(secret) not in flat(edition.decode("latin-1"))
    texts = [paragraph.text for paragraph in python_docx_library.Document(BytesIO(edition)).paragraphs]
    assert f"Ship {MARKER} leaves at noon" in texts


def test_what_is_said_about_a_drawing_is_left_behind_however_it_writes_the_secret() -> None:
    """Nobody is shown it: it hides in a part that travels classified."""
    with zipfile.ZipFile(BytesIO(docx("XQZVK PLMRT"))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    main = "word/document.xml"
    parts[main] = parts[main].replace(b'descr="nothing"', b'descr="xqzvk_plmrt" title="xqzvk_plmrt"')
    edition = redact(DocxReading(archive(parts)), marks("XQZVK PLMRT"))
    assert b"xqzvk_plmrt" in parts[main]
    assert not [part for part in entries(edition) if b"xqzvk_plmrt" in part]


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        *((text, True) for text in ("Chapter XQZVK %1.", "4711-%1", "R2-D2 %1", "第%1章", "項%1", "7")),
        *((text, False) for text in ("%1.", "(%1)", "%1.%2.%3", "•", "\uf0b7", "o", "§", "Ø", "a)")),
    ],
)
def test_the_text_of_a_numbering_is_shown_if_it_has_words(text: str, shows: bool) -> None:
    units = DocxReading(docx(text, {"numbering"})).units()
    assert [unit.text for unit in units if unit.kind == "text of a numbering"] == [text] * shows


def test_a_name_of_a_style_that_the_redacted_edition_keeps_may_be_plain() -> None:
    """If the name of a style reveals the secret, the part is classified; the edition still has the other names."""
    reading = DocxReading(docx("XQZVK PLMRT", {"custom_style"}))
    name = next(unit for unit in reading.units() if unit.address.startswith("word/styles.xml/"))
    assert reading.plain_places(marks("XQZVK PLMRT"))(name.address)
    assert not reading.plain_places([Mark(name.address)])(name.address)


def with_styles(*names: str, header: str = "nothing") -> bytes:
    """A document with styles of somebody's own, and a header that says `header`."""
    with zipfile.ZipFile(BytesIO(docx("XQZVK PLMRT"))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    written = "".join(f'<w:style w:customStyle="1"><w:name w:val="{name}"/></w:style>' for name in names)
    parts["word/styles.xml"] = parts["word/styles.xml"].replace(b"</w:styles>", f"{written}</w:styles>".encode())
    parts["word/header1.xml"] = parts["word/header1.xml"].replace(b"nothing", header.encode())
    return archive(parts)


def test_names_of_styles_are_one_unit_and_one_finding() -> None:
    """A program brings a hundred along; all of them are there to be read, and to be marked."""
    units = [*DocxReading(with_styles("North Wind", "South&#10;Wind", "North Wind")).units()]
    (unit,) = (unit for unit in units if unit.address.startswith("word/styles.xml/"))
    assert unit.text == "nothing\n\nNorth Wind\n\nSouth Wind"
    (found,) = (one for one in check(units, []) if one.address == unit.address)
    assert (found.kind, found.start, found.end) == (HIDDEN, 0, len(unit.text))
    assert "is a list of 3, each of them a name of a style" in found.sentence
    phrases = check([*units, Unit("text", "The North Wind", "text")], [Mark("text", 4, 14)])
    assert [one.start for one in phrases if one.address == unit.address and one.kind == "phrase"] == [9]


@pytest.mark.parametrize(
    "mark", [Mark("word/styles.xml/a1"), Mark("word/styles.xml/a1", 9, 28), Mark("word/styles.xml")]
)
def test_each_name_in_a_list_is_searched_separately(mark: Mark) -> None:
    data = with_styles("BCDFG HJKLM", "NPQRS TVWXZ", header="BCDFG HJKLM")
    reading = DocxReading(data)
    header = reading.container.entries["word/header1.xml"]
    assert data[header.start : header.end] in plain_of(data, marks("XQZVK PLMRT"))
    assert data[header.start : header.end] not in plain_of(data, [mark])
    assert not [part for part in entries(redact(reading, [mark])) if b"HJKLM" in part or b"TVWXZ" in part]


@pytest.mark.parametrize(
    "broken",
    [
        *(b"<<<<", b"<a:theme", b"<![CDATA[" * 300_000, b"<?" * 300_000),
        # Without a mark of the byte order, which some programs do not ask for.
        *('<a name="XQZVK PLMRT"/>'.encode(code) for code in ("utf-16-le", "utf-16-be", "utf-32-le")),
    ],
)
def test_a_structure_that_is_no_xml_travels_classified(broken: bytes) -> None:
    """What it says is not known, and looking through it would take an hour."""
    with zipfile.ZipFile(BytesIO(docx("XQZVK PLMRT"))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = "word/theme/theme1.xml"
    for data, is_plain in ((archive(parts), True), (archive({**parts, name: broken}), False)):
        entry = DocxReading(data).container.entries[name]
        assert (data[entry.start : entry.end] in plain_of(data, marks("XQZVK PLMRT"))) is is_plain


def test_everything_at_once_is_redacted() -> None:
    secret = "XQZVK PLMRT"
    edition = redact(DocxReading(docx(secret, DOCX_PLACES)), marks(secret))
    assert not [unit for unit in DocxReading(edition).units() if flat(secret) in flat(unit.text)]
    # What was inserted is seen, so it is withheld; what was deleted or hidden is gone.
    assert not [
        unit for unit in DocxReading(edition).units() if unit.hidden in ("a comment", "deleted text", "hidden text")
    ]


@few
@given(st.data())
def test_any_marks_are_withheld(data: st.DataObject) -> None:
    file = docx("XQZVK", {"header", "comment", "deleted", "text_box"})
    reading = DocxReading(file)
    given_marks, texts = any_marks(data, reading)
    plain_of(file, given_marks)
    check_withheld(DocxReading(redact(reading, given_marks)), texts)


def test_units_show_what_hides() -> None:
    found = {unit.text: unit for unit in DocxReading(docx("XQZVK", DOCX_PLACES)).units()}
    by_hiding = {unit.hidden for unit in DocxReading(docx("XQZVK", DOCX_PLACES)).units() if "XQZVK" in unit.text}
    assert found["Ship XQZVK leaves at noon"].hidden == ""
    assert by_hiding >= {"", "a comment", "deleted text", "hidden text", "a field code", "a property", "a bookmark"} - {
        "a bookmark"
    }
    addresses = [unit.address for unit in DocxReading(docx("XQZVK", DOCX_PLACES)).units()]
    assert len(addresses) == len(set(addresses))
    assert {"word/media/image1.png", "word/embeddings/object1.bin", "docProps/thumbnail.png"} <= set(addresses)


def test_a_producers_file() -> None:
    data = python_docx("XQZVK")
    reading = DocxReading(data)
    assert reading.spans([]) == Spans.EMPTY
    assert redact(reading, []) == data
    plain = plain_of(data, marks("XQZVK"))
    # The picture, the formatting and the header reveal nothing.
    names = {"word/media/image1.png", "word/styles.xml", "word/header1.xml", "word/theme/theme1.xml"}
    for name in names:
        entry = reading.container.entries[name]
        assert data[entry.start : entry.end] in plain
    for name in {"word/document.xml", "docProps/app.xml", "docProps/thumbnail.jpeg", "word/settings.xml"}:
        entry = reading.container.entries[name]
        assert data[entry.start : entry.end] not in plain
    assert plain == plain_of(python_docx("BCDFG HJKLM"), marks("BCDFG HJKLM"))


def test_a_part_is_marked_whole() -> None:
    data = python_docx("XQZVK")
    reading = DocxReading(data)
    picture = reading.container.entries["word/media/image1.png"]
    given_marks = [Mark("word/media/image1.png"), Mark("word/header1.xml")]
    assert data[picture.start : picture.end] not in separate(Document(data, reading.spans(given_marks))).plain
    edition = redact(reading, given_marks)
    assert png() not in entries(edition)
    document = python_docx_library.Document(BytesIO(edition))
    assert [paragraph.text for paragraph in document.sections[0].header.paragraphs] == [MARKER]
    assert document.paragraphs[-1].text == MARKER


def test_touching_marks_make_one_marker_of_one_width() -> None:
    reading = DocxReading(docx("XQZVK"))
    address = "word/document.xml/p2"
    edition = redact(reading, [Mark(address, 5, 7), Mark(address, 7, 10), Mark(address, 21, 25)])
    texts = {unit.address: unit.text for unit in DocxReading(edition).units()}
    assert texts[address] == f"Ship {MARKER} leaves at {MARKER}"
    whole = redact(reading, [Mark("word/document.xml")])
    assert [unit.text for unit in DocxReading(whole).units() if unit.kind == "paragraph"] == [MARKER]


@pytest.mark.parametrize(
    "mark",
    [
        *(Mark("word/document.xml/p99"), Mark("word/nothing.xml"), Mark(""), Mark("word"), Mark("text", 0, 1)),
        *(Mark("word/document.xml/p2", 0, 999), Mark("word/document.xml/p2", 3, 2), Mark("word/document.xml/p2", 3)),
        Mark("word/document.xml", 0, 3),
    ],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    reading = DocxReading(docx("XQZVK"))
    for use in (type(reading).spans, redact):
        with pytest.raises(UnknownPlace) as caught:
            use(reading, [mark])
        assert str(caught.value).startswith(f"{mark.address}: ")


@few
@given(st.data())
def test_a_damaged_file_gets_a_clear_answer(data: st.DataObject) -> None:
    file = bytearray(docx("XQZVK", {"comment"}))
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(file)) | st.just(len(file)))
    try:
        reading = DocxReading(bytes(file[:cut]))
        spans = reading.spans([Mark(reading.main)])
        assert separate(Document(bytes(file[:cut]), spans)).plain is not None
    except FormatError as error:
        assert "XQZVK" not in str(error)


@pytest.mark.parametrize("word", ["document", "relationship", "Normal", "center", "xml", "utf-8", "1440"])
def test_words_of_the_markup_can_be_marked(word: str) -> None:
    edition = redact(DocxReading(python_docx(word)), marks(word))
    texts = [paragraph.text for paragraph in python_docx_library.Document(BytesIO(edition)).paragraphs]
    assert f"Ship {MARKER} leaves at noon" in texts


def with_style_id(name: str) -> bytes:
    """What programs make of a style of that name: its number is the name's letters, those of ASCII at least."""
    bare = "".join(character for character in name if character.isalnum() and character.isascii())
    with zipfile.ZipFile(BytesIO(docx(name))) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    for part, old, new in (
        ("word/styles.xml", 'w:styleId="Secret"', f'w:styleId="{bare}"'),
        ("word/styles.xml", '<w:name w:val="nothing"', f'<w:name w:val="{name}"'),
        ("word/header1.xml", "<w:p>", f'<w:p><w:pPr><w:pStyle w:val="{bare}"/></w:pPr>'),
    ):
        assert old.encode() in parts[part]
        parts[part] = parts[part].replace(old.encode(), new.encode())
    return archive(parts)


@pytest.mark.parametrize("name", ["XQZVK PLMRT", "XQZVK-PLMRT (North)", "XQZVK / PLMRT", "XQZVKÜ PLMRT"])
def test_the_id_of_a_style_that_is_its_name_does_not_reveal_it(name: str) -> None:
    """Every paragraph with the style contains it."""
    data = with_style_id(name)
    reading = DocxReading(data)
    (style,) = (unit.address for unit in reading.units() if unit.address.startswith("word/styles.xml/"))
    for given_marks in ([Mark(style)], marks(name)):
        assert not [text for text in readings(plain_of(data, given_marks)) if "xqzvkplmrt" in text]
        edition = redact(reading, given_marks)
        assert not [text for part in entries(edition) for text in readings(part) if "xqzvkplmrt" in text]


@pytest.mark.parametrize("text", ['see x="', "see x='", ' alt="', ' w:val = "', "<![CDATA[ <w:tag w:val='x ]]>"])
def test_a_text_that_looks_like_an_attribute_hides_none(text: str) -> None:
    with zipfile.ZipFile(BytesIO(docx("XQZVK PLMRT"))) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    font = f'>{text}</w:t></w:r><w:r><w:rPr><w:rFonts w:ascii="XQZVK PLMRT"/></w:rPr><w:t>nothing</w:t>'
    assert b">nothing</w:t>" in parts["word/header1.xml"]
    parts["word/header1.xml"] = parts["word/header1.xml"].replace(b">nothing</w:t>", font.encode())
    plain = plain_of(archive(parts), marks("XQZVK PLMRT"))
    assert not [one for one in readings(plain) if "xqzvk" in one]
