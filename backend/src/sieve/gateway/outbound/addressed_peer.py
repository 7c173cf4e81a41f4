"""A peer gateway and the people there to whom an author sends documents."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sieve.channel.attempt import Mode, Plan
from sieve.gateway.outbound.covers import At
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planning import Preview
from sieve.gateway.peering.peers import Peer
from sieve.gateway.telemetry.timing_marks import TimingMarks


@dataclass(slots=True)
class AddressedPeer:
    """A peer and the recipients' logins there. `plan`, `wish`: how to send there. `estimated`: the mode that the
    estimate showed. `warm`: whether the secure channel was open before. `checked`: whether the peer confirmed the
    recipients; then it said their `display_names`, by login. `unreachable`: whether the peer did not answer when it was
    asked. `timing_marks`: of the connection that asking the peer opened.
    """

    peer: Peer
    names: tuple[str, ...]
    plan: Plan
    wish: Wish | None
    estimated: Mode | None
    warm: bool
    checked: bool = False
    unreachable: bool = False
    display_names: Mapping[str, str] = field(default_factory=dict[str, str])
    timing_marks: TimingMarks = field(default_factory=TimingMarks)

    @property
    def at(self) -> At:
        """For the covers."""
        return At(self.peer.id, self.peer.name, [self.display_names.get(name, name) for name in self.names])

    def is_secure_only(self, preview: Preview) -> bool:
        """Whether the estimate that the author saw, or else the one of now, uses no plain channel."""
        return (self.estimated or preview.choice.way.mode) == "secure-only"
