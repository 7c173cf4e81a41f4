"""The sending one of two simulated gateways: the transfers of its outbox, and the attempts that carry them.

As in the gateway, those that were chosen to go together do so at first; a retry goes alone.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from channel_cases import attempt_at, manifest_of
from sieve.channel import receiver, sender
from sieve.channel.attempt import AnySplit, Mode, Plan
from sieve.channel.load import Layout, Load
from sieve.channel.opening import Opening
from sieve.channel.seals import seal
from sieve.core.document import Document
from sieve.core.separate import separate
from simulated_network import SECOND_NS, TRUST, Chunk
from simulated_receiver import SecureConnection

if TYPE_CHECKING:
    from simulated_gateways import World

ALONE: dict[AnySplit, AnySplit] = {"bfs": "range", "bes": "es", "bss": "ss"}
TOGETHER: dict[AnySplit, AnySplit] = {alone: split for split, alone in ALONE.items() if alone != "range"}


class Sending:
    """One transfer in the outbox of the sending gateway, over all its attempts."""

    def __init__(
        self,
        document: Document,
        plan: Plan | Mode,
        transfer: int,
        deadline_at_ns: int,
        edition: bytes = b"",
        marks: bytes = b"",
    ) -> None:
        """`edition`: the redacted one, if there is any; `marks`: the author's, as they travel."""
        self.plan = plan if isinstance(plan, Plan) else Plan(plan)
        self.document, self.mode = document, self.plan.mode
        secure, self.plain = separate(document)
        self.accompanying = edition + marks
        self.secure = secure + self.accompanying
        self.manifest = manifest_of(document, transfer, deadline_at_ns, edition, marks)
        self.attempts = 0
        self.receipt: str | None = None
        self.failure: str | None = None
        self.next_try_at_ns = 0
        self.exchange: Exchange | None = None
        """What carries it now, or did last."""

    @property
    def settled(self) -> bool:
        return self.receipt is not None or self.failure is not None

    @property
    def under_way(self) -> bool:
        return self.exchange is not None and self.manifest.transfer_id in self.exchange.left

    def overdue(self, now_ns: int) -> bool:
        """Whether it has failed: its deadline is over."""
        if now_ns >= self.manifest.deadline_at_ns:
            self.failure = "the deadline has passed"
        return self.failure is not None


