"""Which transfers leave together: properties over any backlog, then the cases that people will ask about."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.outbound.planner.grouping import Groups, Offer, Rules, grouped
from sieve.gateway.peering.peer_capacity import PeerCapacity, UnderWay
from sieve.store.queries.claiming import Due

NOW = 1_000
ALWAYS = Rules()


def due(place: int, peer: str = "bravo", **changes: Any) -> Due:
    said: dict[str, Any] = {
        "since_ns": place,
        "created_at_ns": place,
        "id": f"{place:04}",
        "peer_id": peer,
        "mode": "auto",
        "secure_channels": 0,
        "plain_channels": 0,
        "split": "range",
        "batch_id": None,
        "attempts": 0,
        "size": 10_000,
        "classified_size": 5_000,
        "off_plain": False,
    }
    return Due(**(said | changes))


def small_ones_pay(_peer: str, _mode: str, works: Sequence[Work]) -> int:
    """As the planner would: what is large goes alone."""
    count = next((number for number, work in enumerate(works) if work.size > 50_000), len(works))
    return max(1, count)


def leaving(
    waiting: Sequence[Due], rules: Rules = ALWAYS, *, takes: int | PeerCapacity = 64, most: int = 16, **under_way: int
) -> Groups:
    """`takes`: of each peer, or how many documents it takes together; `under_way`: documents of 1,000 bytes."""
    peer = takes if isinstance(takes, PeerCapacity) else PeerCapacity(takes)
    there = {name: UnderWay(count, 1_000 * count) for name, count in under_way.items()}
    return grouped(waiting, rules, Offer(lambda _peer: peer, small_ones_pay, there), now_ns=NOW, most=most)


@st.composite
def backlogs(draw: st.DrawFn) -> list[Due]:
    chosen: dict[str, tuple[str, str]] = {}
    waiting = []
    for place in range(draw(st.integers(0, 60))):
        peer = draw(st.sampled_from(("bravo", "charlie")))
        batch_id = draw(st.sampled_from((None, None, "x", "y")))
        # What an author chose goes to one peer, in one way.
        peer, split = (
            chosen.setdefault(batch_id, (peer, draw(st.sampled_from(("range", "bfs")))))
            if batch_id
            else (
                peer,
                draw(st.sampled_from(("range", "range", "es"))),
            )
        )
        waiting.append(
            due(
                place,
                peer,
                mode=draw(st.sampled_from(("auto", "sieve"))),
                split=split,
                batch_id=batch_id,
                attempts=draw(st.sampled_from((0, 0, 0, 1))),
                size=draw(st.sampled_from((10_000, 100_000))),
                off_plain=batch_id is None and draw(st.sampled_from((False, False, True))),
            )
        )
    return waiting


@settings(max_examples=examples(20))
@given(
    backlogs(),
    st.builds(PeerCapacity, st.integers(1, 16), st.integers(1, 80), st.sampled_from((50_000, 10**6, 10**9))),
    st.integers(0, 5),
    st.integers(0, 64),
    st.builds(Rules, st.integers(1, 8), wait_ns=st.sampled_from((0, 980)), most_to_peer=st.integers(8, 20)),
)
def test_whatever_waits(waiting: list[Due], takes: PeerCapacity, most: int, open_there: int, rules: Rules) -> None:
    found = leaving(waiting, rules, takes=takes, most=most, bravo=open_there)
    groups = [[waiting[place] for place in group] for group in found.groups]
    assert len(groups) <= most
    flat = [each.id for group in groups for each in group]
    assert len(set(flat)) == len(flat)
    on_their_way = Counter(each.peer_id for group in groups for each in group)
    at_once = min(rules.most_to_peer, takes.documents)
    assert on_their_way["bravo"] <= max(0, at_once - open_there)
    assert on_their_way["charlie"] <= at_once
    for peer, size_there in (("bravo", 1_000 * open_there), ("charlie", 0)):
        size = sum(each.size for group in groups for each in group if each.peer_id == peer)
        # What is more than the peer ever takes goes alone, so that the peer refuses it.
        assert not size or size + size_there <= takes.size or (on_their_way[peer] == 1 and not size_there)
    for group in groups:
        first = group[0]
        assert group == sorted(group)
        assert len({(each.peer_id, each.batch_id) for each in group}) == 1
        if len(group) > 1:
            assert len(group) <= takes.together
            assert all(each.attempts == 0 for each in group)
            if first.batch_id is None:
                assert len(group) <= rules.most_documents
                assert {(each.mode, each.split) for each in group} == {(first.mode, "range")}
                assert all(each.size < 50_000 for each in group)
    # Nobody leaves before the one who has waited longest, unless that one waits for others to go with.
    room = open_there < at_once and 1_000 * open_there + waiting[0].size <= takes.size if waiting else False
    if waiting and most and not rules.wait_ns and (room or waiting[0].peer_id != "bravo" or not open_there):
        assert groups and waiting[0] in groups[0]
    if not rules.wait_ns:
        assert found.look_again_ns is None


def test_what_was_chosen_goes_together_however_large_and_a_retry_alone() -> None:
    waiting = [due(0, batch_id="x", size=9_000_000, split="bes"), due(1), due(2, batch_id="x", split="bes"), due(3)]
    assert leaving(waiting).groups == [[0, 2], [1, 3]]
    again = [each._replace(attempts=1) for each in waiting]
    assert leaving(again).groups == [[0], [1], [2], [3]]


def test_to_a_peer_that_takes_no_batches_each_goes_alone() -> None:
    for takes in (1, 0):
        assert leaving([due(0), due(1), due(2, batch_id="x"), due(3, batch_id="x")], takes=takes, most=3).groups == [
            [0],
            [1],
            [2],
        ]


def test_one_waits_for_others_until_its_time_is_over_or_the_group_is_full() -> None:
    rules = Rules(most_documents=3, wait_ns=100)
    young = [due(NOW - 50), due(NOW - 49)]
    assert leaving(young, rules) == Groups([], NOW + 50)
    assert leaving([*young, due(NOW - 48)], rules) == Groups([[0, 1, 2]], None)
    assert leaving([due(NOW - 100), *young], Rules(most_documents=9, wait_ns=100)) == Groups([[0, 1, 2]], None)
    # What would go alone waits for nobody.
    assert leaving([due(NOW - 50, size=100_000)], rules) == Groups([[0]], None)
    assert leaving([due(NOW - 50, batch_id="x")], rules) == Groups([[0]], None)


def test_no_more_are_under_way_to_a_peer_than_it_takes() -> None:
    waiting = [due(place) for place in range(40)]
    groups = leaving(waiting, bravo=40).groups
    assert [len(group) for group in groups] == [24]
    chosen = [due(place, batch_id="x") for place in range(30)]
    assert leaving([*chosen, due(30), due(31, "charlie")], bravo=40).groups == [[*range(24)], [31]]
    assert leaving([*chosen, due(30), due(31, "charlie")], bravo=64).groups == [[31]]


def test_what_is_more_than_the_peer_takes_at_a_time_parts() -> None:
    chosen = [due(place, batch_id="x") for place in range(9)]
    for takes in (PeerCapacity(documents=4), PeerCapacity(size=45_000)):
        assert leaving(chosen, takes=takes).groups == [[0, 1, 2, 3]]
        assert leaving(chosen, takes=takes, bravo=2).groups == [[*range(2 if takes.documents == 4 else 4)]]
    # By itself one goes that is more than the peer ever takes: it says why not.
    assert leaving(chosen, takes=PeerCapacity(size=9_999)).groups == [[0]]
    assert leaving(chosen, takes=PeerCapacity(size=9_999), bravo=1).groups == []


def test_what_must_stay_off_the_plain_channel_goes_with_nothing_that_may_use_it() -> None:
    waiting = [due(0), due(1, off_plain=True), due(2), due(3, off_plain=True)]
    assert leaving(waiting).groups == [[0, 2], [1, 3]]
