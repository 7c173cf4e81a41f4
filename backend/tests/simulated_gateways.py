"""Two gateways without a socket: the pure cores, a clock that is a number, and a network that does what it is told.

`Fate` decides, byte by byte of what hypothesis drew: who moves next, and what becomes of a chunk, a connection, an
answer. Once its bytes are used up it is kind, so that every run comes to an end; which end is the tests' to say.

The secure channel behaves as TLS does: in order and unchanged, or broken. The plain channel behaves as it likes.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from blake3 import blake3

from channel_cases import OTHER_KEY, RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN, attempt_at, manifest_of
from sieve.channel import receiver, sender, sub_streams
from sieve.channel.attempt import Attempt, Mode, Plan
from sieve.channel.ledger import PlainLedger
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.receipt import Receipt, verify
from sieve.channel.seals import Piece, seal
from sieve.core.document import Document
from sieve.core.integrate import integrate
from sieve.core.separate import separate

SECOND_NS = 1_000_000_000
TRUST = sender.Trust(SENDER_PIN, frozenset({RECEIVER_PIN}), RECEIPT_KEY.public_key().public_bytes_raw())
LIMITS = receiver.Limits(max_document_size=1 << 30, max_open_transfers=2)
SLOTS = 2


class Fate:
    """Decides by drawn bytes; 0 is kind, and all that there is once they are used up."""

    def __init__(self, draws: bytes) -> None:
        self._draws = iter(draws)
        self.kind = False

    def below(self, count: int) -> int:
        """One of 0 .. count - 1."""
        drawn = next(self._draws, None)
        self.kind = drawn is None
        return (drawn or 0) % count

    def strikes(self, one_in: int) -> bool:
        """Whether something goes wrong that goes wrong once in so many times."""
        return self.below(one_in) == one_in - 1


@dataclass(frozen=True)
class Chunk:
    """One request on the plain channel."""

    handle: str
    sub_stream: int
    index: int
    data: bytes
    seal: bytes


# --- the receiving gateway ---------------------------------------------------------------------------------------


@dataclass
class Delivered:
    """What one transaction made visible."""

    manifest: Manifest
    content: bytes
    receipt: str


@dataclass
class Receiving:
    """One attempt's IO: files are byte arrays, and a byte of the plain one is written at most once."""

    manifest: Manifest
    attempt: Attempt
    ledger: PlainLedger
    announced_at_ns: int
    classified: bytearray = field(default_factory=bytearray)
    plain: bytearray = field(default_factory=bytearray)
    written: list[tuple[int, int]] = field(default_factory=list)
    classified_written: set[int] = field(default_factory=set)
    answers: list[sender.Event] = field(default_factory=list)
    reports: list[int] = field(default_factory=list)
    """Chunks that the ledger holds and the core has not heard of: they live in two processes."""
    to_finish: bool = False
    forgetful_disk: bool = False
    over: bool = False
    fenced: bool = False

    def __post_init__(self) -> None:
        self.core = receiver.Receiver(Load((self.manifest,)), self.attempt)
        self.plain = bytearray(self.manifest.plain_size)
        self.classified = bytearray(self.manifest.classified_size)

    def write_plain(self, offset: int, data: Piece) -> None:
        end = offset + len(data)
        assert end <= len(self.plain)
        assert all(end <= start or stop <= offset for start, stop in self.written), "a held byte was written again"
        self.written.append((offset, end))
        self.plain[offset:end] = data

    def do(self, commands: Sequence[receiver.Command]) -> None:
        for command in commands:
            match command:
                case receiver.WriteClassified(offset, data):
                    places = range(offset, offset + len(data))
                    assert self.classified_written.isdisjoint(places), "a classified byte was written again"
                    self.classified_written.update(places)
                    self.classified[offset : offset + len(data)] = data
                case receiver.WritePlain(offset, data):
                    self.write_plain(offset, data)
                case receiver.AnswerVerified():
                    self.answers.append(sender.VerifiedReported())
                case receiver.ReadStreams():
                    self.to_finish = True
                case receiver.AnswerReceipt(text):
                    self.answers.append(sender.ReceiptArrived(self.manifest.transfer_id, text))
                    self.over = True
                case receiver.Discard(reason):
                    self.fail(reason)
                case receiver.Commit():
                    raise AssertionError("only reading the streams leads to it")

    def bring_on(self, sub_stream: int, offset: int, data: bytes) -> None:
        """Bytes of a secure sub-stream behind the first one, which begin at `offset` of it."""
        known = self.core.secure_from(sub_stream, offset)
        self.do(self.core.handle(receiver.SecureBytes(data[known:], sub_stream)))

    def hear_report(self, world: "World") -> None:
        self.do(self.core.handle(receiver.PlainHeld(frozenset({self.reports.pop(0)}))))

    def fail(self, reason: str) -> None:
        if not self.over:
            self.over = True
            self.answers.append(sender.Refused(reason, permanent=False))

    def fence(self) -> None:
        if not self.fenced:
            self.fenced = True
            self.do(self.core.handle(receiver.PlainFenced(self.ledger.close())))


