"""The invariants of a format, for RTF."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from striprtf import striprtf

from examples import examples
from file_checks import plain_stream
from office_files import flat, png
from picture_files import drawn
from picture_files import png as drawn_png
from rtf_files import PLACES, SECRET, rtf, rtf_says
from sieve.core.errors import SieveError
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace
from sieve.formats.pictures.metadata import without_metadata
from sieve.formats.reading import redact
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.rtf.redaction import rebuilt_rtf
from sieve.formats.rtf.tokens import Kind, tokens
from sieve.marking.leaks import check

few = settings(max_examples=20, deadline=None)
secrets = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9}){0,3}", fullmatch=True)
DEPENDS_ON_ONE_SECRET = {
    *("binary picture", "copy in pieces", "copy in bytes", "copy in Unicode", "copy in fallbacks", "copy across lines"),
    *("copy across cells", "copy with hyphens"),
}


def marks(data: bytes, secret: str = SECRET) -> list[Mark]:
    unit = next(unit for unit in RtfReading(data).units() if unit.text.startswith("The code is "))
    return [Mark(unit.address, 12, 12 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(RtfReading(data), data, given_marks)


@pytest.mark.parametrize("place", PLACES)
def test_no_place_reveals_the_secret(place: str) -> None:
    data = rtf(places=[place])
    plain = plain_of(data, marks(data)).decode()
    assert plain.startswith("The green hills lie open.The ferry goes twice a day.")
    edition = redact(RtfReading(data), marks(data))
    assert "The code is █████, said Zoë." in {unit.text for unit in RtfReading(edition).units()}
    for said in (plain.encode(), edition):
        for word in SECRET.split():
            assert not rtf_says(said, word), (place, word)


@few
@given(secrets, secrets, st.sets(st.sampled_from(sorted(PLACES.keys() - DEPENDS_ON_ONE_SECRET)), max_size=4))
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, places: set[str]) -> None:
    first, second = rtf(one, sorted(places)), rtf(other, sorted(places))
    assert plain_of(first, marks(first, one)) == plain_of(second, marks(second, other))


def test_only_shown_letters_are_plain() -> None:
    """How text is written, and what programs compute, may depend on marked text."""
    data = (
        b"{\\rtf1\\ansi\\pard Secret\\par\\pard One\r\n line {\\b\\f3 two}\\par Zo\\'eb and \\u960 ? \\{x\\}\\par"
        b" XQ\\u90 Y\\par"
        b"{\\listtext 7.\\tab}Item\\par{\\field{\\*\\fldinst PAGEREF a}{\\fldrslt 12}} pages\\par}"
    )
    assert plain_of(data, [Mark("text/p1")]) == b"One line twoZo and  xItem pages"


def test_units_are_what_a_reader_sees_and_what_is_hidden() -> None:
    data = (
        b"{\\rtf1\\ansi{\\info{\\title T}{\\author Ann}}\\pard One\\tab two\\line three\\par\n"
        b"\\trowd\\trhdr\\cellx1\\cellx2\\pard\\intbl a\\par b\\cell c\\cell\\row"
        b"\\trowd\\cellx1\\pard\\intbl d\\cell\\row"
        b"\\pard {\\v hid}Shown{\\footnote\\pard Note.}{\\deleted gone}\\par}\0"
    )
    units = [*RtfReading(data).units()]
    assert [(unit.address, unit.text, unit.kind, unit.hidden) for unit in units] == [
        ("text/p1", "One\ttwo\nthree", "paragraph", ""),
        ("text/p2", "a", "table cell", ""),
        ("text/p3", "b", "table cell", ""),
        ("text/p4", "c", "table cell", ""),
        ("text/p5", "d", "table cell", ""),
        ("text/p6", "Shown", "paragraph", ""),
        ("text/p6/hidden", "hid", "hidden text", "hidden text"),
        ("text/p6/deleted", "gone", "deleted text", "deleted text"),
        ("footnotes/p1", "Note.", "footnote", ""),
        ("property/1", "Ann", "property", "a property"),
    ]
    cells = [unit.cells[0] for unit in units if unit.cells]
    assert [(cell.row, cell.column, cell.header) for cell in cells] == [
        *((0, 0, True), (0, 0, True), (0, 1, True), (1, 0, False)),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (rb"\'e9\'80", "é€"),
        (rb"\f1\'cf\'f0\'e8", "При"),
        (rb"\f2\'93\'fa\'83A", "日ア"),
        (rb"\f2\'93{\b\'93\'fa", "\ufffd日"),
        (rb"\u-4051?", "\uf02d"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"\uc2\u8364 EUa\uc0\u8364b", "€a€b"),
        (rb"{\uc3\u233 abc}\u233 ?z", "ééz"),
        (rb"\u-10179?x", "x"),
        (rb"\emdash\lquote\~\_\-\{", "\u2014\u2018\u00a0\u2011{"),
        (rb"{\upr{old}{\*\ud{new}}}", "new"),
    ],
)
def test_characters_are_read_in_any_encoding(source: bytes, text: str) -> None:
    fonts = rb"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}"
    units = RtfReading(rb"{\rtf1\ansi\ansicpg1252\deff0" + fonts + source + b"}").units()
    assert [unit.text for unit in units if not unit.hidden] == [text]


def test_a_fallback_that_says_something_else_is_hidden_text() -> None:
    reading = RtfReading(rb"{\rtf1 \u1 S\u1 E\u1 C\u1 R\u1 E\u1 T\par caf\u233 e}")
    assert [(unit.address, unit.text.strip()) for unit in reading.units() if unit.hidden] == [
        ("text/p1/hidden", "SECRET"),
    ]


def test_too_many_words_and_commands_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    within = rb"{\rtf1 a\par b}"
    monkeypatch.setattr("sieve.formats.rtf.tokens.MAX_TOKENS", len([*tokens(within)]))
    assert RtfReading(within).units()
    with pytest.raises(TooLarge, match="more than [0-9]+ words and commands; classify the whole file"):
        RtfReading(within.replace(b"b", b"b\\par c"))


def test_bombs_are_refused() -> None:
    with pytest.raises(TooLarge, match="groups in each other"):
        RtfReading(rb"{\rtf1 " + b"{" * 100_000)
    with pytest.raises(Damaged, match="ends within binary data"):
        RtfReading(rb"{\rtf1 {\pict\bin99999999 x}}")
    with pytest.raises(Damaged, match="does not begin"):
        RtfReading(b"Dear Anna")
    [unit] = RtfReading(rb"{\rtf1\b" + b"9" * 100_000 + b" x}").units()
    assert unit.text == "x"


def test_a_mark_that_does_not_fit_is_refused() -> None:
    reading = RtfReading(rtf())
    for mark in (Mark("text/p9"), Mark("text/p1", 0, 99), Mark("text", 0, 1), Mark("p1")):
        with pytest.raises(UnknownPlace):
            reading.spans([mark])
    assert RtfReading(rtf()).spans([]).classified_size == 0
    assert plain_of(rtf(), [Mark("text")]) == b""


def test_hidden_text_is_no_leak_since_it_never_travels_plain() -> None:
    data = rtf(places=["comment", "title", "copy"])
    reading, chosen = RtfReading(data), marks(data)
    found = check([*reading.units()], chosen, may_be_plain=reading.plain_places(chosen))
    assert {finding.address for finding in found} == {"text/p5"}
    assert not reading.in_plain_stream(chosen)("text/p5")
    assert reading.in_plain_stream(chosen)("text/p1")
    assert {"text/p4", "comments/p1"} <= {unit.address for unit in reading.units()}
    hidden = {finding.kind for finding in check([*reading.units()], [], may_be_plain=reading.plain_places([]))}
    assert "hidden" in hidden


def test_the_edition_keeps_pictures_and_tables() -> None:
    picture = png(packed=b"a small picture")
    inside = rb"{\pict\pngblip\picwgoal300\pichgoal200 " + picture.hex().encode() + b"}"
    table = rb"\trowd\cellx1\cellx2\pard\intbl\qc left\cell right\cell\row\pard "
    data = rtf()[:-1] + inside + table + b"}"
    edition = redact(RtfReading(data), marks(data))
    again = RtfReading(edition)
    assert [kept.content(edition) for kept in again.document.pictures] == [without_metadata(picture)]
    assert [unit.text for unit in again.units() if unit.cells] == ["left", "right"]
    assert b"\\qc right" in edition
    marked = redact(RtfReading(data), [*marks(data), Mark("picture/1")])
    assert b"\\pict" not in marked
    assert redact(RtfReading(data), []) == data


WORDS = (
    *(
        "\\par ",
        "\\b ",
        "{",
        "}",
        "{\\*\\x ",
        "\\'e9",
        "\\u233 ?",
        "\\u-10179?",
        "\\uc0 ",
        "text",
        " ",
        "\n",
        "\\",
        "\\*",
    ),
    *("{\\footnote ", "{\\header ", "\\cell ", "\\row ", "\\intbl ", "{\\v ", "{\\field{\\*\\fldinst ", "{\\fldrslt "),
    *(
        "{\\upr{",
        "{\\*\\ud{",
        "{\\pict\\pngblip ",
        "\\bin3 a}b",
        "{\\shp{\\*\\shpinst{\\shptxt ",
        "{\\object",
        "{\\info{\\title ",
    ),
    *("{\\fonttbl{\\f1\\fcharset128 X;}}", "\\f1 ", "\\'83", "A", "\x80", "{\\*\\annotation ", "\\ftnalt ", "\\pard "),
)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25).map("".join))
def test_tokens_cover_every_byte_and_everything_is_read_or_refused(source: str) -> None:
    data = b"{\\rtf1 " + source.encode("latin-1") + b"}"
    try:
        found = [*tokens(data)]
        assert [token.end for token in found] == [token.start for token in found[1:]] + [len(data)]
        reading = RtfReading(data)
        for unit in reading.units()[:3]:
            plain_of(data, [Mark(unit.address)])
            redact(reading, [Mark(unit.address)])
        rebuilt_rtf(reading, [])
    except SieveError as error:
        assert str(error)


letters = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp", "Cf"]), min_size=1, max_size=8)
paragraph = st.lists(letters, min_size=1, max_size=5).map(" ".join)


@few
@given(st.lists(paragraph, min_size=1, max_size=5))
def test_another_program_reads_the_same_text(paragraphs: list[str]) -> None:
    """Of an edition, which we write: striprtf is a reader by others."""
    data = rebuilt_rtf(RtfReading(rtf()), [])
    assert _flat(_by_striprtf(data.decode())) == _flat("\n".join(unit.text for unit in RtfReading(data).units()))
    written = "".join(rf"{{\b {_escaped(text)}}}\par " for text in paragraphs)
    made = (r"{\rtf1\ansi\uc1 " + written + "}").encode("ascii")
    said = _flat("\n".join(unit.text for unit in RtfReading(made).units()))
    assert said == _flat("\n".join(paragraphs))
    # It leaves the halves of letters beyond the first 65,536 apart.
    found = _by_striprtf(made.decode()).encode("utf-16", "surrogatepass").decode("utf-16")
    assert _flat(found) == said


def _by_striprtf(source: str) -> str:
    return str(striprtf.rtf_to_text(source))  # type: ignore[no-untyped-call]  # striprtf has no types


def _flat(text: str) -> str:
    return flat(text).strip()


def _escaped(text: str) -> str:
    made = []
    for character in text:
        if character.isascii():
            made.append(f"\\{character}" if character in "\\{}" else character)
        else:
            units = character.encode("utf-16-le")
            made += [
                f"\\u{int.from_bytes(units[at : at + 2], 'little', signed=True)}?" for at in range(0, len(units), 2)
            ]
    return "".join(made)


def test_binary_data_is_one_token() -> None:
    found = [token.kind for token in tokens(b"{\\rtf1{\\pict\\bin4 {}\\}x}")]
    assert Kind.BINARY in found


def test_a_picture_in_a_marked_paragraph_is_not_in_the_edition() -> None:
    pixels = png().hex().encode()
    data = rb"{\rtf1\ansi one\par two {\pict\pngblip " + pixels + rb"} three\par four}"
    for address, stays in (("text/p2", False), ("text", False), ("text/p1", True)):
        edition = redact(RtfReading(data), [Mark(address)])
        assert (b"pngblip" in edition) is stays


def test_a_picture_whose_description_is_marked_is_not_in_the_edition() -> None:
    described = rb"{\*\picprop{\sp{\sn wzDescription}{\sv a view}}}"
    marked, other = (drawn_png(drawn(seed)).hex().encode() for seed in (1, 2))
    data = rb"{\rtf1\ansi one {\*\shppict{\pict" + described + rb"\pngblip " + marked + rb"}}\par two {\pict\pngblip "
    reading = RtfReading(data + other + rb"}\par}")
    assert next(unit.text for unit in reading.units() if unit.address == "description/1") == "a view"
    edition = RtfReading(redact(reading, [Mark("description/1", 2, 6)]))
    kept = [picture.content(edition.data) for picture in edition.document.pictures]
    assert kept == [without_metadata(bytes.fromhex(other.decode()))]


def test_a_picture_that_is_withheld_is_so_wherever_it_is() -> None:
    described = rb"{\*\picprop{\sp{\sn wzDescription}{\sv a view}}}"
    twice = drawn_png(drawn(1)).hex().encode()
    data = rb"{\rtf1\ansi one {\*\shppict{\pict" + described + rb"\pngblip " + twice + rb"}}\par two {\pict\pngblip "
    reading = RtfReading(data + twice + rb"}\par}")
    for address in ("description/1", "text/p2", "picture/1", "picture/2"):
        assert b"pngblip" not in redact(reading, [Mark(address)]), address
