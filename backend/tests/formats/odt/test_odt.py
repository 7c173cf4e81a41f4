"""The invariants of a format, for OpenDocument texts."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import any_marks, check_withheld, plain_stream
from odf_files import NAMESPACES, ODT_PLACES, odf, odt, odt_of
from office_files import archive, entries, flat, png, readings
from sieve.core.document import Spans
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, FormatError, Protected, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.odt.reading import OdtReading
from sieve.formats.reading import read, redact

SECRET = "XQZVK PLMRT"
words = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
numbers = st.from_regex(r"[1-9][0-9]{6,8}|\+49 30 [1-9][0-9]{6}|20[0-9]{2}-1[0-2]-2[0-9]", fullmatch=True)
secrets = words | numbers
places = st.sets(st.sampled_from(ODT_PLACES), max_size=4)
few = settings(max_examples=10, deadline=None)


def marks(secret: str = SECRET) -> list[Mark]:
    """A mark on the secret in the second paragraph."""
    address = next(unit.address for unit in OdtReading(odt(secret)).units() if unit.text.startswith("Ship "))
    return [Mark(address, 5, 5 + len(secret))]


def marked(data: bytes, secret: str) -> list[Mark]:
    """The same where deleted text and forms come before it."""
    address = next(unit.address for unit in OdtReading(data).units() if unit.text.startswith("Ship "))
    return [Mark(address, 5, 5 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(OdtReading(data), data, given_marks)


def travels(data: bytes, part: str, given_marks: list[Mark]) -> bool:
    """Whether all of a part is in the plain stream."""
    entry = OdtReading(data).container.entries[part]
    return data[entry.start : entry.end] in plain_of(data, given_marks)


def shown(part: bytes) -> str:
    """What a part says, with and without its tags."""
    text = part.decode("utf-8", "replace")
    return flat(unescape(text) + unescape(re.sub("<[^>]*>", "", text)))


@few
@given(secrets, secrets, places)
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    first, second = odt(one, where), odt(other, where)
    assert plain_of(first, marked(first, one)) == plain_of(second, marked(second, other))


@pytest.mark.parametrize("place", ODT_PLACES)
def test_no_place_reveals_the_secret(place: str) -> None:
    data = odt(SECRET, {place})
    given_marks = marked(data, SECRET)
    plain = plain_of(data, given_marks)
    assert plain
    assert not [text for text in readings(plain) if flat(SECRET) in text or flat(SECRET).replace(" ", "_") in text]
    edition = redact(OdtReading(data), given_marks)
    assert not [part for part in map(shown, [*entries(edition), edition]) if "xqzvk" in part]
    assert f"Ship {MARKER} leaves at noon" in [unit.text for unit in OdtReading(edition).units()]


IN_THE_TEXT = sorted(
    {*ODT_PLACES}
    - {"author", "between", "core", "custom_property", "directory_comment", "embedded", "extra", "keyword", "macro"}
    - {"manifest", "object", "picture_packed", "picture_text", "prefix", "property_name", "rdf", "replacement"}
    - {"setting", "suffix", "thumbnail", "unknown", "name_of_part"}
    - {"header", "footer", "style_name", "style_title", "list_suffix", "number_text"}
)


@pytest.mark.parametrize("place", IN_THE_TEXT)
def test_a_text_that_says_the_marked_words_again_travels_classified(place: str) -> None:
    data = odt(SECRET, {"header", place}, body_tells=False)
    plain = plain_of(data, [Mark("styles.xml/p1")])
    assert not [text for text in readings(plain) if flat(SECRET) in text]


@pytest.mark.parametrize("place", ["header", "footer", "style_name", "style_title", "list_suffix", "number_text"])
def test_styles_that_say_the_marked_words_travel_classified(place: str) -> None:
    assert travels(odt(SECRET), "styles.xml", marks())
    assert not travels(odt(SECRET, {place}), "styles.xml", marks())


def test_an_unmarked_text_travels_plain_beside_a_marked_header() -> None:
    data = odt(SECRET, {"header", "table", "text_box", "footnote", "split"}, body_tells=False)
    header = [Mark("styles.xml/p1")]
    plain = odt("nothing else", {"header", "table"}, body_tells=False)
    assert not travels(data, "content.xml", header)
    assert travels(plain, "content.xml", [Mark("styles.xml/p1", 0, 3)])
    assert travels(plain, "Pictures/1.png", [Mark("styles.xml/p1", 0, 3)])


@pytest.mark.parametrize("inside", ["<text:page-number>2</text:page-number>", "<text:soft-page-break/>"])
def test_what_a_program_computes_travels_classified(inside: str) -> None:
    """A higher header makes shorter pages."""
    body = f"<text:p>Page {inside} of it</text:p>"
    assert OdtReading(odt_of("<text:p>Page</text:p>")).may_travel_plain("content.xml")
    assert not OdtReading(odt_of(body)).may_travel_plain("content.xml")


@pytest.mark.parametrize(
    "place",
    sorted(
        {*ODT_PLACES}
        - {"directory_comment", "extra", "between", "prefix", "suffix", "name_of_part", "manifest", "remark"}
        - {"instruction", "picture_text", "picture_packed", "thumbnail", "embedded", "unknown", "macro", "replacement"}
        - {"picture_data", "white_space", "case"}
    ),
)
def test_what_a_program_can_show_is_a_unit(place: str) -> None:
    told = [unit for unit in OdtReading(odt(SECRET, {place}, body_tells=False)).units() if SECRET in unit.text]
    assert told


def test_everything_at_once_is_redacted() -> None:
    data = odt(SECRET, {*ODT_PLACES} - {"prefix"})
    edition = redact(OdtReading(data), marked(data, SECRET))
    units = [*OdtReading(edition).units()]
    assert not [unit for unit in units if flat(SECRET) in flat(unit.text)]
    assert {unit.kind for unit in units if unit.hidden and unit.text} <= {"name of a style", "text"}


def test_units_have_places_and_say_what_hides() -> None:
    data = odt(SECRET, {*ODT_PLACES} - {"prefix"})
    units = [*OdtReading(data).units()]
    addresses = [unit.address for unit in units]
    assert len(addresses) == len({*addresses})
    by_hiding = {unit.hidden for unit in units if SECRET in unit.text}
    assert by_hiding >= {"", "a comment", "deleted text", "hidden text", "a property", "text outside of the pages"}
    assert {"table cell", "footnote", "endnote", "text box", "header", "footer", "comment"} <= {u.kind for u in units}
    (cell,) = next(unit.cells for unit in units if unit.kind == "table cell" and unit.text == SECRET)
    assert (cell.row, cell.column, cell.rows, cell.columns) == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("a <text:s text:c='2'/>b", "a   b"),
        (" \n a\t \n b ", "a b "),
        ("a<text:tab/> b<text:line-break/>c", "a\t b\nc"),
        ("a <text:span> b</text:span>", "a b"),
        ("<text:s text:c='999999999'/>", " " * 100),
        ("<text:s text:c='-4'/>x", " x"),
    ],
)
def test_white_space_is_read_as_programs_show_it(inside: str, text: str) -> None:
    assert next(iter(OdtReading(odt_of(f"<text:p>{inside}</text:p>")).units())).text == text


def test_marks_on_tabs_runs_and_notes_are_withheld() -> None:
    inside = "<text:note-citation>1</text:note-citation><text:note-body><text:p>So</text:p></text:note-body>"
    note = f"<text:note>{inside}</text:note>"
    data = odt_of(f"<text:p>ab<text:tab/>cd<text:span>ef</text:span>gh{note} ij</text:p>")
    reading = OdtReading(data)
    assert [unit.text for unit in reading.units()][:2] == ["ab\tcdefgh1 ij", "So"]
    edition = OdtReading(redact(reading, [Mark("content.xml/p1", 1, 6), Mark("content.xml/p1", 8, 9)]))
    assert [unit.text for unit in edition.units()][:2] == [f"a{MARKER}fg{MARKER}1 ij", "So"]
    whole = OdtReading(redact(reading, [Mark("content.xml")]))
    assert [unit.text for unit in whole.units() if unit.text] == [MARKER]


@few
@given(st.data())
def test_any_marks_are_withheld(data: st.DataObject) -> None:
    file = odt("XQZVK", {"header", "comment", "deleted", "text_box", "footnote"})
    reading = OdtReading(file)
    given_marks, texts = any_marks(data, reading)
    plain_of(file, given_marks)
    check_withheld(OdtReading(redact(reading, given_marks)), texts)


def test_nothing_marked_is_nothing_classified() -> None:
    data = odt(SECRET)
    assert OdtReading(data).spans([]) == Spans.EMPTY
    assert redact(OdtReading(data), []) == data


def test_a_marked_picture_leaves_a_marker() -> None:
    reading = OdtReading(odt(SECRET))
    edition = redact(reading, [Mark("Pictures/1.png")])
    assert png() in entries(redact(reading, marks()))
    assert png() not in entries(edition)
    assert MARKER in [unit.text for unit in OdtReading(edition).units()]


@pytest.mark.parametrize(
    "mark",
    [Mark("content.xml/p99"), Mark("nothing.xml"), Mark(""), Mark("content.xml/p2", 0, 999), Mark("content.xml", 0, 3)],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace):
        OdtReading(odt(SECRET)).spans([mark])


def test_bad_files_are_refused_with_a_sentence() -> None:
    kind = "application/vnd.oasis.opendocument.text"
    encrypted = (
        '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    )
    with pytest.raises(Protected, match="protected by a password"):
        read("a.odt", odf(kind, {"content.xml": b"\x00\x01"}, manifest=encrypted.encode()))
    for data in (
        odf(kind, {}),
        odf(kind, {"content.xml": b"<x"}),
        odf(f"{kind}-master", {"content.xml": b"<x/>"}),
        odf(kind, {"content.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}),
        odt(SECRET)[:1000],
        b"",
        b"no",
    ):
        with pytest.raises(FormatError):
            read("a.odt", data)
    with pytest.raises(Damaged, match="save it again as .odt"):
        read("a.odt", odf("application/zip", {"content.xml": b"<x/>"}))


def test_a_template_is_a_text() -> None:
    template = odf("application/vnd.oasis.opendocument.text-template", {"content.xml": b"<x/>"})
    assert read("a.bin", template).name == read("a.zip", odt_of("")).name == "odt"


def test_an_old_list_of_parts_names_its_dtd() -> None:
    """Programs of 2005 do, and leave the namespace to it."""
    kind = "application/vnd.oasis.opendocument.text"
    dtd = '<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd">'
    data = odt_of("<text:p>One</text:p>")
    content = OdtReading(data).container.read("content.xml")
    parts = {"mimetype": kind.encode(), "content.xml": content}
    old = archive({**parts, "META-INF/manifest.xml": f"{dtd}<manifest:manifest></manifest:manifest>".encode()})
    assert next(unit.text for unit in read("a.odt", old).units()) == "One"
    with pytest.raises(Damaged):
        OdtReading(archive({**parts, "META-INF/manifest.xml": f"{dtd[:-1]} [<!ENTITY a 'b'>]><x/>".encode()}))
    with pytest.raises(Damaged):
        OdtReading(odf(kind, {"content.xml": dtd.encode() + content}))


def test_names_of_styles_and_pictures_are_checked_one_by_one() -> None:
    """The end of one name and the beginning of the next are no text, and an edition's own names tell nothing."""
    reading = OdtReading(odt(SECRET, {"object_name"}))
    names = [Mark(unit.address) for unit in reading.units() if unit.text == SECRET and unit.kind.startswith("name")]
    assert names
    redact(reading, names)
    data = odt_of('<text:p>Hide Secret</text:p><text:p>Picture</text:p><text:p><draw:frame draw:name="p"/></text:p>')
    parts = dict(zip(OdtReading(data).container.entries, entries(data), strict=True))
    styles = OdtReading(odt(SECRET)).container.read("styles.xml")
    reading = OdtReading(archive({**parts, "styles.xml": styles}))
    edition = OdtReading(redact(reading, [Mark("content.xml/p1"), Mark("content.xml/p2")]))
    assert "Hide" in next(unit.text for unit in edition.units() if unit.address == "styles.xml/a1")


