"""The reading service with real processes: it answers as the reader in this process does, and a failing process fails
only one request.
"""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from any_files import GOOD, HOSTILE, SECRET, file_of, harmless_looking, stored
from gateway.reading_world import all_units, as_json, blobs, reading
from sieve.core.units import Mark
from sieve.formats.reading import Reading, read, read_as
from sieve.formats.registry import PICTURES
from sieve.gateway.reading import reader as reader_module
from sieve.gateway.reading.errors import NotAvailable, ReadingError, Unreadable
from sieve.gateway.reading.file import File
from sieve.gateway.reading.reader import Reader
from sieve.gateway.reading.service import PolicySource, ReadingService
from sieve.gateway.reading.wire import PIECE
from sieve.marking.leaks import Finding
from sieve.marks_file import print_marks
from sieve.store.blobs import BlobStore

__all__ = ["blobs", "reading"]

CSV = GOOD["pay.csv"][1]


@pytest.mark.parametrize("name", GOOD)
async def test_the_service_answers_as_the_reader_does(reading: ReadingService, blobs: BlobStore, name: str) -> None:
    kind, data = GOOD[name]
    file = file_of(blobs, name, data, kind)
    assert await reading.format_of(file) == kind
    here = read(name, data)
    expected = [as_json(unit) for unit in here.units()]
    assert await all_units(reading, file, 7) == expected
    marks = [Mark(unit["address"], reason="é") for unit in expected[-3:]]
    marked = await reading.mark(file, b'{"marks": ' + print_marks(marks) + b"}")
    assert marked.spans == here.spans(marks)
    assert (marked.number, marked.kept) == (len(marks), print_marks(marks))
    outline = json.loads(await reading.outline(file))
    assert outline["format"] == kind
    assert (outline["pages"] is not None) == (kind == "pdf" or kind in PICTURES)
    assert (outline["sheets"] is not None) == (kind in ("xlsx", "ods"))
    assert (outline["columns"] is not None) == (kind in ("csv", "tsv", "jsonl"))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=st.lists(st.integers(1, 40), min_size=1, max_size=6), name=st.sampled_from(["memo.docx", "pay.xlsx"]))