class ReceivingGateway:
    """`delivered` survives a crash; what is under way does not."""

    def __init__(self) -> None:
        self.delivered: dict[str, Delivered] = {}
        self.deliveries: list[str] = []
        self.under_way: dict[str, Receiving] = {}

    def by_handle(self, handle: str) -> Receiving | None:
        return next((r for r in self.under_way.values() if r.attempt.handle == handle and not r.over), None)

    def begin(self, opening: Opening, now_ns: int) -> Receiving | sender.Event:
        """The attempt, begun; or the answer instead of one."""
        [manifest] = opening.load.manifests
        stored = self.delivered.get(manifest.transfer_id)
        current = self.under_way.get(manifest.transfer_id)
        if current is not None and current.to_finish:
            self.finish(current, now_ns)  # it was being committed: whether that delivery stands is known when it ends
            stored = self.delivered.get(manifest.transfer_id)
        if current is not None and current.over:
            current = None
        going = [r for r in self.under_way.values() if not r.over]
        match receiver.admit(
            opening,
            receiver.Known(
                delivered_manifest_digest=stored.manifest.digest if stored else None,
                stored_receipt=stored.receipt if stored else None,
                open_attempt=current.attempt.numbers[0] if current else None,
                open_manifest_digest=current.manifest.digest if current else None,
                handle_in_use=self.by_handle(opening.attempt.handle) is not None,
                open_transfers=len(going),
            ),
            LIMITS,
            now_ns,
        ):
            case receiver.RepeatReceipt(text):
                return sender.ReceiptArrived(manifest.transfer_id, text)
            case receiver.Decline(_, reason, permanent):
                return sender.Refused(reason, permanent)
            case receiver.Proceed(supersedes):
                assert supersedes is (current is not None)
                if current is not None:
                    assert opening.attempt.numbers > current.attempt.numbers
                    current.fail("a newer attempt took over")
        core = receiver.Receiver(opening.load, opening.attempt)
        ledger = PlainLedger(opening.attempt.plain_key, core.chunks, SLOTS)
        begun = Receiving(manifest, opening.attempt, ledger, now_ns)
        self.under_way[manifest.transfer_id] = begun
        return begun

    def take_plain(self, chunk: Chunk) -> None:
        """A request on the plain channel, whoever sent it."""
        found = self.by_handle(chunk.handle)
        if found is None or not found.attempt.plan.uses_plain_channel:
            return
        place = chunk.sub_stream, chunk.index
        if found.ledger.admit(*place, len(chunk.data)) is not None:
            return
        if found.ledger.judge(*place, [chunk.data], chunk.seal) is not None:
            return
        number = found.core.chunks.number(*place)
        assert number is not None
        at = 0
        for start, end in found.core.chunks.ranges(number):
            found.write_plain(start, chunk.data[at : at + end - start])
            at += end - start
        assert found.ledger.hold(*place) == number
        found.reports.append(number)

    def finish(self, receiving: Receiving, now_ns: int) -> None:
        """From verified to receipt."""
        receiving.to_finish = False
        receiving.ledger.close()
        digests = blake3(receiving.classified).digest(), blake3(receiving.plain).digest()
        commands = receiving.core.handle(receiver.StreamsRead(*digests))
        if commands != [receiver.Commit()]:
            assert receiving.forgetful_disk, "what was changed on the way must not even be verified"
            receiving.do(commands)
            return
        manifest = receiving.manifest
        receipt = Receipt.of(
            manifest,
            sender_pin=SENDER_PIN,
            receiver="bravo",
            receiver_pin=RECEIVER_PIN,
            announced_at_ns=receiving.announced_at_ns,
            received_at_ns=now_ns,
        ).sign(RECEIPT_KEY)
        content = integrate(manifest.spans, manifest.size, bytes(receiving.classified), bytes(receiving.plain))
        self.deliveries.append(manifest.transfer_id)
        self.delivered[manifest.transfer_id] = Delivered(manifest, content, receipt)
        receiving.do(receiving.core.handle(receiver.Committed(receipt)))

    def crash(self) -> None:
        """Everything that was under way is gone, and its connections with it."""
        for receiving in self.under_way.values():
            receiving.over = True
            receiving.to_finish = False
            receiving.answers = [sender.SecureLost("the other gateway went away")]
        self.under_way.clear()


