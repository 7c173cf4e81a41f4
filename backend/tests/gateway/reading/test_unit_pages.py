"""The next page of units continues where the last one ended, and an error is raised each time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.formats.errors import Damaged
from sieve.formats.tables.json_lines import read_jsonl
from sieve.gateway.reading.unit_pages import UnitPages


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5)), min_size=1, max_size=8), st.integers(0, 8))
def test_a_file_that_is_damaged_further_on_is_so_each_time(asked: list[tuple[int, int]], good: int) -> None:
    """A page that ended in an error once came back as the last one."""
    keys = 1 if good else 0
    pages = UnitPages(read_jsonl(b'{"a": 1}\n' * good + b'{"a": }\n'))
    for after, limit in asked:
        if after + limit < good + keys:
            units, following = pages.page(after, limit)
            assert (len(units), following) == (limit, after + limit)
        else:
            with pytest.raises(Damaged):
                pages.page(after, limit)