def test_pages_of_any_size_in_any_order_are_the_same_units(
    reading: ReadingService, blobs: BlobStore, limits: list[int], name: str
) -> None:
    kind, data = GOOD[name]
    file = file_of(blobs, name, data, kind)
    expected = [as_json(unit) for unit in read(name, data).units()]

    async def ask() -> None:
        for limit in limits:
            assert await all_units(reading, file, limit) == expected
            at = len(expected) // 2
            page = json.loads(await reading.units(file, after=str(at), limit=limit))
            assert page["units"] == expected[at : at + limit]
        beyond = json.loads(await reading.units(file, after=str(len(expected) + 5), limit=1))
        assert (beyond["units"], beyond["next"]) == ([], None)

    asyncio.run(ask())


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_means_harm_is_refused_with_a_sentence_and_the_next_is_read(
    reading: ReadingService, blobs: BlobStore, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = file_of(blobs, name, HOSTILE[name](), name.rpartition(".")[2])
    with pytest.raises(ReadingError) as caught:
        await reading.format_of(file)
        await all_units(reading, file, 200)
    assert isinstance(caught.value, Unreadable), caught.value
    assert 20 < len(str(caught.value)) < 300
    assert not caplog.records
    assert await reading.format_of(file_of(blobs, "pay.csv", CSV, "csv")) == "csv"


async def test_what_wants_much_gets_little(reading: ReadingService, blobs: BlobStore) -> None:
    file = file_of(blobs, "form.pdf", harmless_looking(), "pdf")
    assert await all_units(reading, file, 200)
    assert (await reading.picture(file, page=1, width=100)).startswith(b"\x89PNG")
    with pytest.raises(Unreadable, match="picture"):
        await reading.picture(file, page=1, width=100_000)


async def test_marks_that_do_not_fit_are_refused_by_their_address(reading: ReadingService, blobs: BlobStore) -> None:
    file = file_of(blobs, "pay.csv", CSV, "csv")
    for given_marks, says in (
        (b'{"marks": [{"address": "row/9/pay"}]}', "row/9/pay: "),
        (b'{"marks": [{"address": "row/1/pay", "start": 3, "end": 99}]}', "row/1/pay: "),
        (b'{"marks": [{"address": "row/1/pay", "start": 3}]}', "mark 1 needs both"),
        (b'{"marks": [{"address": "row/1"}, 7]}', "mark 2 is no object"),
        (b'{"marks": 7}', "no list"),
        (b"[]", "write the marks as JSON"),
        (b'{"marks": [', "write the marks as JSON"),
        (b"[" * 100_000, "write the marks as JSON"),
    ):
        with pytest.raises(Unreadable, match=says):
            await reading.mark(file, given_marks)


async def test_marks_of_what_is_unavailable_of_its_own_are_its_spans(reading: ReadingService, blobs: BlobStore) -> None:
    text = "é<漢>😀".encode()
    document = stored(blobs, text, [(2, 6), (7, 11)])
    file = File("a", "a.txt", "text/plain", "text", document, None)
    assert json.loads(await reading.marks(file)) == [
        {"address": "text", "start": 1, "end": 3, "label": "", "rule": "", "reason": ""},
        {"address": "text", "start": 4, "end": 5, "label": "", "rule": "", "reason": ""},
    ]
    as_bytes = File("b", "a.bin", "", "bytes", stored(blobs, bytes(9), [(2, 6)]), None)
    assert [mark["address"] for mark in json.loads(await reading.marks(as_bytes))] == ["bytes/2-6"]


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl"])
async def test_a_redacted_edition_is_a_file_without_what_is_marked(
    reading: ReadingService, blobs: BlobStore, name: str
) -> None:
    kind, data = GOOD[name]
    marks = [Mark(unit.address) for unit in read(name, data).units() if SECRET in unit.text]
    assert marks
    file = marked(blobs, name, marks)
    made = bytearray()
    await reading.redacted(file, made.extend)
    again = file_of(blobs, name, bytes(made), kind, key="edition")
    assert SECRET not in json.dumps(await all_units(reading, again, 100))


async def test_a_redacted_edition_comes_in_pieces_however_large_it_is(
    reading: ReadingService, blobs: BlobStore
) -> None:
    wide = b"name,pay\n" + b"n" * 700_000 + b",7\n"
    sizes: list[int] = []
    await reading.redacted(file_of(blobs, "wide.csv", wide, "csv"), lambda piece: sizes.append(len(piece)))
    assert sum(sizes) == len(wide) and max(sizes) <= PIECE


async def test_bytes_have_no_redacted_edition(reading: ReadingService, blobs: BlobStore) -> None:
    with pytest.raises(NotAvailable, match="no redacted edition"):
        await reading.redacted(file_of(blobs, "photo.heic", bytes(9), "bytes"), bytearray().extend)


def marked(blobs: BlobStore, name: str, marks: list[Mark], key: str = "") -> File:
    kind, data = GOOD[name]
    sealed = blobs.new_sealed(owner="a", purpose="marks")
    sealed.write(print_marks(marks))
    return File(key or name, name, "", kind, stored(blobs, data, read(name, data).spans(marks)), sealed.finish())


def policy(word: str) -> PolicySource:
    return PolicySource({"name": "p", "rules": [{"kind": "keywords", "keywords": [word], "reason": "code"}]}, version=3)


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl", "memo.txt"])
async def test_policies_hit_and_the_guard_finds(reading: ReadingService, blobs: BlobStore, name: str) -> None:
    kind, data = GOOD[name]
    hits, more, _ = await reading.hits(file_of(blobs, name, data, kind), [policy(SECRET)], limit=100)
    assert not more
    assert hits
    assert all(found.text == SECRET and mark.rule == "p/3#1" and mark.reason == "code" for mark, found in hits)
    if len(hits) > 1:
        assert (await reading.hits(file_of(blobs, name, data, kind), [policy(SECRET)], limit=1)) == (hits[:1], True, [])
    one = marked(blobs, name, [mark for mark, _ in hits][:1], key=name)
    found = await reading.findings(one, name=f"{SECRET}.txt", policies=[policy(SECRET)], earlier=[])
    assert {"name"} | ({"phrase"} if len(hits) > 1 else set()) <= {item.finding.kind for item in found}
    sent = file_of(blobs, name, data, kind)
    found = await reading.findings(one, name="", earlier=[sent])
    assert "sent" in {item.finding.kind for item in found}
    assert all(item.excerpt for item in found if item.finding.kind == "sent")
    everywhere = marked(blobs, name, [mark for mark, _ in hits], key=name)
    found = await reading.findings(everywhere, name="", earlier=[everywhere])
    assert "sent" not in {item.finding.kind for item in found}


@pytest.mark.parametrize("address", ["row/0/ORIONIS", "column/ORIONIS", "row/0"])
def test_a_key_and_its_column_go_together(address: str) -> None:
    """Classified text is no finding, and a key that was not marked is not searched for elsewhere."""
    rows = (b'{"note": "This day was fine, ORIONIS", "ORIONIS": "VEGANA %d"}\n' % n for n in range(100, 120))
    found = findings_in_keys(b"".join(rows), [Mark(address)])
    policy, phrases = ({one.address for one in found if one.kind == kind} for kind in ("policy", "phrase"))
    notes = {f"row/{n}/note" for n in range(1, 21)} if address != "row/0" else set()
    assert policy == notes
    assert phrases == (notes if address == "row/0/ORIONIS" else set())


def findings_in_keys(data: bytes, marks: list[Mark]) -> list[Finding]:
    reader = Reader()
    reader.read(data, name="", media_type=None, size=len(data), format_name="jsonl")
    rules = [{"kind": "keywords", "keywords": ["ORIONIS", "VEGANA"]}]
    policies = json.dumps([{"table": {"name": "p", "rules": rules}, "version": 1}]).encode()
    kept = print_marks(marks)
    answer = reader.findings(kept, policies, kept, name="", same=[True])
    return [Finding(**one) for one, *_ in json.loads(answer.parts[0])["findings"]]


@pytest.mark.parametrize("format_name", ["csv", "unknown"])
def test_a_column_rule_that_cannot_look_is_a_finding(format_name: str) -> None:
    """In a file, and in a text whose name claims a table; and a row whose column may be elsewhere."""
    rules = [{"kind": "columns", "columns": ["salary"]}]

    def found(data: bytes) -> list[tuple[str, str]]:
        reader = Reader()
        reader.read(data, name="p.csv", media_type=None, size=len(data), format_name=format_name)
        policies = json.dumps([{"table": {"name": "p", "rules": rules}, "version": 1}]).encode()
        kept = print_marks([Mark("column/salary")] if format_name == "csv" and b"\nsalary" not in data else [])
        told = json.loads(reader.findings(kept, policies, name="", same=[]).parts[0])["findings"]
        assert {one["group"] for one, *_ in told if one["kind"] == "policy"} <= {"p/1#1"}
        if b"Pay" in data and format_name == "csv":
            assert len(json.loads(reader.hits(policies, limit=9).parts[0])["missing"]) == 1
        return [(one["kind"], one["sentence"]["text"]) for one, *_ in told]

    kind, sentence = found(b"Pay list 2026\nsalary,who\n100,Anna\n")[0]
    assert kind == "policy"
    assert "“salary”" in sentence
    assert any("has 1 cell" in sentence for _, sentence in found(b"who,salary\nAnna 100\nBert,200\n"))


def test_a_text_that_is_called_a_table_is_read_as_one_once_and_as_a_text_anyway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = [{"kind": "columns", "columns": ["salary"]}, {"kind": "keywords", "keywords": ["Anna"]}]
    policies = json.dumps([{"table": {"name": "p", "rules": rules}, "version": 1}]).encode()
    read: list[str] = []

    def reading_it(kind: str, data: bytes) -> Reading:
        read.append(kind)
        return read_as(kind, data)

    monkeypatch.setattr(reader_module, "read_as", reading_it)
    text = "salary,who\n100,Anna\n"
    for data, kinds in ((text.encode(), ["policy", "policy"]), (text.encode("utf-16"), ["policy", "limit"])):
        reader = Reader()
        reader.read(data, name="p.csv", media_type=None, size=len(data), format_name="unknown")
        told = json.loads(reader.findings(b"[]", policies, name="", same=[]).parts[0])["findings"]
        assert [one["kind"] for one, *_ in told] == kinds
    assert read == ["csv", "csv"]


async def test_what_an_earlier_text_said_plain_is_found(reading: ReadingService, blobs: BlobStore) -> None:
    now = File("now", "a.txt", "", "text", stored(blobs, b"Codename ORIONIS here", [(9, 16)]), None)
    before = File("before", "a.txt", "", "text", stored(blobs, b"It is ORIONIS, we say", []), None)
    found = await reading.findings(now, name="a.txt", earlier=[before])
    assert [item.finding.kind for item in found if item.finding.kind == "sent"] == ["sent"]


async def test_rows_of_tables_and_sheets(reading: ReadingService, blobs: BlobStore) -> None:
    rows = b"".join(b'%d,"x\n%d"\n' % (n, n) for n in range(1, 1001))
    table = file_of(blobs, "t.csv", b"n,text\n" + rows, "csv", key="rows")
    got = json.loads(await reading.rows(table, first=700, count=3))
    expected = [["700", "x\n700"], ["701", "x\n701"], ["702", "x\n702"]]
    assert got == {"columns": ["n", "text"], "from": 700, "rows": expected}
    assert json.loads(await reading.rows(table, first=1001, count=3))["rows"] == []
    assert json.loads(await reading.outline(table))["rows"] == 1000
    log = file_of(blobs, "log.jsonl", GOOD["log.jsonl"][1], "jsonl")
    assert json.loads(await reading.rows(log, first=1, count=9)) == {
        "columns": ["who", "what"],
        "from": 1,
        "rows": [["Berta"], ["B", SECRET]],
    }
    book = file_of(blobs, "pay.xlsx", GOOD["pay.xlsx"][1], "xlsx")
    sheets = json.loads(await reading.outline(book))["sheets"]
    first = json.loads(await reading.rows(book, first=1, count=9))
    assert first == json.loads(await reading.rows(book, first=1, count=9, sheet=sheets[0]["name"]))
    assert len(first["rows"]) == sheets[0]["rows"]
    cells = {unit["address"]: unit["text"] for unit in await all_units(reading, book, 500)}
    for number, row in enumerate(first["rows"], 1):
        for letter, text in zip(first["columns"], row, strict=False):
            assert cells.get(f"sheet/{sheets[0]['name']}/{letter}{number}") == text
    for file, asked in ((book, {"sheet": "none"}), (table, {"sheet": "x"}), (file_of(blobs, "p", b"", "text"), {})):
        with pytest.raises(NotAvailable):
            await reading.rows(file, first=1, count=1, **asked)


async def test_words_of_a_page_are_where_they_are_drawn(reading: ReadingService, blobs: BlobStore) -> None:
    file = file_of(blobs, "report.pdf", GOOD["report.pdf"][1], "pdf")
    page = json.loads(await reading.words(file, page=2))
    words = [page["text"][word["start"] : word["end"]] for word in page["words"]]
    assert words == ["The", "harbour", "code", "is", *f"{SECRET}.".split()]
    places = [(word["x"], word["y"], word["w"], word["h"]) for word in page["words"]]
    assert all(0 <= x < x + w <= 1 and 0 <= y < y + h <= 1 for x, y, w, h in places)
    assert sorted(places) == places
    for number in (0, 4):
        with pytest.raises(Unreadable, match=f"page/{number}"):
            await reading.words(file, page=number)