class SecureConnection:
    """One secure request as the receiving gateway sees it."""

    def __init__(self, gateway: ReceivingGateway) -> None:
        self._gateway = gateway
        self._reader: OpeningReader | None = OpeningReader()
        self.receiving: Receiving | None = None
        self._answers: list[sender.Event] = []

    @property
    def answers(self) -> list[sender.Event]:
        """What the sender has not read yet."""
        return self.receiving.answers if self.receiving is not None else self._answers

    def bring(self, data: bytes, now_ns: int) -> None:
        if self._reader is not None:
            opened = self._reader.feed(data)
            if opened is None:
                return
            self._reader = None
            opening, data = opened
            begun = self._gateway.begin(opening, now_ns)
            if not isinstance(begun, Receiving):
                self._answers.append(begun)
                return
            self.receiving = begun
        if self.receiving is not None and not self.receiving.over and data:
            self.receiving.do(self.receiving.core.handle(receiver.SecureBytes(data)))

    def end(self) -> None:
        if self.receiving is not None and not self.receiving.over:
            self.receiving.do(self.receiving.core.handle(receiver.SecureEnded()))

    def break_off(self, whole: bool) -> None:
        """What was whole goes on without anybody to answer to; the rest is dropped."""
        if self.receiving is not None and not whole:
            self.receiving.fail("the secure channel broke")


# --- the sending gateway -----------------------------------------------------------------------------------------


