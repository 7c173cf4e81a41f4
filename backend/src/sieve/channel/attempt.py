"""An attempt: one try to send the streams of a load by a plan, with a fresh handle and a fresh plain key."""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from sieve.channel.chunk_sizes import COMMON_CHUNK, MAX_CHUNK
from sieve.channel.errors import MalformedOpening
from sieve.channel.held_ranges import NOTHING, Held
from sieve.channel.manifest import Fields
from sieve.channel.seals import COMMON_SEAL, KEY_SIZE, SEAL_KINDS, SealKey
from sieve.core.split import SPLITS, Split
from sieve.core.split.batches import BATCH_SPLITS, BatchSplit

Mode: TypeAlias = Literal["sieve", "secure-only"]
MODES: tuple[Mode, ...] = get_args(Mode)
HANDLE_SIZE = 16
MAX_CHANNELS = 64
"""Of each kind, in any attempt; a gateway may take fewer."""
MAX_SPLIT_SEGMENTS = 65_536
"""Spans of a load that is split by its segments: both gateways keep a table of them, and the plain listener a third."""
AnySplit: TypeAlias = Split | BatchSplit
"""Of one document, or of a batch; `range` is both."""
ANY_SPLIT: Final[tuple[AnySplit, ...]] = (*SPLITS, *(split for split in BATCH_SPLITS if split not in SPLITS))


@dataclass(frozen=True, slots=True)
class Plan:
    """How the streams travel. The two modes differ only here.

    `plain_channels`: how many carry the plain stream in `sieve`; secure-only uses none.
    """

    mode: Mode
    secure_channels: int = 1
    plain_channels: int = 1
    split: AnySplit = "range"

    def __post_init__(self) -> None:
        """Raises ValueError if no version knows such a plan."""
        for kind, number in (("secure", self.secure_channels), ("plain", self.plain_channels)):
            if not 1 <= number <= MAX_CHANNELS:
                raise ValueError(f"a transfer has 1 to {MAX_CHANNELS} {kind} channels, not {number}")
        if self.mode == "secure-only" and (other := _NOT_SIEVED.get(self.split)) is not None:
            raise ValueError(
                f"secure-only sends a document as one segment, which {self.split} cannot split; use {other} or range"
            )

    @property
    def uses_plain_channel(self) -> bool:
        """Whether the plain stream starts on the plain channels. If not, it follows the classified one over TLS."""
        return self.mode == "sieve"

    @property
    def is_single(self) -> bool:
        """Whether version 1 of the protocol knows it."""
        return (self.secure_channels, self.plain_channels, self.split) == (1, 1, "range")

    def check_documents(self, documents: int) -> None:
        """Raises ValueError if a load of that many documents cannot be split like this."""
        if documents == 1 and self.split not in SPLITS:
            raise ValueError(f"split {self.split} is for several documents together; use {' or '.join(SPLITS)}")
        if documents > 1 and self.split not in BATCH_SPLITS:
            raise ValueError(f"split {self.split} is for one document alone; use {' or '.join(BATCH_SPLITS)}")

    def check_spans(self, spans: int) -> None:
        """Raises ValueError if a document, or a batch, of that many spans cannot be split like this."""
        if self.split not in ("range", "bfs") and spans > MAX_SPLIT_SEGMENTS:
            raise ValueError(
                f"split {self.split} takes documents of at most {MAX_SPLIT_SEGMENTS:,} spans, and this one has "
                f"{spans:,}; use range"
            )

    def to_json(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "secure_channels": self.secure_channels,
            "plain_channels": self.plain_channels,
            "split": self.split,
        }

    @classmethod
    def from_json(cls, said: Any) -> "Plan":
        """The plan in `said`.

        Raises:
            MalformedOpening: it is not a plan, or this version does not know it.
        """
        if not isinstance(said, dict):
            raise MalformedOpening("the attempt has no plan")
        mode = next((mode for mode in MODES if mode == said.get("mode")), None)
        split = next((split for split in ANY_SPLIT if split == said.get("split")), None)
        secure, plain = said.get("secure_channels"), said.get("plain_channels")
        # For Python, `true` and `1.0` equal `1`.
        if mode is None or split is None or not (type(secure) is type(plain) is int) or len(said) != _PLAN_FIELDS:
            raise MalformedOpening("this gateway does not know the attempt's plan")
        try:
            return cls(mode, secure, plain, split)
        except ValueError as error:
            raise MalformedOpening(f"the attempt's plan cannot be taken: {error}") from error


_PLAN_FIELDS = len(fields(Plan))
# Which splits take segments of sieved streams only, and what to use instead.
_NOT_SIEVED: Final[dict[AnySplit, AnySplit]] = {"ss": "es", "bss": "bes"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """`handle` and `plain_key` are used once. `numbers`: the sender's fence for each document, in their order; the
    receiver refuses a lower one than before. `max_chunk`: bytes of the largest plain chunks that the receiver accepts.
    `held`: what the receiver holds already and the attempt leaves out; only with one document, split by range.
    `padded`: whether secure sub-streams have padding behind them, which the receiver must accept.
    """

    handle: str
    plain_key: SealKey
    plan: Plan
    numbers: tuple[int, ...] = (1,)
    max_chunk: int = COMMON_CHUNK
    held: Held = NOTHING
    padded: bool = False

    def __repr__(self) -> str:
        return f"Attempt({', '.join(map(str, self.numbers))})"

    @property
    def head(self) -> dict[str, Any]:
        """The attempt as JSON values; it travels on the secure channel alone, because it contains the plain key.

        The numbers are beside the manifests.
        """
        head: dict[str, Any] = {
            "handle": self.handle,
            "plain_key": self.plain_key.secret.hex(),
            "plan": self.plan.to_json(),
        }
        if self.plain_key.kind != COMMON_SEAL:
            head["seal"] = self.plain_key.kind
        if self.max_chunk != COMMON_CHUNK:
            head["max_chunk"] = self.max_chunk
        if self.held:
            head["held"] = self.held.to_json()
        if self.padded:
            head["padded"] = True
        return head

    @classmethod
    def from_head(cls, head: dict[str, Any], numbers: tuple[int, ...] = (1,)) -> "Attempt":
        """The attempt in `head`.

        Raises:
            MalformedOpening: a field is missing, of another type or unknown, or the plan is not known to this version.
        """
        take = Fields(head, "attempt")
        max_chunk = head.get("max_chunk", COMMON_CHUNK)
        if type(max_chunk) is not int or max_chunk not in (COMMON_CHUNK, MAX_CHUNK):
            raise MalformedOpening("this gateway does not take the attempt's chunks")
        kind = next((kind for kind in SEAL_KINDS if kind == head.get("seal", COMMON_SEAL)), None)
        if kind is None:
            raise MalformedOpening("this gateway does not know the attempt's seal")
        attempt = cls(
            handle=take.hexadecimal("handle", HANDLE_SIZE).hex(),
            plain_key=SealKey(take.hexadecimal("plain_key", KEY_SIZE), kind),
            plan=Plan.from_json(head.get("plan")),
            numbers=numbers,
            max_chunk=max_chunk,
            held=Held.from_json(head["held"]) if "held" in head else NOTHING,
            padded=head.get("padded") is True,
        )
        if attempt.held and attempt.plan.split != "range":
            raise MalformedOpening("only a split by range can leave out what is held")
        if attempt.head != head:
            raise MalformedOpening("the attempt has fields that this version does not know")
        return attempt
