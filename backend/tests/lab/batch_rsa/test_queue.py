"""Which requests form a batch."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.batch_rsa.queue import BatchQueue

EXPONENTS = (3, 5, 7, 11)


def test_a_full_batch_leaves_at_once() -> None:
    queue = BatchQueue[str](EXPONENTS, 10)
    for number, exponent in enumerate(EXPONENTS):
        assert queue.take(0) == {}
        queue.add(exponent, f"request {number}", 0)
    assert queue.take(0) == {3: "request 0", 5: "request 1", 7: "request 2", 11: "request 3"}
    assert queue.next_s() is None


def test_a_partial_batch_leaves_when_its_oldest_request_has_waited_long_enough() -> None:
    queue = BatchQueue[str](EXPONENTS, 10)
    queue.add(5, "old", 1)
    queue.add(3, "new", 4)
    assert queue.next_s() == 11
    assert queue.take(10.9) == {}
    assert queue.take(11) == {5: "old", 3: "new"}


def test_two_requests_with_one_exponent_are_in_two_batches() -> None:
    queue = BatchQueue[str](EXPONENTS, 0)
    queue.add(3, "first", 0)
    queue.add(3, "second", 0)
    assert [queue.take(0), queue.take(0), queue.take(0)] == [{3: "first"}, {3: "second"}, {}]


def test_clients_that_leave_give_their_exponent_to_the_next() -> None:
    queue = BatchQueue[str](EXPONENTS, 10)
    assert [queue.assign() for _ in EXPONENTS] == list(EXPONENTS)
    queue.release(7)
    assert queue.assign() == 7


@given(st.lists(st.booleans(), max_size=60))
def test_clients_that_stay_always_fill_batches(comes: list[bool]) -> None:
    """Whatever order clients come and send their ciphertexts in, as many as there are exponents make a full batch."""
    queue = BatchQueue[int](EXPONENTS, 10)
    came: list[int] = []
    for is_new in comes:
        if is_new or not came:
            came.append(queue.assign())
        else:
            queue.add(came.pop(), 0, 0)
            queue.take(0)
    for exponent in came:
        queue.add(exponent, 0, 0)
    while queue.take(0):
        pass
    waiting = 0
    while (due := queue.next_s()) is not None:
        waiting += len(queue.take(due))
    assert waiting < len(EXPONENTS)


@given(
    st.lists(st.tuples(st.sampled_from(EXPONENTS), st.floats(0, 1)), max_size=30),
    st.floats(0, 3),
)
def test_every_request_leaves_once_and_in_time(steps: list[tuple[int, float]], longest_wait_s: float) -> None:
    queue = BatchQueue[tuple[int, float]](EXPONENTS, longest_wait_s)
    now = 0.0
    added: list[tuple[int, float]] = []
    left: list[tuple[int, float]] = []
    for exponent, pause in steps:
        until = now + pause
        while (due := queue.next_s()) is not None and due <= until:
            batch = queue.take(due)
            assert all(due <= arrived + longest_wait_s for _, arrived in batch.values())
            left += batch.values()
        now = until
        added.append((exponent, now))
        queue.add(exponent, added[-1], now)
        left += queue.take(now).values()
    while (due := queue.next_s()) is not None:
        left += queue.take(due).values()
    assert sorted(left) == sorted(added)
