"""The invariants of a format, for zip archives."""

import struct
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import any_marks, check_withheld, plain_stream
from mail_files import mail
from odf_files import ods
from office_files import (
    DOCX_PLACES,
    XLSX_PLACES,
    archive,
    docx,
    docx_of,
    flat,
    openpyxl_workbook,
    png,
    readings,
    xlsx,
)
from pdf_files import by_reportlab
from pptx_files import PPTX_PLACES, pptx
from sieve.core.document import Spans
from sieve.core.units import Mark
from sieve.formats.archive import reading as limits
from sieve.formats.archive.reading import ZipReading
from sieve.formats.errors import Damaged, FormatError, Protected, RedactionFailed, TooLarge, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import read, redact

SECRET = "XQZVK PLMRT"
words = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
few = settings(max_examples=6, deadline=None)
NOTE = "file/1/text"
ENDINGS = ("csv", "docx", "html", "md", "png", "txt", "zip")


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


LETTER = docx_of("<w:p><w:r><w:t>A letter</w:t></w:r></w:p>")


def files(secret: str, **more: bytes) -> dict[str, bytes]:
    """A note that says the secret from character 5 on, and files without it."""
    return {
        "note.txt": f"Ship {secret} leaves at noon.\n".encode(),
        "ports.csv": b"port,ships\nHamburg,12\n",
        "plans/letter.docx": LETTER,
        "photo.png": png(packed=b"a river"),
        **{name.replace("__", "."): data for name, data in more.items()},
    }


def marks(secret: str = SECRET) -> list[Mark]:
    return [Mark(NOTE, 5, 5 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(ZipReading(data), data, given_marks)


def plain_files(data: bytes, given_marks: list[Mark]) -> set[str]:
    """The names of the files that travel plain, as a whole."""
    plain = plain_of(data, given_marks)
    reading = ZipReading(data)
    found = {one for one, entry in reading.container.entries.items() if data[entry.start : entry.end] in plain}
    assert len(plain) == sum(reading.container.entries[one].end - reading.container.entries[one].start for one in found)
    return found


@few
@given(words, words, st.sets(st.sampled_from(["between", "extra", "comment", "before"])), st.booleans())
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(
    one: str, other: str, around: set[str], is_named: bool
) -> None:
    plain = []
    for secret in (one, other):
        more = {f"{secret}.md": b"Nothing.\n"} if is_named else {}
        data = archive({**files(secret), **more}, **dict.fromkeys(around, secret.encode()))
        plain.append(plain_of(data, marks(secret)))
    assert plain[0] == plain[1]


def test_files_that_are_read_to_the_last_byte_travel_plain() -> None:
    more = {
        "book__xlsx": openpyxl_workbook("one"),
        "page__html": b"<p>Hi</p>",
        "data__json": b'{"a": 1}',
        "report__pdf": by_reportlab(["Hi"]),
        "key__txt": b"begin 644 a.txt\n",
        "code__eml": mail("one"),
        "film__bin": b"\xfe\0\1",
    }
    plain = plain_files(archive(files(SECRET, **more)), marks())
    assert plain == {"ports.csv", "plans/letter.docx", "photo.png", "book.xlsx"}


PLACES = [
    *(("docx", place) for place in sorted({*DOCX_PLACES} - {"prefix"})[::2]),
    *(("xlsx", place) for place in sorted(XLSX_PLACES)),
    *(("pptx", place) for place in sorted({*PPTX_PLACES} - {"prefix"})[::4]),
]


@pytest.mark.parametrize(("kind", "place"), PLACES)
def test_an_office_document_that_says_the_marked_words_travels_classified(kind: str, place: str) -> None:
    made = {
        "docx": lambda: docx(SECRET, {place}, body_tells=False),
        "pptx": lambda: pptx(SECRET, {place}, body_tells=False),
        "xlsx": lambda: xlsx(SECRET, {place}),
    }[kind]()
    data = archive(files(SECRET, **{f"other__{kind}": made}))
    assert f"other.{kind}" not in plain_files(data, marks())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("xqzvk plmrt/a.csv", b"a,b\n"),
        ("a.csv", f"a,b\n{SECRET},1\n".encode()),
        ("a.csv", f'a,b\n"{SECRET.lower()}",1\n'.encode()),
        ("a.txt", f"It is {SECRET}".encode()),
        ("a.md", "It is X\u200bQZVK  PLMRT".encode()),
        ("a.png", png(SECRET.encode())),
        ("a.png", png(packed=SECRET.encode())),
        ("a.txt", b"\xff\xfe" + SECRET.encode("utf-16-le")),
    ],
)
def test_no_file_reveals_the_secret(name: str, content: bytes) -> None:
    data = archive({**files(SECRET), name: content})
    plain = plain_of(data, marks())
    assert name not in plain_files(data, marks())
    assert not [text for text in readings(plain) if flat(SECRET) in text]
    edition = contents(redact(ZipReading(data), marks()))
    told = [*edition, *(part.decode("utf-8", "ignore") for part in edition.values())]
    assert not [text for text in told if flat(SECRET) in flat(text)]