class Exchange:
    """One attempt at one transfer, or at several together."""

    def __init__(self, sendings: Sequence[Sending], world: "World") -> None:
        """A new attempt: new numbers, handle and plain key; the same manifests. The first one says by what plan."""
        self.sendings = {sending.manifest.transfer_id: sending for sending in sendings}
        self.left = set(self.sendings)
        for sending in sendings:
            sending.attempts += 1
            sending.exchange = self
        first, numbers = sendings[0], tuple(sending.attempts for sending in sendings)
        self.load = Load(tuple(sending.manifest for sending in sendings))
        splits = TOGETHER if self.load.is_batch else ALONE
        self.plan = replace(first.plan, split=splits.get(first.plan.split, first.plan.split))
        attempt = attempt_at(first.manifest, first.attempts, self.plan)
        self.attempt = replace(attempt, numbers=numbers, padded=world.pads)
        self.core = sender.Sender(self.load, self.attempt, TRUST)
        self._connection = SecureConnection(world.bravo, self.load.is_batch)
        self._to_send = b""
        self._body_sent = True
        self._plain_due: list[int] = []
        self._round_open = self._ask_due = self._stopped = False
        self._secure_chunks_due: list[int] = []
        # Of each secure sub-stream behind the first one: what is on its way over a connection of its own.
        self._on: dict[int, bytes] = {}
        self._on_from: dict[int, int] = {}
        self._asks_secure = 0
        self._do(self.core.start(), world)

    def _hear(self, event: sender.Event, world: "World") -> None:
        self._do(self.core.handle(event), world)

    def _do(self, commands: Sequence[sender.Command], world: "World") -> None:
        for command in commands:
            match command:
                case sender.SendSecure():
                    self._to_send = Opening(self.load, self.attempt).to_bytes() + self.secure_part(0)
                    self._body_sent = False
                case sender.SendSecureOn(sub_stream, start):
                    assert sub_stream > 0, "the first one travels behind the opening"
                    assert sub_stream not in self._on, "it is on its way already"
                    self._on[sub_stream] = self.secure_part(sub_stream)[start:]
                    self._on_from[sub_stream] = start
                case sender.AskSecureHeld():
                    self._asks_secure += 1
                case sender.SendPlain(chunks):
                    assert not self._round_open, "a round begins when the one before is over"
                    self._plain_due, self._round_open = list(chunks), True
                case sender.AskHeld():
                    self._ask_due = True
                case sender.SendPlainSecurely(chunks):
                    self._secure_chunks_due = list(chunks)
                case sender.StopPlain():
                    self._plain_due, self._stopped = [], True
                case sender.Deliver(transfer_id, text):
                    [sending] = self._end(transfer_id)
                    sending.receipt = text
                case sender.TryAgain(reason, transfer_id, off_plain):
                    assert reason
                    for sending in self._end(transfer_id):
                        if off_plain:
                            sending.plan = Plan("secure-only", sending.plan.secure_channels)
                        sending.next_try_at_ns = world.now_ns + SECOND_NS
                    if transfer_id is None:
                        self._connection.break_off(self._body_sent)
                case sender.GiveUp(reason, transfer_id):
                    assert reason
                    for sending in self._end(transfer_id):
                        sending.failure = reason

    def _end(self, transfer_id: str | None) -> list[Sending]:
        """That one, or all that are left, each of which has no end yet."""
        ended = sorted(self.left) if transfer_id is None else [transfer_id]
        assert ended and self.left.issuperset(ended), "ended twice"
        self.left.difference_update(ended)
        return [self.sendings[each] for each in ended]

    def _bytes(self, layout: Layout, start: int, end: int) -> bytes:
        """Of a stream of the load."""
        sendings = list(self.sendings.values())
        return b"".join(
            (sendings[document].secure if classified else sendings[document].plain)[first:last]
            for document, classified, first, last in layout.parts(start, end)
        )

    def secure_part(self, sub_stream: int) -> bytes:
        """The bytes of a secure sub-stream."""
        layout, part = self.load.secure(self.plan), self.core.secure[sub_stream]
        carried = b"".join(self._bytes(layout, start, end) for start, end in part.ranges(0, part.size))
        return carried + bytes(part.padding)

    def plain_chunk(self, number: int) -> bytes:
        """The bytes of a chunk, wherever in the plain stream they are."""
        return b"".join(self._bytes(self.load.plain, start, end) for start, end in self.core.chunks.ranges(number))

    def _lose_secure(self, world: "World") -> None:
        if not self._body_sent and world.fate.strikes(3):
            # Lost to us only: what is on its way still arrives, perhaps after the next attempt's opening.
            world.lingering.append((self._connection, self._to_send))
            self._body_sent = True
        self._connection.break_off(self._body_sent)
        self._hear(sender.SecureLost("the secure channel broke"), world)

    # What can happen next, each a small step.

    def moves(self) -> list[Callable[["World"], None]]:
        if self.core.ended:
            return []
        moves: list[Callable[[World], None]] = []
        if not self._body_sent:
            moves.append(self.send_secure_piece)
        if self._connection.answers:
            moves.append(self.read_answer)
        if self._ask_due:
            moves.append(self.ask_held)
        if self._secure_chunks_due:
            moves.append(self.send_chunk_securely)
        if self._round_open:
            moves.append(self.send_plain_chunk)
        receiving = self._connection.receiving
        if receiving is not None and not receiving.over:  # else they wait: for the opening, or for how it ended
            moves += [functools.partial(self.send_secure_on, sub_stream) for sub_stream in self._on]
        if self._asks_secure:
            moves.append(self.ask_secure_held)
        return moves

    def send_secure_piece(self, world: "World") -> None:
        if world.fate.strikes(16):
            self._lose_secure(world)
            return
        size = (len(self._to_send), 1, 7, 100, 5000)[world.fate.below(5)]
        piece, self._to_send = self._to_send[:size], self._to_send[size:]
        self._connection.bring(piece, world.now_ns)
        if not self._to_send:
            self._body_sent = True
            self._connection.end()

    def send_secure_on(self, sub_stream: int, world: "World") -> None:
        """A piece of another secure sub-stream; its connection may be cut, before the piece arrives or behind it."""
        found = self._connection.receiving
        assert found is not None
        rest = self._on[sub_stream]
        size = (len(rest), 1, 7, 100, 5000)[world.fate.below(5)]
        cut = world.fate.strikes(8)
        if not cut or world.fate.strikes(2):
            found.bring_on(sub_stream, self._on_from[sub_stream], rest[:size])
            self._on[sub_stream] = rest[size:]
            self._on_from[sub_stream] += len(rest[:size])
        if cut:
            del self._on[sub_stream]
            self._hear(sender.SecureCut(sub_stream, "a secure connection was cut"), world)
        elif not self._on[sub_stream]:
            del self._on[sub_stream]

    def cut(self, sub_stream: int, world: "World") -> list[tuple[int, int]]:
        """Cuts a secure connection; what is then sent on, and from where."""
        del self._on[sub_stream]
        self._hear(sender.SecureCut(sub_stream, "a secure connection was cut"), world)
        self.ask_secure_held(world)
        return [(number, self._on_from[number]) for number in self._on if number == sub_stream]

    def ask_secure_held(self, world: "World") -> None:
        found = world.bravo.by_handle(self.attempt.handle)
        self._asks_secure -= 1
        self._hear(sender.SecureHeldReported(found.core.secure_held if found else ()), world)

    def read_answer(self, world: "World") -> None:
        if world.fate.strikes(5):
            self._lose_secure(world)  # and the answer with it
            return
        answer = self._connection.answers.pop(0)
        if isinstance(answer, sender.ReceiptArrived):
            answer = replace(answer, text=world.perhaps_forged(answer.text))
        self._hear(answer, world)

    def ask_held(self, world: "World") -> None:
        self._ask_due = False
        if world.fate.strikes(16):
            self._lose_secure(world)
            return
        found = world.bravo.by_handle(self.attempt.handle)
        self._hear(sender.HeldReported(found.core.held if found else frozenset(), world.now_ns / SECOND_NS), world)

    def send_chunk_securely(self, world: "World") -> None:
        found = world.bravo.by_handle(self.attempt.handle)
        if found is None:
            self._hear(sender.Refused("there is no such attempt under way", permanent=False), world)
            return
        if world.fate.strikes(12):
            self._lose_secure(world)
            return
        index = self._secure_chunks_due[0]
        if not world.fate.strikes(6):  # else it is sent twice: its answer was slow
            self._secure_chunks_due.pop(0)
        found.fence()
        found.do(found.core.handle(receiver.SecureChunk(index, self.plain_chunk(index))))

    def send_plain_chunk(self, world: "World") -> None:
        if self._plain_due:
            number = self._plain_due.pop(world.fate.below(len(self._plain_due)))
            place, data = self.core.chunks.place(number), self.plain_chunk(number)
            sealed = seal(self.attempt.plain_key, place.sub_stream, place.index, data)
            world.put_plain(Chunk(self.attempt.handle, place.sub_stream, place.index, data, sealed))
        if not self._plain_due:
            self._round_open = False
            # Whatever was answered there, if anything: "held", "redirect", "go away". No event can even say it.
            self._hear(sender.PlainRoundSent(), world)
