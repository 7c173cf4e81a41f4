"""One incoming document, from its opening to its receipt or its failure. It shares the channels of its attempt
(`incoming_attempt`) with others.

Invariant: it ends once, and the answer says how.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sieve.channel.cover import Cover
from sieve.channel.manifest import Manifest
from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.store.errors import StorageFull


@dataclass(slots=True, eq=False)
class IncomingDocument:
    """`document`: its place in the attempt's load. `number`: of its attempt, the fence. `answer` is called with its
    last line (of two, the later counts, unless one was sent already), and `ended` once it is over.
    """

    document: int
    manifest: Manifest
    number: int
    files: ReceivedFiles
    answer: Callable[[dict[str, Any]], None]
    ended: Callable[["IncomingDocument"], None]
    cover: Cover | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    failure: PeerRefused | None = None
    """Why it failed."""
    must_be_kept: bool = False
    """A row names its files, or may name them: never remove them."""
    may_resume: bool = False
    """Whether another attempt may resume from its bytes: it broke off, and its bytes are right."""
    recorded: int | None = None
    """The bytes that its partial's row counts as held, if there is a row."""

    @property
    def is_delivered(self) -> bool:
        """Whether it has its receipt."""
        return self.over.is_set() and self.failure is None

    def fail(
        self, reason: str, *, permanent: bool = False, kind: RefusalKind = RefusalKind.FAILED, may_resume: bool = False
    ) -> None:
        """Ends it, unless it is over."""
        if not self.over.is_set():
            self.may_resume = may_resume
            self.failure = PeerRefused(reason, permanent=permanent, kind=kind)
            self._end(refusal_line(self.failure))

    def delivered_before(self, receipt: str) -> None:
        """Ends it with the receipt of the attempt that delivered it. It counts even if this attempt failed."""
        line = receipt_line(receipt, None)
        if self.over.is_set():
            self.answer(line)
        else:
            self.failure = PeerRefused("an earlier attempt delivered it", permanent=False)
            self._end(line)

    def delivered(self, receipt: str, durations: dict[str, int]) -> None:
        """Ends it with its receipt."""
        self._end(receipt_line(receipt, durations))

    def _end(self, line: dict[str, Any]) -> None:
        self.over.set()
        self.answer(line)
        self.ended(self)


def receipt_line(receipt: str, durations: dict[str, int] | None) -> dict[str, Any]:
    """The last line of a delivered document."""
    return {"is": "receipt", "receipt": receipt, "durations": durations}


def refusal_line(refused: PeerRefused) -> dict[str, Any]:
    """The last line of a failed document."""
    return {"is": "failed", "detail": str(refused), "permanent": refused.permanent, "kind": refused.kind}


def without_room(documents: Sequence[IncomingDocument]) -> list[tuple[IncomingDocument, Exception]]:
    """Reserves space for every document; returns those without enough, and why. Blocking."""
    without: list[tuple[IncomingDocument, Exception]] = []
    for incoming in documents:
        try:
            incoming.files.reserve()
        except (StorageFull, OSError) as error:
            without.append((incoming, error))
    return without
