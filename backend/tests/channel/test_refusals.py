"""The kinds of refusals that a sender and a receiver share."""

import pytest

from sieve.channel.refusals import RefusalKind


@pytest.mark.parametrize("kind", list(RefusalKind))
def test_a_kind_is_read_as_it_is_written(kind: RefusalKind) -> None:
    assert RefusalKind.of(str(kind)) is kind


@pytest.mark.parametrize("said", ["of-a-newer-version", "", "FULL", None, 1, [], {}, True])
def test_a_kind_of_a_newer_version_counts_as_any_refusal(said: object) -> None:
    kind = RefusalKind.of(said)
    assert kind is RefusalKind.REFUSED
    assert kind.is_final(permanent=True) and not kind.is_final(permanent=False)


def test_a_deadline_by_the_clock_of_the_peer_alone_is_not_final() -> None:
    assert not RefusalKind.EXPIRED.is_final(permanent=True)
