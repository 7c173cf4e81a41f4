"""A table of a database becomes a file that loses nothing, with marks that fit it."""

import csv
import io
import json
import sqlite3
from pathlib import Path

import pytest

from sieve.cli.app import main
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.tables.delimited import read_csv

ROWS: list[tuple[object, ...]] = [
    (1, 'Ann, "A"\r\nLee', 0.1, None, b"\x00\xff"),
    (2, "", 1e300, "é😀", None),
    (3, None, 12345678901234567890.0, "\ufeffx", b""),
]


@pytest.fixture
def url(tmp_path: Path) -> str:
    with sqlite3.connect(tmp_path / "pay.db") as database:
        database.execute(
            'CREATE TABLE staff (id INTEGER PRIMARY KEY, "full name" TEXT, pay DECIMAL, note TEXT, key BLOB)'
        )
        database.executemany("INSERT INTO staff VALUES (?, ?, ?, ?, ?)", ROWS[::-1])
        database.execute("CREATE TABLE one (only_one TEXT)")
        database.execute("INSERT INTO one VALUES (NULL), ('x')")
        database.execute('CREATE VIEW "a.view" AS SELECT pay FROM staff')
    database.close()
    return f"sqlite:///{tmp_path / 'pay.db'}"


def export(url: str, table: str, columns: str, out: Path, *more: str) -> int:
    arguments = ["--database-url", url, "--table", table, "--classified-columns", columns, "--out", str(out)]
    return main(["export", *arguments, *more])


def test_a_table_loses_nothing(url: str, tmp_path: Path) -> None:
    out = tmp_path / "staff.csv"
    assert export(url, "staff", "pay, full name", out) == 0
    header, *rows = csv.reader(io.StringIO(out.read_bytes().decode(), newline=""))
    assert header == ["id", "full name", "pay", "note", "key"]
    assert [row[1] for row in rows] == ['Ann, "A"\r\nLee', "", ""]
    assert [float(row[2]) for row in rows] == [row[2] for row in ROWS]
    assert [row[3] for row in rows] == ["", "é😀", "\ufeffx"]
    assert [row[4] for row in rows] == ["\\x00ff", "", "\\x"]
    lines = out.read_bytes().split(b"\r\n")
    assert lines[3].startswith(b'2,"",') and lines[4].startswith(b"3,,")
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("staff.*")} == {0o600}


def test_its_marks_are_ready_for_the_other_commands(url: str, tmp_path: Path) -> None:
    out, marks, parts = tmp_path / "staff.csv", tmp_path / "marks.json", tmp_path / "parts"
    assert export(url, "staff", "full name,pay", out, "--marks-out", str(marks)) == 0
    assert [mark["address"] for mark in json.loads(marks.read_bytes())["marks"]] == ["column/full name", "column/pay"]
    assert main(["separate", str(out), "--marks", str(marks), "--out", str(parts)]) == 0
    assert (parts / "plain.bin").read_bytes().startswith(b"id,full name,pay,note,key\r\n1,,\\x00ff\r\n")
    assert b"Ann" in (parts / "secure.bin").read_bytes()
    assert main(["integrate", str(parts), "--out", str(tmp_path / "again.csv")]) == 0
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()


def test_a_table_of_one_column_keeps_its_rows(url: str, tmp_path: Path) -> None:
    assert export(url, "one", "only_one", tmp_path / "one.csv") == 0
    assert [unit.text for unit in read_csv((tmp_path / "one.csv").read_bytes()).units()] == ["only_one", "", "x"]
    assert export(url, "a.view", "pay", tmp_path / "view.csv") == 0


def test_names_of_columns_may_be_anything(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, out = ["sep=;", "notes; a; b; c; d", "last, first", "a|b", '5" pipe'], tmp_path / "odd.csv"
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    with sqlite3.connect(tmp_path / "pay.db") as database:
        database.execute(f"CREATE TABLE odd ({quoted})")
        database.execute("INSERT INTO odd VALUES (1, 2, 3, 4, 5)")
        database.execute('CREATE TABLE alone ("sep=;")')
        database.execute("INSERT INTO alone VALUES (1)")
    database.close()
    assert export(url, "odd", quoted, out) == 0
    table = read_csv(out.read_bytes())
    assert [unit.text for unit in table.units()] == [*names, "1", "2", "3", "4", "5"]
    assert (
        separate(Document(out.read_bytes(), table.spans([Mark(f"column/{name}") for name in names]))).plain.count(b"\n")
        == 1
    )
    assert export(url, "alone", "sep=;", tmp_path / "alone.csv") == 0
    assert export(url, "odd", '"last, first', tmp_path / "none.csv") == 2
    assert "--classified-columns" in capsys.readouterr().err


def test_a_table_whose_marks_cannot_be_written_does_not_stay(url: str, tmp_path: Path) -> None:
    assert export(url, "one", "only_one", tmp_path / "one.csv", "--marks-out", str(tmp_path / "no" / "m.json")) != 0
    assert not (tmp_path / "one.csv").exists()
    # Nor where the name given is a link to it.
    (tmp_path / "link.csv").symlink_to(tmp_path / "there.csv")
    assert export(url, "one", "only_one", tmp_path / "link.csv", "--marks-out", str(tmp_path / "no" / "m.json")) != 0
    assert not (tmp_path / "there.csv").exists()


@pytest.mark.parametrize("out", ["-", "/dev/null", "."])
def test_a_table_goes_into_a_file_for_its_marks_are_of_that(
    url: str, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(url, "one", "only_one", Path(out)) == 2
    told = capsys.readouterr()
    assert (told.out, "--out must name a regular file" in told.err) == ("", True), told.err


@pytest.mark.parametrize(
    ("table", "columns", "sentence"),
    [
        ("stuff", "pay", "the database has no table stuff; it has a.view, one, staff"),
        ("main.stuff", "pay", "the database has no table stuff; it has a.view, one, staff"),
        ("staff", "pay,salary", "staff has no column salary; it has id, full name, pay, note, key"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, columns: str, sentence: str
) -> None:
    assert export(url, table, columns, tmp_path / "out.csv") == 2
    assert capsys.readouterr().err == f"sieve: {sentence}\n"
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("sqlite:////absent/absent.db", 2),
        ("sqlite://", 2),
        ("oddbase://anna:hunter2@localhost/pay", 2),
        ("anna:hunter2@localhost", 2),
        ("postgresql://anna:hunter2@localhost/pay", 1),
        ("postgresql://anna:hunter2@localhost:port/pay", 2),
    ],
)
def test_a_database_that_cannot_be_had_is_reported_in_one_line_without_its_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, status: int
) -> None:
    assert export(url, "staff", "pay", tmp_path / "out.csv") == status
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "hunter2" not in said and "anna" not in said


def test_a_file_that_is_no_database_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.db").write_bytes(b"nothing of the kind" * 100)
    assert export(f"sqlite:///{tmp_path / 'no.db'}", "staff", "pay", tmp_path / "out.csv") == 1
    assert "file is not a database" in capsys.readouterr().err