@pytest.mark.parametrize("around", ["between", "extra", "comment", "before"])
def test_nothing_around_the_files_travels_plain(around: str) -> None:
    data = archive(files("Berta"), **{around: SECRET.encode()})
    assert plain_files(data, marks("Berta")) == {"ports.csv", "plans/letter.docx", "photo.png"}
    assert SECRET.encode() not in redact(ZipReading(data), marks("Berta"))
    if around == "comment":
        assert [unit.text for unit in ZipReading(data).units() if unit.address == "remarks"] == [SECRET]


def test_units_are_those_of_each_file() -> None:
    inner = archive({"deep.txt": b"Far down.\n", "inner.zip": archive({"a.txt": b"Too deep.\n"})})
    more = {"book__ods": ods("one"), "more__zip": inner, "code__eml": mail("one"), "film__bin": b"\xfe\0\1"}
    units = {unit.address: unit for unit in ZipReading(archive({**files(SECRET, **more), "folder/": b""})).units()}
    assert units["file/1/name"].text == "note.txt"
    assert units[NOTE].text.startswith(f"Ship {SECRET}")
    assert units["file/2/row/1/ships"].text == "12"
    assert units["file/3/word/document.xml/p1"].text == "A letter"
    assert (units["file/4"].kind, units["file/4"].hidden != "") == ("picture", True)
    assert "file/5/sheet/Pay/B1" in units
    assert units["file/6/file/1/text"].text == "Far down.\n"
    assert units["file/6/file/2"].hidden == units["file/8"].hidden == "a file that the gateway cannot read"
    assert any(address.startswith("file/7/body/1/text/p") for address in units)
    assert units["file/9/name"].text == "folder/"


def test_names_lose_the_marked_words_whatever_is_between_them() -> None:
    more = dict.fromkeys(("XQZVK_PLMRT.csv", "a-xqzvk-plmrt/1.csv", "XQZVK.PLMRT.csv"), b"a,b\n")
    edition = contents(redact(ZipReading(archive({**files(SECRET), **more})), marks()))
    assert {f"{MARKER}.csv", f"a-{MARKER}/1.csv", f"{MARKER} (2).csv"} < edition.keys()


def test_marks_reach_into_files_and_whole_files() -> None:
    data = archive(files(SECRET))
    reading = ZipReading(data)
    edition = contents(redact(reading, [*marks(), Mark("file/2/column/ships"), Mark("file/3/word/document.xml/p1")]))
    assert edition["note.txt"] == f"Ship {MARKER} leaves at noon.\n".encode()
    assert edition["ports.csv"] == f"port,ships\nHamburg,{MARKER}\n".encode()
    assert next(iter(read("a.docx", edition["plans/letter.docx"]).units())).text == MARKER
    assert png() == edition["photo.png"]
    edition = contents(redact(reading, [Mark("file/2"), Mark("file/4"), Mark("file/3/name", 0, 5)]))
    assert edition.keys() == {"note.txt", f"{MARKER}/letter.docx", "left out.txt"}
    assert edition["left out.txt"] == f"File 2 is left out: {MARKER}\nFile 4 is left out: {MARKER}\n".encode()
    assert "photo.png" not in plain_files(data, [Mark("file/4")])
    assert "ports.csv" not in plain_files(data, [Mark("file/2/row/1")])


