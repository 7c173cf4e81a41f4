"""Causes for which many attempts fail, counted from roll-ups."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_queries import Dimension, Span
from sieve.web.timings import reports
from sieve.web.timings.schemas import Standout

COUNTED_BY: Final[Sequence[Dimension]] = ("peer_id", "mode", "cause")
FEWEST_FAILED: Final = 3
SHARE_FAILED: Final = 0.1
"""Of the attempts to a peer: a smaller share for one cause does not stand out."""
ROSE: Final = 5
"""Fewer do not stand out by having become more frequent."""
ROSE_TIMES: Final = 4
COMPARED_BEFORE: Final = 30
"""Attempts before, without which nothing can have become more frequent."""
_HERE: Final = frozenset({TimingCause.STORED_DATA, TimingCause.INTERRUPTED, TimingCause.OTHER})
"""Causes that say nothing about the peer."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """How many attempts ended, by peer: all, those over both channels, and those of each cause. The peer is "" for
    causes that say nothing about it."""

    all: Counter[str] = field(default_factory=Counter)
    over_both: Counter[str] = field(default_factory=Counter)
    of_cause: Counter[tuple[str, str]] = field(default_factory=Counter)

    def of(self, peer: str, cause: str) -> int:
        """Those that could have had this cause."""
        counted = self.over_both if cause == TimingCause.PLAIN_CHANNEL else self.all
        return counted[peer] if peer else counted.total()


async def counted(
    session: AsyncSession, spans: Sequence[Span], filters: Filters, names: Mapping[str, str]
) -> Sequence[Attempts]:
    """Those of each span."""
    found = [Attempts() for _ in spans]
    by = await timing_queries.counts_of_ranges(session, spans, filters, by=COUNTED_BY)
    for (peer_id, mode, cause), counts in by.items():
        # A cancelled transfer may have had no attempt, and says nothing about the peer.
        if cause == TimingCause.CANCELLED:
            continue
        peer = names.get(peer_id, "")
        for attempts, count in zip(found, counts, strict=True):
            if not count:
                continue
            attempts.all[peer] += count
            # A later attempt that is kept off the plain channel, because an earlier one failed on it, is secure-only.
            if mode == "sieve":
                attempts.over_both[peer] += count
            if cause:
                attempts.of_cause["" if cause in _HERE else peer, cause] += count
    return found


def failures(now: Attempts, before: Attempts) -> list[Standout]:
    """The causes for which at least 3 attempts and a tenth of those to a peer failed, or left the plain channel; and
    those for which at least 5 did, 4 times as often as before.
    """
    found = []
    for (peer, cause), count in now.of_cause.items():
        if count < FEWEST_FAILED:
            continue
        of = max(count, now.of(peer, cause))
        count_before = before.of_cause[peer, cause]
        of_before = max(count_before, before.of(peer, cause))
        is_frequent = count >= SHARE_FAILED * of
        has_risen = (
            count >= ROSE and of_before >= COMPARED_BEFORE and count * of_before >= ROSE_TIMES * count_before * of
        )
        if not is_frequent and not has_risen:
            continue
        found.append(
            Standout(
                kind="plain-channel" if cause == TimingCause.PLAIN_CHANNEL else "failures",
                peer=peer or None,
                cause=TimingCause(cause),
                label=reports.cause_label(cause),
                count=count,
                of=of,
                count_before=count_before,
                of_before=of_before,
            )
        )
    return sorted(found, key=lambda each: (-each.count, each.peer or "", each.cause or ""))
