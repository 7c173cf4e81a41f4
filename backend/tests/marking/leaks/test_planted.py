"""The leak scanner finds as much as before: a few of the documents that docs/benchmarks/leak-guard.md measures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # where the benchmarks are

from benchmarks import file_leaks, leaks, planted, planted_files


def test_planted_secrets_are_found_and_little_else() -> None:
    result = leaks.tally(planted.documents(7, 90))
    assert result.planted.total() > 200
    assert not result.missed
    assert result.alarms.total() <= 12


def test_the_same_seed_plants_the_same() -> None:
    assert [*planted.documents(3, 4)] == [*planted.documents(3, 4)]


def test_no_secret_in_a_file_of_any_format_leaks_in_silence() -> None:
    """In any of its places: found by the leak scanner, or classified anyway and withheld from the redacted edition."""
    result = file_leaks.tally(seed=3, count=68)
    assert result.files.keys() == planted_files.FORMATS.keys()
    assert sum(row.planted for row in result.formats.values()) > 200
    assert result.silent == []
    found = {kind for kind, row in result.formats.items() if row.found}
    # The letters of pictures are not marked: all of the file is.
    assert found == result.formats.keys() - {"png", "jpg", "tiff"}
    assert result.alarms.total() <= 12
