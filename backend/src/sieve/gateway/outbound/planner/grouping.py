"""Forms groups of the waiting transfers. Each group is sent in one attempt.

Invariant: a group has only first attempts to one peer, with equal requests. Transfers that the author chose to send
together go together, as many as the peer accepts; others only if that saves time. A retry goes alone, so that no
document delays others more than once. No transfer overtakes another one to the same peer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.peering.peer_capacity import PeerCapacity, UnderWay

Key: TypeAlias = tuple[object, ...]


class Waiting(Protocol):
    """What decides in which group a waiting transfer goes."""

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
    @property
    def off_plain(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """`most_documents`, `most_bytes`: of a group that the gateway forms. `wait_ns`: how long its first one may wait for
    others. `most_to_peer`: the documents in progress to one peer, if it accepts so many.
    """

    most_documents: int = 32
    most_bytes: int = 4_000_000
    wait_ns: int = 0
    most_to_peer: int = 64


class Groups(NamedTuple):
    """Groups of positions in the waiting transfers. `look_again_ns`: when a group has waited long enough for others."""

    groups: Sequence[Sequence[int]]
    look_again_ns: int | None


@dataclass(frozen=True, slots=True)
class Offer:
    """The state of the peers. `takes`: what a peer accepts. `pays`: how many of some works, from the first on, should
    go together to a peer in a mode. `under_way`: what is in progress to each peer.
    """

    takes: Callable[[str], PeerCapacity]
    pays: Callable[[str, str, Sequence[Work]], int]
    under_way: Mapping[str, UnderWay]


def grouped(waiting: Sequence[Waiting], rules: Rules, offer: Offer, *, now_ns: int, most: int) -> Groups:
    """The groups to send now, at most `most`. The group whose first transfer has waited longest comes first.

    `waiting` is in the order in which transfers may be sent.
    """
    by_key: dict[Key, list[int]] = {}
    for position, each in enumerate(waiting):
        by_key.setdefault(_key(position, each), []).append(position)
    found = sorted(group for positions in by_key.values() for group in _cut(waiting, positions, rules, offer, most))
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
        room = takes.at_once([waiting[position].size for position in group], beside)
        if len(group) > room:
            # The rest goes next. To wait for room for all of them would delay all transfers behind.
            blocked.add(first.peer_id)
            group = group[:room]
        if group:
            leaving.append(group)
            size = sum(waiting[position].size for position in group)
            under_way[first.peer_id] = UnderWay(beside.documents + len(group), beside.size + size)
    return Groups(leaving, look_again_ns)


def _key(position: int, each: Waiting) -> Key:
    if each.attempts:
        return (position,)
    if each.batch_id is not None:
        return each.peer_id, each.batch_id
    if each.split != "range":
        return (position,)
    # One plan is made for a group. One that must stay off the plain channel never goes by the plan of another.
    return each.peer_id, each.mode, each.secure_channels, each.plain_channels, each.off_plain


def _cut(
    waiting: Sequence[Waiting], positions: Sequence[int], rules: Rules, offer: Offer, most: int
) -> Iterator[tuple[Sequence[int], bool]]:
    """Cuts transfers that may go together into groups; with each, whether waiting could make it larger."""
    first = waiting[positions[0]]
    alone = len(positions) == 1 and (first.attempts or first.split != "range")
    takes = 1 if alone else max(1, min(offer.takes(first.peer_id).together, rules.most_to_peer))
    chosen = first.batch_id is not None
    while positions and most:
        count = takes
        works = [_work(waiting[position]) for position in positions[: min(takes, rules.most_documents)]]
        if not chosen and takes > 1:
            count = min(takes, offer.pays(first.peer_id, first.mode, works))
        group, positions = positions[:count], positions[count:]
        full = chosen or takes < 2 or positions or len(group) >= min(takes, rules.most_documents)
        yield group, not full and (len(group) > 1 or offer.pays(first.peer_id, first.mode, works[:1] * 2) > 1)
        most -= 1


def _work(each: Waiting) -> Work:
    return Work(each.classified_size, each.size - each.classified_size)
