"""A copy of a database is of one moment, also while others write, and keeps nobody waiting."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from sieve.store import snapshot


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two tables that always have the same number of rows, and pages enough for many steps."""
    path = tmp_path / "source.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE a (x)")
        database.execute("CREATE TABLE b (x)")
        for table in "ab":
            database.executemany(f"INSERT INTO {table} VALUES (?)", [(bytes(900),)] * 2_000)  # noqa: S608 -- the names above
        database.commit()
    return path


def test_a_writer_neither_tears_it_nor_waits_for_it(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    stopped, wrote = Event(), Event()

    def write() -> None:
        with closing(sqlite3.connect(source, timeout=0)) as other:
            other.execute("PRAGMA synchronous=OFF")
            while not stopped.is_set():
                other.execute("INSERT INTO a VALUES (randomblob(900))")
                other.execute("INSERT INTO b VALUES (randomblob(900))")
                other.commit()  # with no patience at all
                steps.append(1)
                wrote.set()

    monkeypatch.setattr(snapshot, "PAGES", 1)
    writing = Thread(target=write)
    writing.start()
    assert wrote.wait(20)
    before = len(steps)
    snapshot.copy(source, tmp_path / "copy.db")
    during = len(steps) - before
    stopped.set()
    writing.join()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copied:
        [a], [b] = (copied.execute(f"SELECT count(*) FROM {table}").fetchone() for table in "ab")  # noqa: S608 -- the names above
    assert a == b >= 2_000 + 1
    assert during > 10


def test_it_is_one_file_for_its_owner_alone(source: Path, tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    snapshot.copy(source, into / "copy.db")
    with closing(sqlite3.connect(into / "copy.db")) as copied:
        assert copied.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert [path.name for path in into.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((into / "copy.db").stat().st_mode) == 0o600
