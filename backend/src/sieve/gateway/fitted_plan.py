"""The plan that an author asked for, fitted to the peer: what it does not take is refused by name; a peer of an older
version gets what that version has.

The law: a mode that was asked for is a floor, and no fitting touches it.
"""

from typing import Any, NamedTuple

from sieve.channel.attempt import Plan
from sieve.gateway.errors import UnfitPlan
from sieve.gateway.links import Hello


class FittedPlan(NamedTuple):
    """What is done, and a sentence on why it is not what was asked for.

    `reason`: the planner's, with what it predicts, also for the mode that was not taken; `predicted_ms`: the response.
    """

    plan: Plan
    note: str | None = None
    reason: str | None = None
    predicted_ms: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As people see it. Secure-only uses no plain channel, whatever its plan says of them."""
        said = self.plan.to_json()
        if not self.plan.uses_plain_channel:
            said["plain_channels"] = 0
        return said | {
            "batch": None,
            "note": self.note,
            "reason": self.reason,
            "predicted_ms": self.predicted_ms,
        }


def fit(plan: Plan, hello: Hello) -> FittedPlan:
    """`plan` as it goes with who said `hello`.

    Raises:
        UnfitPlan: the peer takes fewer channels, or does not know the split.
    """
    if plan.is_single:
        return FittedPlan(plan)
    if hello.version == 1:
        note = f"{hello.name} speaks version 1 of the protocol, which has one channel of each kind, split by range"
        return FittedPlan(Plan(plan.mode), note)
    for kind, asked, most in (
        ("secure", plan.secure_channels, hello.max_secure_channels),
        ("plain", plan.plain_channels if plan.uses_plain_channel else 0, hello.max_plain_channels),
    ):
        if asked > most:
            raise UnfitPlan(f"{hello.name} takes at most {most} {kind} channels for a transfer, not {asked}")
    if plan.split not in hello.splits:
        raise UnfitPlan(f"{hello.name} does not know the split {plan.split}; it knows {', '.join(hello.splits)}")
    return FittedPlan(plan)