class Sending:
    """One transfer in the outbox of the sending gateway, over all its attempts."""

    def __init__(self, document: Document, plan: Plan | Mode, transfer: int, deadline_at_ns: int) -> None:
        self.plan = plan if isinstance(plan, Plan) else Plan(plan)
        self.document, self.mode = document, self.plan.mode
        self.secure, self.plain = separate(document)
        self.manifest = manifest_of(document, transfer, deadline_at_ns)
        self.attempts = 0
        self.receipt: str | None = None
        self.failure: str | None = None
        self.next_try_at_ns = 0
        self._core: sender.Sender | None = None

    @property
    def settled(self) -> bool:
        return self.receipt is not None or self.failure is not None

    @property
    def under_way(self) -> bool:
        return self._core is not None and not self._core.ended

    def try_again(self, world: "World") -> None:
        """A new attempt: new number, handle and plain key; the same manifest."""
        if world.now_ns >= self.manifest.deadline_at_ns:
            self.failure = "the deadline has passed"
            return
        self.attempts += 1
        self.attempt = attempt_at(self.manifest, self.attempts, self.plan)
        self._core = sender.Sender(Load((self.manifest,)), self.attempt, TRUST)
        self._connection = SecureConnection(world.bravo)
        self._to_send = b""
        self._body_sent = True
        self._plain_due: list[int] = []
        self._round_open = self._ask_due = self._stopped = False
        self._secure_chunks_due: list[int] = []
        # Of each secure sub-stream behind the first one: what is on its way over a connection of its own.
        self._on: dict[int, bytes] = {}
        self._on_from: dict[int, int] = {}
        self._asks_secure = 0
        self._do(self._core.start(), world)

    def _hear(self, event: sender.Event, world: "World") -> None:
        assert self._core is not None
        self._do(self._core.handle(event), world)

    def _do(self, commands: Sequence[sender.Command], world: "World") -> None:
        for command in commands:
            match command:
                case sender.SendSecure():
                    self._to_send = Opening(Load((self.manifest,)), self.attempt).to_bytes() + self.secure_part(0)
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
                case sender.Deliver(_, text):
                    self.receipt = text
                case sender.TryAgain(reason):
                    assert reason
                    self._connection.break_off(self._body_sent)
                    self.next_try_at_ns = world.now_ns + SECOND_NS
                case sender.GiveUp(reason):
                    assert reason
                    self.failure = reason

    def secure_part(self, sub_stream: int) -> bytes:
        """The bytes of a secure sub-stream."""
        stream = self.secure if self.plan.uses_plain_channel else self.secure + self.plain
        part = sub_streams.of_secure(Load((self.manifest,)), self.plan)[sub_stream]
        return b"".join(stream[start:end] for start, end in part.ranges(0, part.size))

    def plain_chunk(self, number: int) -> bytes:
        """The bytes of a chunk, wherever in the plain stream they stand."""
        assert self._core is not None
        return b"".join(self.plain[start:end] for start, end in self._core.chunks.ranges(number))

    def _lose_secure(self, world: "World") -> None:
        if not self._body_sent and world.fate.strikes(3):
            # Lost to us only: what is on its way still arrives, perhaps after the next attempt's opening.
            world.lingering.append((self._connection, self._to_send))
            self._body_sent = True
        self._connection.break_off(self._body_sent)
        self._hear(sender.SecureLost("the secure channel broke"), world)

    # What can happen next, each a small step.

    def moves(self) -> list[Callable[["World"], None]]:
        if not self.under_way:
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
            answer = replace(answer, text=world.perhaps_forged(answer.text, self))
        self._hear(answer, world)

    def ask_held(self, world: "World") -> None:
        self._ask_due = False
        if world.fate.strikes(16):
            self._lose_secure(world)
            return
        found = world.bravo.by_handle(self.attempt.handle)
        self._hear(sender.HeldReported(found.core.held if found else frozenset()), world)

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
        assert self._core is not None
        if self._plain_due:
            number = self._plain_due.pop(world.fate.below(len(self._plain_due)))
            place, data = self._core.chunks.place(number), self.plain_chunk(number)
            sealed = seal(self.attempt.plain_key, place.sub_stream, place.index, [data])
            world.put_plain(Chunk(self.attempt.handle, place.sub_stream, place.index, data, sealed))
        if not self._plain_due:
            self._round_open = False
            # Whatever was answered there, if anything: "held", "redirect", "go away". No event can even say it.
            self._hear(sender.PlainRoundSent(), world)


# --- the world ---------------------------------------------------------------------------------------------------


