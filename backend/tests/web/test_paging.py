"""`next` of a page, as replicas of two versions read it from each other."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sieve.store.queries.sorting import After, Found
from sieve.web.paging import PageRequest

BEFORE = re.compile(r"(?:([0-9]{1,19})|~([A-Za-z0-9_-]*=*))-([0-9a-f]{32})")
"""What the version before reads, and refuses anything else."""


@given(
    place=st.builds(
        After,
        st.one_of(st.integers(0, 2**63 - 1), st.text(max_size=300)),
        st.text("0123456789abcdef", min_size=32, max_size=32),
    ),
    is_full=st.booleans(),
)
def test_each_version_reads_on_where_the_other_one_ended(place: After, is_full: bool) -> None:
    """Also that of a search which ended early. A version in between added a sign to that one."""
    found = Found(["row"]) if is_full else Found([], place)
    written = PageRequest(1, None).page_from(found, str, lambda _: place).next
    assert written is not None and BEFORE.fullmatch(written)
    assert PageRequest(1, written).after == place == PageRequest(1, f"{written}~").after
