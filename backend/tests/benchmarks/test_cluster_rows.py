"""The measurement of queries with many transfers: each finds something in made-up tables, and the page says what keeps
the bound.
"""

import time
from pathlib import Path

from benchmarks.cluster_rows import QUERIES, Asked, Times
from benchmarks.filled_tables import fill_file

from benchmarks import cluster_rows
from sieve.store.database_from_url import database_from_url

ROWS = 1_700
"""One in a hundred waits, and a claim takes 16."""


async def test_each_query_finds_something(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    database = database_from_url(f"sqlite+aiosqlite:///{path}")
    await database.migrate()
    until_s = int(time.time()) // 60 * 60
    await fill_file(database, path, ROWS, until_s)
    at = Asked("SQLite", ROWS, database, until_s, {})
    at = Asked("SQLite", ROWS, database, until_s, await cluster_rows.middles(at))
    for query in QUERIES.values():
        await query(at)
    await QUERIES["claim of 16"](at)  # the first one was undone
    await database.dispose()


def times(query: str, few_ms: float, many_ms: float) -> Times:
    return Times(query, "SQLite", {10: [few_ms] * 20, 1000: [many_ms] * 20})


def test_the_page_marks_what_does_not_keep_the_bound() -> None:
    about = {"cpu": "a processor", "cores": 2, "openssl": "OpenSSL 3", "commit": "abc", "load_at_start": [1.0]}
    found = [times("a", 1, 2), times("b", 1, 199), times("c", 150, 300), times("outbox: rare word", 99, 201)]
    text = cluster_rows.page(found, about, (10, 1000), 20)
    assert "| a | 1.0 / 1.0 | 2.0 / 2.0 | 2.0 |" in text
    assert "| b | 1.0 / 1.0 | 199.0 / 199.0 | 199.0 |" in text
    assert "| c | 150.0 / 150.0 | 300.0 / 300.0 | 2.0 |" in text
    assert "| outbox: rare word | **99.0 / 99.0** | **201.0 / 201.0** | **2.0** |" in text
    assert "3 of 4 keep it" in text and "a rare word" in text.lower()
    assert "a count" not in text.lower()
