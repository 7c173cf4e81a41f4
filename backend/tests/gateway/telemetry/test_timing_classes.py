"""The classes of timings."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.telemetry.timing_classes import share_class, share_classes

SIZES = st.integers(0, 10) | st.integers(0, 2**40)


@given(st.lists(st.tuples(SIZES, SIZES) | SIZES.map(lambda size: (size, size))))
def test_the_shares_of_many_documents_are_those_of_each(documents: list[tuple[int, int]]) -> None:
    classified, sizes = [each[0] for each in documents], [each[1] for each in documents]
    assert share_classes(classified, sizes) == [share_class(*each) for each in documents]