@pytest.mark.parametrize("name", ["XQZVK PLMRT", "Bob"])
def test_a_text_that_uses_a_style_with_a_marked_name_travels_classified(name: str) -> None:
    written = name.replace(" ", "_20_")
    style = f'<office:styles><style:style style:name="{written}" style:display-name="{name}"/></office:styles>'
    body = f'<office:body><office:text><text:p text:style-name="{written}">Hi</text:p></office:text></office:body>'
    parts = {
        "content.xml": f"<office:document-content {NAMESPACES}>{body}</office:document-content>".encode(),
        "styles.xml": f"<office:document-styles {NAMESPACES}>{style}</office:document-styles>".encode(),
    }
    data = odf("application/vnd.oasis.opendocument.text", parts)
    assert not travels(data, "content.xml", [Mark("styles.xml/a1", 0, len(name))])


@pytest.mark.parametrize(
    "place",
    [
        '<draw:rect svg:width="{size}cm" svg:height="{size}cm">{text}</draw:rect>',
        '<draw:custom-shape svg:width="{size}cm" svg:height="{size}cm">{text}</draw:custom-shape>',
        '<draw:frame svg:width="5cm" svg:height="{size}cm"><draw:text-box fo:min-height="{size}cm">{text}'
        "</draw:text-box></draw:frame>",
    ],
)
@given(size=st.integers(1, 1000))
def test_no_size_of_a_shape_follows_from_withheld_text(place: str, size: int) -> None:
    def edition(text: str, size: int) -> list[bytes]:
        shape = place.format(size=size, text=f"<text:p>{text}</text:p>")
        reading = OdtReading(odt_of(f"<text:p>before{shape}</text:p>"))
        return entries(redact(reading, [Mark(unit.address) for unit in reading.units() if unit.text == text]))

    assert edition("Bartholomew", size) == edition("Al", 2)
    assert b"5cm" in b"".join(edition("Al", 2)) or "5cm" not in place
