"""An attempt: one try at carrying a manifest's streams over, by a plan, under a fresh handle and a fresh plain key."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from sieve.channel.errors import MalformedOpening
from sieve.channel.manifest import TRANSFER_ID_SIZE, Fields
from sieve.channel.seals import KEY_SIZE

Mode: TypeAlias = Literal["sieve", "secure-only"]
MODES: tuple[Mode, ...] = get_args(Mode)
HANDLE_SIZE = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """How the streams travel. The two modes differ here and nowhere else."""

    mode: Mode
    secure_channels: int = 1
    plain_channels: int = 1
    split: str = "range"

    @property
    def uses_plain_channel(self) -> bool:
        """Whether the plain stream starts on the plain channel; if not, it follows the classified one over TLS."""
        return self.mode == "sieve"

    def to_json(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "secure_channels": self.secure_channels,
            "plain_channels": self.plain_channels,
            "split": self.split,
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """`number` is the sender's fence: a lower one than seen before is refused. `handle` and `plain_key` serve once."""

    transfer_id: str
    number: int
    handle: str
    plain_key: bytes
    plan: Plan

    def __repr__(self) -> str:
        return f"Attempt({self.transfer_id}, {self.number})"

    @property
    def head(self) -> dict[str, Any]:
        """The attempt as JSON values; it travels on the secure channel alone, for it holds the plain key."""
        return {
            "transfer_id": self.transfer_id,
            "number": self.number,
            "handle": self.handle,
            "plain_key": self.plain_key.hex(),
            "plan": self.plan.to_json(),
        }

    @classmethod
    def from_head(cls, head: dict[str, Any]) -> "Attempt":
        """The attempt that `head` says.

        Raises:
            MalformedOpening: a field is missing, of another type or unknown, or the plan is not known to this version.
        """
        take = Fields(head, "attempt")
        plan = head.get("plan")
        if not isinstance(plan, dict):
            raise MalformedOpening("the attempt has no plan")
        known = next((Plan(mode) for mode in MODES if mode == plan.get("mode")), None)
        if known is None or not _same(plan, known.to_json()):
            raise MalformedOpening("this gateway does not know the attempt's plan")
        attempt = cls(
            transfer_id=take.hexadecimal("transfer_id", TRANSFER_ID_SIZE).hex(),
            number=take.integer("number", 1, 2**31),
            handle=take.hexadecimal("handle", HANDLE_SIZE).hex(),
            plain_key=take.hexadecimal("plain_key", KEY_SIZE),
            plan=known,
        )
        if attempt.head != head:
            raise MalformedOpening("the attempt has fields that this version does not know")
        return attempt


def _same(said: dict[str, Any], meant: dict[str, Any]) -> bool:
    """Whether the two are one JSON value; Python alone would call `true` and `1.0` the same as `1`."""
    return said == meant and all(type(said[key]) is type(meant[key]) for key in meant)
