"""How the outbox worker sends, retries and waits."""

from dataclasses import dataclass, field
from typing import Final

from sieve.channel.plain_patience import PlainPatience
from sieve.gateway.outbound.planner.grouping import Rules

PROBE_EVERY_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Times in seconds.

    `retry_first_s`, `retry_cap_s`: the waits between attempts. `full_disk_s`: the wait for a peer whose disk is full is
    at least half of it. After `breaker_after` failures in a row to reach a peer, nothing is sent to it for
    `breaker_open_s`. `retry_cap_s` is the longest wait in any case.

    `greet_first_s`, `greet_cap_s`: the pauses between greetings of a peer that cannot be reached while something waits.

    `probe_every_s`: how often to look for peers whose channels are to be measured with probes; None: never.

    `poll_s`: how often the worker looks for work without being woken, and tries again if the database cannot be used.
    `at_once`: the attempts in progress. `late_s`: how long to ask a peer whether it delivered a transfer that was
    cancelled. `stop_s`: how long outcomes may take to be stored when the gateway stops. `together`: which transfers are
    sent together.
    """

    lease_s: float = 30.0
    retry_first_s: float = 2.0
    retry_cap_s: float = 600.0
    full_disk_s: float = 60.0
    plain_patience: PlainPatience = field(default_factory=PlainPatience)
    poll_s: float = 1.0
    at_once: int = 16
    breaker_after: int = 5
    breaker_open_s: float = 30.0
    greet_first_s: float = 1.0
    greet_cap_s: float = 30.0
    probe_every_s: float | None = PROBE_EVERY_S
    late_s: float = 5.0
    stop_s: float = 3.0
    together: Rules = field(default_factory=Rules)

    @property
    def breaker_s(self) -> float:
        """How long a breaker stays open."""
        return min(self.breaker_open_s, self.retry_cap_s)
