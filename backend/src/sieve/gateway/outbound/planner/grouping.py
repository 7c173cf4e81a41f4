"""Which of the transfers that wait leave together, each group by one attempt.

The law: together go only first attempts to one peer, asked to go in one way. What its author chose to go together goes
together, as many as the peer takes; of the others, those for which that pays. A retry goes alone, so that no document
can hold up others for longer than once. Nobody overtakes who waits for the same peer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.peering.peer_limits import PeerLimits, UnderWay

Key: TypeAlias = tuple[object, ...]


class Waiting(Protocol):
    """A transfer that may leave, as far as it decides with whom."""

    @property
    def since_ns(self) -> int: ...
    @property
    def peer_id(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def secure_channels(self) -> int: ...
    @property
    def plain_channels(self) -> int: ...
    @property
    def split(self) -> str: ...
    @property
    def batch_id(self) -> str | None: ...
    @property
    def attempts(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def classified_size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """`most_documents`, `most_bytes`: of a group that the gateway makes. `wait_ns`: how long its first may wait for
    others. `most_to_peer`: documents that are under way to one peer, if it takes so many.
    """

    most_documents: int = 32
    most_bytes: int = 4_000_000
    wait_ns: int = 0
    most_to_peer: int = 64


class Groups(NamedTuple):
    """By their places in what waits. `look_again_ns`: when one that waits for others has waited long enough."""

    groups: Sequence[Sequence[int]]
    look_again_ns: int | None


@dataclass(frozen=True, slots=True)
class Offer:
    """What is known beside what waits. `takes`: what a peer takes; `pays`: of those works, in that mode, how many pay
    to go together, the first one first; `under_way`: what is on its way to each peer.
    """

    takes: Callable[[str], PeerLimits]
    pays: Callable[[str, str, Sequence[Work]], int]
    under_way: Mapping[str, UnderWay]


def grouped(waiting: Sequence[Waiting], rules: Rules, offer: Offer, *, now_ns: int, most: int) -> Groups:
    """The groups that leave now, `most` of them at most, those whose first has waited longest first.

    `waiting` stands in the order in which it may leave.
    """
    by_key: dict[Key, list[int]] = {}
    for place, each in enumerate(waiting):
        by_key.setdefault(_key(place, each), []).append(place)
    found = sorted(group for places in by_key.values() for group in _cut(waiting, places, rules, offer, most))
    under_way = dict(offer.under_way)
    blocked: set[str] = set()
    leaving: list[Sequence[int]] = []
    look_again_ns: int | None = None
    for group, may_grow in found:
        first = waiting[group[0]]
        if first.peer_id in blocked or len(leaving) == most:
            continue
        ready_ns = first.since_ns + rules.wait_ns
        if may_grow and ready_ns > now_ns:
            look_again_ns = ready_ns if look_again_ns is None else min(look_again_ns, ready_ns)
            continue
        beside, takes = under_way.get(first.peer_id, UnderWay()), offer.takes(first.peer_id)
        takes = takes._replace(documents=min(takes.documents, rules.most_to_peer))
        room = takes.at_once([waiting[place].size for place in group], beside)
        if len(group) > room:
            # They part, and the rest leaves next: whoever waits for all of them would hold up everybody behind.
            blocked.add(first.peer_id)
            group = group[:room]
        if group:
            leaving.append(group)
            size = sum(waiting[place].size for place in group)
            under_way[first.peer_id] = UnderWay(beside.documents + len(group), beside.size + size)
    return Groups(leaving, look_again_ns)


def _key(place: int, each: Waiting) -> Key:
    if each.attempts:
        return (place,)
    if each.batch_id is not None:
        return each.peer_id, each.batch_id
    if each.split != "range":
        return (place,)
    return each.peer_id, each.mode, each.secure_channels, each.plain_channels


def _cut(
    waiting: Sequence[Waiting], places: Sequence[int], rules: Rules, offer: Offer, most: int
) -> Iterator[tuple[Sequence[int], bool]]:
    """Those that may go together, cut into groups; and of each group whether waiting could make it larger."""
    first = waiting[places[0]]
    alone = len(places) == 1 and (first.attempts or first.split != "range")
    takes = 1 if alone else max(1, min(offer.takes(first.peer_id).together, rules.most_to_peer))
    chosen = first.batch_id is not None
    while places and most:
        count = takes
        works = [_work(waiting[place]) for place in places[: min(takes, rules.most_documents)]]
        if not chosen and takes > 1:
            count = min(takes, offer.pays(first.peer_id, first.mode, works))
        group, places = places[:count], places[count:]
        full = chosen or takes < 2 or places or len(group) >= min(takes, rules.most_documents)
        yield group, not full and (len(group) > 1 or offer.pays(first.peer_id, first.mode, works[:1] * 2) > 1)
        most -= 1


def _work(each: Waiting) -> Work:
    return Work(each.classified_size, each.size - each.classified_size)