def test_names_in_an_edition_are_unlike() -> None:
    data = archive({f"{name} {SECRET}.txt": b"Hi.\n" for name in ("", "XQZVK PLMRT")} | {"a.txt": SECRET.encode()})
    edition = contents(redact(ZipReading(data), [Mark("file/3/text")]))
    assert len({name.casefold() for name in edition}) == len(edition) == 3


@few
@given(st.data())
def test_any_marks_are_withheld(data: st.DataObject) -> None:
    file = archive(
        files("XQZVK", page__html=b"<p>One <b>page</b></p>", inner__zip=archive({"deep.md": b"Far down.\n"}))
    )
    reading = ZipReading(file)
    given_marks, texts = any_marks(data, reading, 4)
    plain_files(file, given_marks)
    try:
        edition = redact(reading, given_marks)
    except RedactionFailed:
        # Without its ending, a file is read as a text, whose source may say the marked ending: `html`.
        assert any(ending in text or text in ending for text in texts for ending in ENDINGS)
        return
    check_withheld(ZipReading(edition), texts)


def test_nothing_marked_is_nothing_classified() -> None:
    data = archive(files(SECRET))
    assert ZipReading(data).spans([]) == Spans.EMPTY
    assert redact(ZipReading(data), []) == data


@pytest.mark.parametrize(
    "mark",
    [Mark("file/9"), Mark("file/1/row/1"), Mark(""), Mark(NOTE, 0, 999), Mark("file/4/p1"), Mark("file/2/row/9")],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace):
        ZipReading(archive(files(SECRET))).spans([mark])


def test_bad_archives_are_refused_with_a_sentence() -> None:
    data = archive(files(SECRET))
    encrypted = bytearray(data)
    at = data.index(b"PK\1\2")
    encrypted[at + 8] |= 1
    twice = archive({"a.txt": b"1", "A.txt": b"2"})
    outside = archive({"../a.txt": b"1"})
    for bad, error in (
        (twice, Damaged),
        (outside, Damaged),
        (data[:-30], Damaged),
        (archive({"zeros": bytes(20 << 20)}), TooLarge),
        (archive({str(number): b"" for number in range(10_001)}), TooLarge),
    ):
        with pytest.raises(error, match=r"; .*(again|classify|remove)"):
            read("a.zip", bad)
    with pytest.raises(Protected, match="remove the password"):
        ZipReading(bytes(encrypted))
    # Nobody can read it, so its author can still classify all of it.
    assert read("a.zip", bytes(encrypted)).name == "bytes"
    lying = data.replace(struct.pack("<L", len(files(SECRET)["note.txt"])), struct.pack("<L", 7))
    with pytest.raises(FormatError):
        read("a.zip", lying)


def test_files_beyond_the_limits_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """They travel classified, and no edition has them."""
    inner = archive({f"{number}.txt": b"Far down.\n" for number in range(9)})
    for limit, value in (("MAX_READERS", 1), ("MAX_READ", 40), ("MAX_UNITS", 2), ("MAX_DEPTH", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(limits, limit, value)
            data = archive({"note.txt": f"Ship {SECRET}".encode(), "inner.zip": inner})
            unread = [unit.address for unit in ZipReading(data).units() if not unit.text]
            assert (
                unread == [f"file/2/file/{number}" for number in range(2, 10)] if limit == "MAX_UNITS" else ["file/2"]
            )
            assert plain_files(data, marks()) == set()
            edition = contents(redact(ZipReading(data), marks()))
            assert edition.keys() == {"note.txt", "inner.zip" if limit == "MAX_UNITS" else "left out.txt"}
