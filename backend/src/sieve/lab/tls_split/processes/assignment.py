"""What a process of the experiment receives at its start: its role and its inherited descriptors."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

Design = Literal["one-process", "through-handler", "direct", "own-records"]
DESIGNS: tuple[Design, ...] = ("one-process", "through-handler", "direct")
"""`through-handler` is the thesis's: every byte passes the handler twice. `direct`: the worker has the connection."""
OWN_RECORDS: Design = "own-records"
"""One process with the records of a worker: it tells what these cost apart from what the hand-over costs."""
Role = Literal["handler-agent", "handler", "one-process", "delegate-agent"]


@dataclass(frozen=True, slots=True)
class Assignment:
    """`descriptors`, in the order that the role expects; `tally`: the shared figures; `slot`: its first place there.
    `identity`: memory without a file that has certificate and private key, for those that do handshakes.
    `workers`: how many a delegate agent keeps running. `cores`: where the process runs to be measured, before others if
    that is allowed; empty for anywhere.
    """

    role: Role
    design: Design
    descriptors: Sequence[int]
    tally: int
    identity: int | None = None
    slot: int = 0
    workers: int = 0
    cores: Sequence[int] = ()

    def to_json(self) -> str:
        """One line for the command line; it holds no secret."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> "Assignment":
        """From `to_json`."""
        return cls(**json.loads(text))