class World:
    """Both gateways, the network between them, and who moves when."""

    def __init__(self, sendings: Sequence[Sending], fate: Fate, plain_is_dead: bool = False) -> None:
        self.sendings, self.fate = sendings, fate
        self.plain_is_dead = plain_is_dead
        self.bravo = ReceivingGateway()
        self.now_ns = 0
        self.plain_wire: list[Chunk] = []
        self.lingering: list[tuple[SecureConnection, bytes]] = []
        self._delayed: list[Chunk] = []

    def run(self) -> None:
        """Until every transfer is settled."""
        for _ in range(20_000):
            if all(sending.settled for sending in self.sendings):
                return
            self.step()
        raise AssertionError("a kind network, and still no end")

    def step(self) -> None:
        """One thing happens."""
        self.now_ns += 1_000_000
        going = [receiving for receiving in self.bravo.under_way.values() if not receiving.over]
        moves: list[Callable[[World], None]] = [receiving.hear_report for receiving in going if receiving.reports]
        moves += [move for sending in self.sendings for move in sending.moves()]
        moves += [self._finishing(receiving) for receiving in going if receiving.to_finish]
        waiting = [sending for sending in self.sendings if not sending.settled and not sending.under_way]
        moves += [sending.try_again for sending in waiting if self.now_ns >= sending.next_try_at_ns]
        if not moves:
            self.now_ns = max(self.now_ns, min(sending.next_try_at_ns for sending in waiting))
            return
        moves[self.fate.below(len(moves))](self)
        if not self.fate.kind:
            self._mischief()

    def _finishing(self, receiving: Receiving) -> Callable[["World"], None]:
        def finish(world: "World") -> None:
            if world.fate.strikes(12) and receiving.plain:
                receiving.forgetful_disk = True
                receiving.plain[world.fate.below(len(receiving.plain))] ^= 1
            world.bravo.finish(receiving, world.now_ns)

        return finish

    def _mischief(self) -> None:
        match self.fate.below(24):
            case 23:
                self.bravo.crash()
                self.lingering.clear()
            case 22 if self.plain_wire:
                # Anything that was ever seen may be seen again.
                self.bravo.take_plain(self.plain_wire[self.fate.below(len(self.plain_wire))])
            case 21 | 20 if self._delayed:
                self.bravo.take_plain(self._delayed.pop(self.fate.below(len(self._delayed))))
            case 19 if self.plain_wire:
                self.bravo.take_plain(self._forged(self.plain_wire[self.fate.below(len(self.plain_wire))]))
            case 18 | 17 if self.lingering:
                connection, rest = self.lingering.pop()
                connection.bring(rest, self.now_ns)
                connection.end()
            case 16:
                self.now_ns += 20 * SECOND_NS

    def put_plain(self, chunk: Chunk) -> None:
        """What the sending gateway puts on the plain channel; everybody there has seen it."""
        self.plain_wire.append(chunk)
        if self.plain_is_dead:
            return
        match self.fate.below(10):
            case 9 | 8:
                return
            case 7:
                self.bravo.take_plain(chunk)
                self.bravo.take_plain(chunk)
            case 6:
                self._delayed.append(chunk)
            case 5 | 4:
                self.bravo.take_plain(self._forged(chunk))
            case 3:
                self.bravo.take_plain(self._forged(chunk))
                self.bravo.take_plain(chunk)
            case _:
                self.bravo.take_plain(chunk)

    def _forged(self, chunk: Chunk) -> Chunk:
        """What somebody on the plain channel can make of what they saw."""
        other = self.plain_wire[self.fate.below(len(self.plain_wire))]
        flipped = bytearray(chunk.data)
        flipped[self.fate.below(len(flipped))] ^= 1 << self.fate.below(8)
        return (
            replace(chunk, data=bytes(flipped)),
            replace(chunk, data=chunk.data[:-1]),
            replace(chunk, data=chunk.data + b"!"),
            replace(chunk, data=b"\xff" * len(chunk.data)),
            replace(chunk, index=other.index),
            replace(chunk, handle=other.handle),
            replace(chunk, data=other.data),
            replace(chunk, data=other.data, seal=other.seal),
            replace(chunk, seal=other.seal),
            replace(chunk, sub_stream=chunk.sub_stream + 1),
            replace(chunk, seal=bytes(16)),
            replace(chunk, seal=b""),
        )[self.fate.below(12)]

    def perhaps_forged(self, text: str, sending: Sending) -> str:
        """A receiver that lies, or answers for something else."""
        true = verify(text, TRUST.receipt_key)
        others = [sealed.receipt for sealed in self.bravo.delivered.values() if sealed.receipt != text]
        match self.fate.below(12):
            case 11:
                return true.sign(OTHER_KEY)
            case 10:
                return replace(true, plain_digest="00" * 32).sign(RECEIPT_KEY)
            case 9:
                return text.replace(true.manifest_digest, "00" * 32)
            case 8 if others:
                return others[0]
            case 7:
                return replace(true, receiver_pin=SENDER_PIN).sign(RECEIPT_KEY)
        return text
