"""Members are those of the standard library, and a value leaves no trace: not its type, nor that it was there."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import modest
from file_checks import plain_stream
from sieve.core.document import Document
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import redact
from sieve.formats.tables.json_lines import MAX_MEMBERS, read_jsonl
from tables import Versions, json_lines

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.text(), values, max_size=4)


def plain_of(data: bytes, marks: list[Mark]) -> bytes:
    return plain_stream(read_jsonl(data), data, marks)


def as_read(value: Any) -> str:
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    return json.dumps(value)


@modest
@given(st.lists(objects, max_size=3), st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r: ")]))
def test_members_are_those_of_the_standard_library(
    rows: list[dict[str, Any]], ascii_only: bool, separators: tuple[str, str]
) -> None:
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=separators) for row in rows]
    data = "".join(f" {line}\r\n\n" for line in lines).encode()
    units = [*read_jsonl(data).units()]
    found = [(unit.address, unit.text) for unit in units if unit.kind == "cell"]
    assert {unit.text for unit in units if unit.kind == "header"} >= {
        key for row in rows for key in map(as_read, row) if key
    }
    expected = [
        (f"row/{number}/{key or f'column {index}'}", value)
        for number, row in enumerate(rows, 1)
        for index, (key, value) in enumerate(row.items(), 1)
    ]
    assert [address for address, _ in found] == [address for address, _ in expected]
    for (_, text), (_, value) in zip(found, expected, strict=True):
        if isinstance(value, list | dict):
            assert text.startswith("[" if isinstance(value, list) else "{")
        else:
            assert text == as_read(value)


@modest
@given(st.text('{}[]",:\\u0 1ea-.', max_size=20).map(lambda text: '{"k":' + text))
def test_what_the_standard_library_reads_is_read(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        return
    units = list(read_jsonl(text.encode()).units())
    assert len(units) >= len(expected)
    assert any(unit.text == as_read(expected["k"]) for unit in units) or not isinstance(expected["k"], str)


@modest
@given(json_lines())
def test_what_is_separated_comes_back(versions: Versions) -> None:
    for data, marks in zip(versions.files, versions.marks, strict=True):
        spans = read_jsonl(data).spans(marks)
        assert integrate(spans, len(data), *separate(Document(data, spans))) == data


@modest
@given(json_lines())
def test_nothing_that_is_marked_stays(versions: Versions) -> None:
    for data, marks in zip(versions.files, versions.marks, strict=True):
        for left in (plain_of(data, marks), redact(read_jsonl(data), marks)):
            for line in left.decode().splitlines():
                assert not re.search("[SXZÖ]", json.dumps(json.loads(line), ensure_ascii=False))


@modest
@given(json_lines())
def test_a_change_of_the_secret_alone_leaves_what_stays_as_it_is(versions: Versions) -> None:
    """Of another type or length, or not there at all."""
    first, second = (plain_of(data, marks) for data, marks in zip(versions.files, versions.marks, strict=True))
    assert first == second


def test_a_member_takes_its_key_and_one_comma_with_it() -> None:
    data = b'{ "a": 1 , "b": [{"c": "]"}], "d" : "x" }\r\n'
    assert plain_of(data, [Mark("row/1/a")]) == b'{ "b": [{"c": "]"}], "d" : "x" }\r\n'
    assert plain_of(data, [Mark("column/b")]) == b'{ "a": 1 , "d" : "x" }\r\n'
    assert plain_of(data, [Mark("row/1/d", 0, 1)]) == b'{ "a": 1 , "b": [{"c": "]"}] }\r\n'
    assert plain_of(data, [Mark("row/1/b", 3, 4), Mark("column/d")]) == b'{ "a": 1 }\r\n'
    assert plain_of(data, [Mark("row/1")]) == b""
    assert plain_of(data, [Mark(f"column/{key}") for key in "abd"]) == b""


def test_a_part_of_a_string_leaves_the_rest_a_string() -> None:
    data = b'{"a": "h\\u00e9 \\ud83d\\ude00 \\"x\\""}'
    assert [*read_jsonl(data).units()][-1].text == 'hé 😀 "x"'
    assert plain_of(data, [Mark("row/1/a", 1, 4)]) == b'{"a": "h \\"x\\""}'
    assert redact(read_jsonl(data), [Mark("row/1/a", 1, 4)]).decode() == f'{{"a": "h{MARKER} \\"x\\""}}'


def test_one_marker_replaces_all_whole_members_of_a_row_and_adjacent_rows() -> None:
    data = b'{"a": 1, "b": 2, "c": 3}\n{"a": 4}\n{"b": 5}\n'
    marks = [Mark("column/a"), Mark("row/1/c"), Mark("row/3")]
    assert redact(read_jsonl(data), marks).decode().splitlines() == [
        f'{{"{MARKER}": "{MARKER}", "b": 2}}',
        f'{{"{MARKER}": "{MARKER}"}}',
    ]


def test_a_key_that_comes_twice_is_marked_twice_by_its_column() -> None:
    data = b'{"a": 1, "a": 2, "b": 3}\n'
    cells = [unit.address for unit in read_jsonl(data).units() if unit.kind == "cell"]
    assert cells == ["row/1/a", "row/1/a (2)", "row/1/b"]
    assert plain_of(data, [Mark("column/a")]) == b'{"b": 3}\n'


def test_keys_are_units_once_and_are_marked_with_their_column() -> None:
    data = b'{"a": 1, "Ida Berg": 2}\n{"a": 3, "b": 4}\n{"Ida Berg": 5, "b": 6}\n'
    reading = read_jsonl(data)
    keys = [(unit.address, unit.text) for unit in reading.units() if unit.kind == "header"]
    assert keys == [("row/0/a", "a"), ("row/0/Ida Berg", "Ida Berg"), ("row/0/b", "b")]
    for mark in (Mark("row/0/Ida Berg"), Mark("row/0/Ida Berg", 4, 8)):
        assert plain_of(data, [mark]) == b'{"a": 1}\n{"a": 3, "b": 4}\n{"b": 6}\n'
        assert b"Berg" not in redact(reading, [mark])
    assert plain_of(data, [Mark("row/0")]) == b""


@pytest.mark.parametrize(
    "mark",
    [
        Mark("row/0", 0, 1),
        Mark("row/0/b"),
        Mark("row/0/a", 0, 2),
        Mark("row/2"),
        Mark("row/1/b"),
        Mark("column/b"),
        Mark("row/1/a", 0, 2),
        Mark("bytes/0-1"),
    ],
)
def test_what_is_not_there_is_refused_by_its_address(mark: Mark) -> None:
    for refusing in (read_jsonl(b'{"a": 1}').spans, read_jsonl(b'{"a": 1}').redacted):
        with pytest.raises(UnknownPlace) as caught:
            refusing([mark])
        assert caught.value.address == mark.address


@pytest.mark.parametrize(
    "line",
    [
        *(
            '[{"a": 1}]',
            '{"a": 1',
            '{"a" 1}',
            '{"a": }',
            '{"a": 1,}',
            '{"a": "x}',
            '{"a": 1} {"b": 2}',
            "{a: 1}",
            "nothing",
        ),
        *('{"a": [1}', '{"a": [1}]}', '{"a": ]}', '{"a": 01}', '{"a": "\\x"}', '{"a": tru}', "{", "}", '{"a": "\t"}'),
        # Python 3.11.2 goes on from where a possessive group failed.
        *(
            '{"a": 1.}',
            '{"a": 1e}',
            '{"a": 1.5e+}',
            '{"a": "\\u12"}',
            '{"a": "\\\\\\u123g"}',
            '{"\\ud8": 1}',
            '{"a": ["\\u"]}',
        ),
    ],
)
def test_what_is_no_object_is_refused_with_its_line(line: str) -> None:
    for end in ("", "\n", "\n{}\n"):
        with pytest.raises(Damaged, match="line 2 is not a JSON object"):
            read_jsonl(f'{{"a": 1}}\n{line}{end}'.encode()).spans([])


def test_an_object_of_too_many_members_is_refused() -> None:
    data = b'{"a":1' + b',"":1' * MAX_MEMBERS + b"}"
    with pytest.raises(TooLarge, match="line 1 has more than"):
        list(read_jsonl(data).units())


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":"' + b'\\"' * 100_000 + b'"}',
        b'{"a":' + b"1" * 200_000 + b"}",
    ],
)
def test_hostile_lines_take_no_more_time_than_their_bytes(data: bytes) -> None:
    assert len(list(read_jsonl(data).spans([Mark("row/1/a", 0, 1)]))) == 1


def test_brackets_that_never_end_are_refused() -> None:
    with pytest.raises(Damaged):
        list(read_jsonl(b'{"a":' + b"[" * 200_000).units())
