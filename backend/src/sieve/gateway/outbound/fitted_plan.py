"""Fits a requested plan to the peer. It refuses what the peer does not accept; a peer with an older version gets what
that version has.

Invariant: fitting never changes the requested mode.
"""

from dataclasses import asdict, replace
from typing import Any, Final, NamedTuple

from sieve.channel.attempt import AnySplit, Plan
from sieve.core.sentence import Sentence
from sieve.gateway.errors import UnfitPlan
from sieve.gateway.outbound.planner.choice import Estimate
from sieve.gateway.peering.hello import Hello


class FittedPlan(NamedTuple):
    """The plan, and a sentence on why it differs from the request.

    `estimate`: why the planner chose it, and how long it should take; `batch`: how many documents go together, if
    several do.
    """

    plan: Plan
    note: Sentence | None = None
    estimate: Estimate | None = None
    batch: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As the API shows it. Secure-only uses no plain channel, whatever number its plan has."""
        said = self.plan.to_json()
        if not self.plan.uses_plain_channel:
            said["plain_channels"] = 0
        if self.note is not None:
            said["note_said"] = self.note.to_json()
        return said | {
            "batch": self.batch,
            "note": self.note,
            "estimate": None if self.estimate is None else asdict(self.estimate),
        }


_ALONE: Final[dict[AnySplit, AnySplit]] = {"bfs": "range", "bes": "es", "bss": "ss"}
"""The split of one document that corresponds to the split of a batch."""
SECURE_CHANNELS: Final = Sentence("secure-channels", "secure channels")
PLAIN_CHANNELS: Final = Sentence("plain-channels", "plain channels")
_CUTS: Final = Sentence("shows-cuts", "where classified text was cut out")
_LENGTHS: Final = Sentence("shows-lengths", "how long the plain stream of each document is")
_SHOWS: Final[dict[AnySplit, Sentence]] = {"es": _CUTS, "ss": _CUTS, "bfs": _LENGTHS, "bes": _CUTS, "bss": _CUTS}
"""What a split reveals to an eavesdropper on several plain channels."""


def fit(plan: Plan, hello: Hello, documents: int = 1) -> FittedPlan:
    """`plan` within what the peer accepts by its `hello`, for that many documents together.

    Raises:
        UnfitPlan: the peer accepts fewer channels, or does not know the split.
    """
    batch = documents if documents > 1 else None
    notes: list[Sentence] = []
    if documents == 1 and plan.split in _ALONE:
        notes.append(
            Sentence(
                "note-split-alone",
                "alone, a document is split by {alone}: {split} is for several together",
                alone=_ALONE[plan.split],
                split=plan.split,
            )
        )
        plan = replace(plan, split=_ALONE[plan.split])
    if plan.uses_plain_channel and plan.plain_channels > 1 and plan.split in _SHOWS:
        notes.append(
            Sentence(
                "note-split-shows",
                "an eavesdropper on the plain channels sees {what}: {split} is for research",
                what=_SHOWS[plan.split],
                split=plan.split,
            )
        )
    note: Sentence | None = notes[0] if notes else None
    if len(notes) > 1:
        note = Sentence("note-two", "{first}; {second}", first=notes[0], second=notes[1])
    if plan.is_single:
        return FittedPlan(plan, note, batch=batch)
    if hello.version == 1:
        note = Sentence(
            "note-version-1",
            "{peer} speaks version 1 of the protocol, which has one channel of each kind, split by range",
            peer=hello.name,
        )
        return FittedPlan(Plan(plan.mode), note)
    for channels, asked, most in (
        (SECURE_CHANNELS, plan.secure_channels, hello.max_secure_channels),
        (PLAIN_CHANNELS, plan.plain_channels if plan.uses_plain_channel else 0, hello.max_plain_channels),
    ):
        if asked > most:
            raise UnfitPlan(
                Sentence(
                    "peer-takes-fewer-channels",
                    "{peer} takes at most {most} {channels} for a transfer, not {asked}",
                    peer=hello.name,
                    most=most,
                    channels=channels,
                    asked=asked,
                )
            )
    splits = hello.splits if documents == 1 else hello.batch_splits
    if plan.split not in splits:
        raise UnfitPlan(
            Sentence(
                "peer-knows-other-splits",
                "{peer} does not know the split {split}; it knows {known}",
                peer=hello.name,
                split=plan.split,
                known=", ".join(splits),
            )
        )
    return FittedPlan(plan, note, batch=batch)
