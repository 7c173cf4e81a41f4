"""Fits a requested plan to the peer. It refuses what the peer does not accept; a peer with an older version gets what
that version has.

Invariant: fitting never changes the requested mode.
"""

from dataclasses import asdict, replace
from typing import Any, Final, NamedTuple

from sieve.channel.attempt import AnySplit, Plan
from sieve.gateway.errors import UnfitPlan
from sieve.gateway.outbound.planner.choice import Estimate
from sieve.gateway.peering.hello import Hello


class FittedPlan(NamedTuple):
    """The plan, and a sentence on why it differs from the request.

    `estimate`: why the planner chose it, and how long it should take; `batch`: how many documents go together, if
    several do.
    """

    plan: Plan
    note: str | None = None
    estimate: Estimate | None = None
    batch: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As the API shows it. Secure-only uses no plain channel, whatever number its plan has."""
        said = self.plan.to_json()
        if not self.plan.uses_plain_channel:
            said["plain_channels"] = 0
        return said | {
            "batch": self.batch,
            "note": self.note,
            "estimate": None if self.estimate is None else asdict(self.estimate),
        }


_ALONE: Final[dict[AnySplit, AnySplit]] = {"bfs": "range", "bes": "es", "bss": "ss"}
"""The split of one document that corresponds to the split of a batch."""
_SHOWS: Final[dict[AnySplit, str]] = {
    "es": "where classified text was cut out",
    "ss": "where classified text was cut out",
    "bfs": "how long the plain stream of each document is",
    "bes": "where classified text was cut out",
    "bss": "where classified text was cut out",
}
"""What a split reveals to an eavesdropper on several plain channels."""


def fit(plan: Plan, hello: Hello, documents: int = 1) -> FittedPlan:
    """`plan` within what the peer accepts by its `hello`, for that many documents together.

    Raises:
        UnfitPlan: the peer accepts fewer channels, or does not know the split.
    """
    batch = documents if documents > 1 else None
    notes: list[str] = []
    if documents == 1 and plan.split in _ALONE:
        notes.append(f"alone, a document is split by {_ALONE[plan.split]}: {plan.split} is for several together")
        plan = replace(plan, split=_ALONE[plan.split])
    if plan.uses_plain_channel and plan.plain_channels > 1 and plan.split in _SHOWS:
        notes.append(f"an eavesdropper on the plain channels sees {_SHOWS[plan.split]}: {plan.split} is for research")
    note = "; ".join(notes) or None
    if plan.is_single:
        return FittedPlan(plan, note, batch=batch)
    if hello.version == 1:
        note = f"{hello.name} speaks version 1 of the protocol, which has one channel of each kind, split by range"
        return FittedPlan(Plan(plan.mode), note)
    for kind, asked, most in (
        ("secure", plan.secure_channels, hello.max_secure_channels),
        ("plain", plan.plain_channels if plan.uses_plain_channel else 0, hello.max_plain_channels),
    ):
        if asked > most:
            raise UnfitPlan(f"{hello.name} takes at most {most} {kind} channels for a transfer, not {asked}")
    splits = hello.splits if documents == 1 else hello.batch_splits
    if plan.split not in splits:
        raise UnfitPlan(f"{hello.name} does not know the split {plan.split}; it knows {', '.join(splits)}")
    return FittedPlan(plan, note, batch=batch)
