"""The plain stream of an attempt as it comes in over the plain listener.

Invariant: until the fence only the plain listener writes the plain stream, and afterwards only this process does. The
attempt calls one of these coroutines at a time.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sieve.channel import receiver
from sieve.channel.attempt import Attempt
from sieve.channel.load import Load
from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.incoming_document import IncomingDocument
from sieve.gateway.plain.app import Fenced
from sieve.gateway.plain.files import Openable, StreamPart
from sieve.gateway.plain.listener import PlainListener, PlainListenerLost
from sieve.gateway.telemetry.timing_marks import TimingMarks, plain_channel

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class PlainIntake:
    """`documents`: those that were entered, by their places in the load. `check` raises PeerRefused once the attempt is
    over, and `over` is set then; `do` carries commands out; `broke` ends the attempt for that reason.
    """

    listener: PlainListener
    load: Load
    attempt: Attempt
    core: receiver.Receiver
    timing_marks: TimingMarks
    documents: Mapping[int, IncomingDocument]
    check: Callable[[], None]
    over: asyncio.Event
    do: Callable[[Sequence[receiver.Command]], None]
    broke: Callable[[str], None]
    _fenced: bool = field(init=False)
    # The chunks of each sub-stream that are missing.
    _missing: list[int] = field(init=False)
    # The documents of the listener's files, by the files' numbers.
    _owners: list[int] = field(init=False)
    # The chunks that the listener has written, and those of them that the files know of.
    _written: frozenset[int] = frozenset()
    _noted: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self._fenced = not (self.attempt.plan.uses_plain_channel and self.load.plain_size)
        self._missing = [len(self.core.chunks.of(k)) for k in range(len(self.core.chunks.plans))]
        self._owners = [part.document for part, _, _ in self.load.plain.places()]

    async def announce(self) -> None:
        """Announces the handle to the plain listener, unless nothing comes over the plain channel. If the listener does
        not work, the plain stream comes over the secure channel.
        """
        if self._fenced:
            return
        parts: list[StreamPart[Openable]] = []
        for (document, _, at, _), start, end in self.load.plain.places():
            incoming = self.documents.get(document)
            if incoming is None or incoming.over.is_set():
                parts.append(StreamPart(None, start, end, at=at))
            else:
                parts.append(incoming.files.plain_part(start, end, at))
        try:
            await self.listener.open(
                self.attempt.handle,
                self.attempt.plain_key,
                parts,
                self.core.plain_split,
                on_held=self._on_held,
                on_lost=self._on_lost,
            )
        except PlainListenerLost as error:
            ids = ", ".join(self.load.transfer_ids)
            log.warning("transfer %s: the plain stream comes over the secure channel: %s", ids, error)
            self._take_over(frozenset())

    async def fence(self) -> None:
        """Takes the plain stream over, unless that was done.

        Raises:
            PeerRefused: the plain listener does not release it; the attempt is over.
        """
        if self._is_fenced():
            return
        try:
            fenced = await self.listener.fence(self.attempt.handle, self.core.chunks.count)
        except PlainListenerLost as error:
            self.check()
            if self._is_fenced():
                return  # the listener died while we waited, and held nothing
            self.broke(str(error))
            raise PeerRefused(str(error), permanent=False, kind=RefusalKind.PLAIN_LISTENER) from error
        self._hear_fenced(fenced)
        self._take_over(fenced.held)

    async def update(self) -> None:
        """Tells the files what the plain listener has written so far.

        Raises:
            PlainListenerLost: it does not answer.
        """
        if self.listener.is_open(self.attempt.handle):
            self._written = await self.listener.written(self.attempt.handle, self.core.chunks.count)
        self.note_written()

    def note_written(self) -> None:
        """Tells the files what the plain listener had written when it was last asked."""
        for chunk in self._written - self._noted:
            for start, end in self.core.chunks.ranges(chunk):
                for document, _, first, last in self.load.plain.parts(start, end):
                    if (incoming := self.documents.get(document)) is not None:
                        incoming.files.plain_is_written(first, last)
        self._noted |= self._written

    async def release(self, document: int) -> None:
        """Makes the plain listener close that document's file, or all once the attempt is over: an open file keeps its
        space, even without a name.

        Raises:
            PlainListenerLost: it does not answer.
        """
        handle = self.attempt.handle
        if not self.listener.is_open(handle):
            return
        if self.over.is_set():
            self._hear_fenced(await self.listener.fence(handle, self.core.chunks.count))
        elif document in self._owners:
            if document in self.documents:
                await self.update()
            await self.listener.drop(handle, self._owners.index(document))

    def _is_fenced(self) -> bool:
        return self._fenced

    def _hear_fenced(self, fenced: Fenced) -> None:
        """Applies the listener's report: all that it held is written, except in the files that failed."""
        self._written = fenced.held
        sums = dict(enumerate(fenced.sums))
        for file, document in enumerate(self._owners):
            if (incoming := self.documents.get(document)) is not None:
                if not incoming.files.resumed:  # otherwise it is that of a gap
                    incoming.files.listeners_sum = sums.get(file)
                if file in fenced.failed:
                    reason = "a plain chunk could not be written; see the log there"
                    incoming.fail(reason, kind=RefusalKind.PLAIN_LISTENER)
                    incoming.may_resume = False

    def _take_over(self, held: frozenset[int]) -> None:
        self._fenced = True
        if not self.over.is_set():
            self.do(self.core.handle(receiver.PlainFenced(held)))

    def _on_held(self, chunk: int) -> None:
        if self.over.is_set():
            return  # reported before the listener was fenced: this attempt must stay over
        sub_stream = self.core.chunks.place(chunk).sub_stream
        channel = plain_channel(sub_stream)
        if self.timing_marks.first("first-byte", channel) is None:
            self.timing_marks.at("first-byte", channel)
        self._missing[sub_stream] -= 1
        if not self._missing[sub_stream]:
            self.timing_marks.at("last-byte", channel)
        self.do(self.core.handle(receiver.PlainHeld(frozenset({chunk}))))

    def _on_lost(self) -> None:
        """The plain listener ended. If it held chunks, it may not have written them: the attempt is over. Otherwise
        everything comes over the secure channel."""
        if self._fenced:
            return
        if self.core.held:
            self.broke("the plain listener ended before it had written what it held")
        self._take_over(frozenset())
