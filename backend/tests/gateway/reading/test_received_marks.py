"""What a receiver finds again of the marks: all of what the author marked, and little more."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from any_files import GOOD, SECRET
from examples import examples
from office_files import docx
from sieve.channel.safe_names import clean_line
from sieve.core.units import Mark
from sieve.formats.reading import Reading, read, redact
from sieve.formats.tables.coverage import Coverage
from sieve.formats.text_ranges import with_markers
from sieve.gateway.reading.received_marks import received_marks, withheld_ranges
from sieve.gateway.sent_marks import sent_marks
from sieve.marking.leaks.joined_text import JoinedText, RangeSet
from sieve.marks_file import print_marks

TABLES = ("pay.csv", "pay.tsv", "log.jsonl")


@dataclass(frozen=True)
class Sent:
    """A file, its marks, and what its receiver finds."""

    reading: Reading
    marks: list[Mark]
    found: list[Mark]
    basis: str


def sent(name: str, data: bytes, marks: list[Mark], *, with_edition: bool = True, travelled: bytes = b"") -> Sent:
    reading = read(name, data)
    edition = redact(reading, marks) if with_edition else b""
    found, basis = received_marks(read(name, data), reading.spans(marks), len(data), edition, travelled)
    return Sent(reading, marks, found, basis)


def texts_of(reading: Reading, marks: list[Mark]) -> list[str]:
    """The marked texts of visible units, in order."""
    joined = JoinedText([unit for unit in reading.units() if not unit.hidden])
    return [joined.text[start:end] for start, end in RangeSet(joined.ranges(marks))]


def of_secret(reading: Reading) -> list[Mark]:
    """The secret, as an author marks it in the visible text."""
    return [
        Mark(unit.address, at, at + len(SECRET))
        for unit in reading.units()
        if not unit.hidden and (at := unit.text.find(SECRET)) >= 0
    ]


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", *TABLES])
def test_a_marked_word_is_found_again_and_nothing_else(name: str) -> None:
    data = GOOD[name][1]
    marks = of_secret(read(name, data))
    back = sent(name, data, marks)
    assert marks and set(texts_of(back.reading, back.found)) == {SECRET}
    assert back.basis == ("spans" if name in TABLES else "edition")


FORMATS = ["memo.docx", "pay.xlsx", "report.pdf", *TABLES]


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_marks_that_came_with_a_file_are_exactly_its_authors(name: str, data: st.DataObject) -> None:
    content = GOOD[name][1]
    units = [unit for unit in read(name, content).units() if unit.text]
    marks = []
    for unit in data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=4, unique_by=lambda one: one.address)):
        start, end = sorted(data.draw(st.lists(st.integers(0, len(unit.text)), min_size=2, max_size=2)))
        label = clean_line(data.draw(st.text(max_size=5)))
        whole = start == end or data.draw(st.booleans())
        first, last = (None, None) if whole else (start, end)
        marks.append(Mark(unit.address, first, last, label, "a rule", "a reason"))
    reading = read(name, content)
    travelled = sent_marks(print_marks(marks))
    found, basis = received_marks(read(name, content), reading.spans(marks), len(content), b"", travelled)
    assert (found, basis) == ([replace(mark, rule="", reason="") for mark in marks], "marks")


@pytest.mark.parametrize(
    "travelled",
    [
        b"no JSON",
        b"[" * 100_000,
        b"{}",
        b'[{"address":"word/document.xml/p1"}]',
        b'[{"address":"nowhere"}]',
        b'[{"address":"word/document.xml/p1","start":0,"end":1000000}]',
        sent_marks(b"[]"),
    ],
)
def test_marks_that_do_not_fit_the_spans_do_not_count(travelled: bytes) -> None:
    name, data = "memo.docx", GOOD["memo.docx"][1]
    back = sent(name, data, of_secret(read(name, data)), travelled=travelled)
    assert back.basis == "edition"


def test_of_a_peers_marks_only_what_people_can_see_of_the_label_counts() -> None:
    name, data = "memo.docx", GOOD["memo.docx"][1]
    marks = of_secret(read(name, data))
    written = print_marks([replace(mark, label="NATO\u202e\n SECRET", rule="ours", reason="why") for mark in marks])
    back = sent(name, data, marks, travelled=written)
    assert (back.found, back.basis) == ([replace(mark, label="NATO SECRET") for mark in marks], "marks")


def test_the_size_of_marks_says_little() -> None:
    marks = [Mark(f"row/{number}", label="secret", rule="pay", reason="the rule pay") for number in range(100)]
    sizes = [len(sent_marks(print_marks(marks[:count]))) for count in (0, 1, 10, 30, 100)]
    assert sizes == [1024, 1024, 1024, 2048, 8192]
    # A queued transfer has their digest: the bytes must stay the same.
    assert sent_marks(print_marks(marks[:1])) == (
        b'[{"address":"row/0","start":null,"end":null,"label":"secret"}]'.ljust(1024)
    )


def test_hidden_text_counts_as_classified_as_soon_as_anything_is() -> None:
    name, data = "memo.docx", GOOD["memo.docx"][1]
    marks = of_secret(read(name, data))
    back = sent(name, data, marks)
    hidden = {unit.address for unit in back.reading.units() if unit.hidden}
    assert hidden <= {mark.address for mark in back.found}
    assert sent(name, data, []).found == []


def test_a_pdf_shows_the_withheld_words_and_pages() -> None:
    data = GOOD["report.pdf"][1]
    for marks in (of_secret(read("report.pdf", data)), [Mark("page/2")]):
        back = sent("report.pdf", data, marks)
        assert (back.found, back.basis) == (marks, "edition")


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "plan.pptx", "report.pdf"])
def test_without_an_edition_every_part_with_a_classified_byte_counts(name: str) -> None:
    data = GOOD[name][1]
    back = sent(name, data, of_secret(read(name, data)), with_edition=False)
    assert back.basis == "parts"
    assert any(SECRET in text for text in texts_of(back.reading, back.found))


def test_nothing_marked_is_nothing_found() -> None:
    assert sent("memo.docx", GOOD["memo.docx"][1], [], with_edition=False).found == []


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "plan.pptx", "report.pdf"])
def test_all_that_came_classified_is_found_though_the_edition_withholds_less(name: str) -> None:
    data = GOOD[name][1]
    reading = read(name, data)
    spans = reading.spans([Mark(unit.address) for unit in reading.units()])
    found, _ = received_marks(read(name, data), spans, len(data), data, b"")
    classified = Coverage(reading.spans(found))
    assert all(classified.covers(start, end) for start, end in spans)


def test_an_edition_that_cannot_be_read_shows_only_parts() -> None:
    name, data = "memo.docx", GOOD["memo.docx"][1]
    reading = read(name, data)
    found, basis = received_marks(reading, reading.spans(of_secret(reading)), len(data), b"PK no archive", b"")
    assert basis == "parts" and found


def test_an_edition_of_another_document_marks_too_much_never_too_little() -> None:
    name, data = "memo.docx", GOOD["memo.docx"][1]
    reading = read(name, data)
    marks = of_secret(reading)
    found, basis = received_marks(reading, reading.spans(marks), len(data), docx("Somebody else"), b"")
    assert basis == "edition"
    assert any(SECRET in text for text in texts_of(reading, found))


@pytest.mark.parametrize(
    ("name", "data", "marks", "expected"),
    [
        ("a.csv", b"who,pay\nAda,1\nBo,2\n", [Mark("column/pay")], [Mark("column/pay")]),
        ("a.csv", b"who,pay\nAda,1\nBo,2\n", [Mark("row/2")], [Mark("row/2")]),
        ("a.csv", b"who,pay\nAda,\nBo,2\n", [Mark("row/1/pay")], [Mark("row/1/pay")]),
        ("a.csv", b"who,pay,of\nAda,,x\nBo,2,y\n", [Mark("row/1/pay")], [Mark("row/1/pay")]),
        ("a.csv", b'who,pay\n"Ada ""A"" L",1\nBo,2\n', [Mark("row/1/who", 4, 7)], [Mark("row/1/who", 4, 7)]),
        ("a.csv", "who,pay\nÄda Löv,1\nBo,2\n".encode(), [Mark("row/1/who", 4, 6)], [Mark("row/1/who", 4, 6)]),
        ("a.csv", b"who,pay\nAda,1\nBo,2\n", [Mark("row/0/pay")], [Mark("row/0/pay")]),
        (
            "a.jsonl",
            b'{"who": "A\\u00e9B", "pay": 1}\n{"who": "Bo"}\n',
            [Mark("row/1/who", 1, 2)],
            [Mark("row/1/who", 1, 2)],
        ),
        ("a.jsonl", b'{"who": "Ada", "pay": 1}\n{"who": "Bo"}\n', [Mark("column/pay")], [Mark("column/pay")]),
    ],
)
def test_the_cells_of_a_table_are_found_from_its_bytes(
    name: str, data: bytes, marks: list[Mark], expected: list[Mark]
) -> None:
    assert sent(name, data, marks).found == expected


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(st.text('aé",\n b', max_size=4), min_size=3, max_size=3), min_size=1, max_size=3),
    chosen=st.sets(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1),
)
def test_any_cells_of_any_table_are_among_what_is_found(rows: list[list[str]], chosen: set[tuple[int, int]]) -> None:
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    data = "\n".join(["a,b,c", *quoted]).encode() + b"\n"
    marks = [Mark(f"row/{row}/{'abc'[cell]}") for row, cell in chosen if row <= len(rows)]
    back = sent("a.csv", data, marks)
    wanted = JoinedText([*back.reading.units()])
    found = RangeSet(wanted.ranges(back.found))
    for start, end in wanted.ranges(marks):
        assert not [*found.gaps(start, end)]


@settings(max_examples=examples(50))
@given(text=st.text("ab ", max_size=12), bounds=st.lists(st.integers(0, 12), max_size=6))
def test_what_a_marker_may_replace_contains_what_it_did(text: str, bounds: list[int]) -> None:
    places = sorted({min(bound, len(text)) for bound in bounds})
    ranges = [(start, end) for start, end in zip(places[::2], places[1::2], strict=False) if start < end]
    redacted = with_markers(text, ranges)
    found = withheld_ranges(text, redacted)
    if not ranges:
        assert found is None
        return
    assert found is not None
    classified = {at for start, end in ranges for at in range(start, end)}
    assert classified <= {at for start, end in found for at in range(start, end)}
