"""What SQL does on PostgreSQL that Python does for SQLite."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postgres_server import PostgresServer, in_thread
from sieve.store import bucket_counts
from sieve.store.case_folding import folded


@pytest.fixture(scope="module")
def functions(server: PostgresServer) -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.mark.parametrize("until", [0x3000, pytest.param(0x2FFFF, marks=pytest.mark.soak)])
def test_names_fold_in_sql_as_in_python(server: PostgresServer, until: int) -> None:
    """Each character that Python folds alone, and texts of several."""
    # Characters that are newer than the server's Unicode, or Python's, normalize differently.
    letters = [chr(code) for code in range(1, until) if not 0xD800 <= code < 0xE000 and chr(code).isprintable()]
    texts = [*letters, "", "Straße ĲSSEL ﬀ", "E\u0301tude", "ΑΣ ς", "İI ıi", "100%_\\'", "日本語 Ａｂ"]

    async def fold() -> list[tuple[str, str]]:
        connection = await server.connect("template_of_tests")
        rows = await connection.fetch("SELECT it, sieve_folded(it) FROM unnest($1::text[]) AS it", texts)
        await connection.close()
        return [(row[0], row[1]) for row in rows]

    differing = [it for it, found in in_thread(fold()) if found != folded(it)]
    assert len(differing) < 200 and all(len(it) == 1 and it.casefold() == it for it in differing)
    assert all(not it.isalpha() or ord(it) > 0x2000 for it in differing)


def test_folding_needs_no_call_for_each_row(server: PostgresServer) -> None:
    """A call costs a hundred times as much as what it does for most names."""

    async def look() -> tuple[str, str | None]:
        connection = await server.connect("template_of_tests")
        plan = await connection.fetch("EXPLAIN (VERBOSE) SELECT sieve_folded(name) FROM documents")
        of_null = await connection.fetchval("SELECT sieve_folded(NULL)")
        await connection.close()
        return "".join(row[0] for row in plan), of_null

    plan, of_null = in_thread(look())
    assert "lower(" in plan and "sieve_folded(" not in plan
    assert of_null is None


histograms = st.dictionaries(st.integers(0, 2**16 - 1), st.integers(1, 2**31 - 1), max_size=6).map(
    lambda counts: b"".join(bucket_counts.PAIRS.pack(*pair) for pair in sorted(counts.items()))
)


def test_histograms_add_up_in_sql_as_in_python(server: PostgresServer) -> None:
    pairs: list[tuple[bytes, bytes]] = []

    @given(histograms, histograms)
    @example(b"", b"")
    def collect(one: bytes, other: bytes) -> None:
        pairs.append((one, other))

    collect()

    async def add() -> list[bytes]:
        connection = await server.connect("template_of_tests")
        found = [await connection.fetchval("SELECT sieve_added_counts($1, $2)", *pair) for pair in pairs]
        await connection.close()
        return found

    assert in_thread(add()) == [bucket_counts.added(*pair) for pair in pairs]
