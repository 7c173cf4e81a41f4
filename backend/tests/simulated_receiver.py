"""The receiving one of two simulated gateways: its attempts, what it has delivered, and its end of a secure
connection."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blake3 import blake3

from channel_cases import RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN
from sieve.channel import receiver, sender
from sieve.channel.attempt import Attempt
from sieve.channel.ledger import PlainLedger
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.receipt import Receipt
from sieve.channel.seals import Piece
from sieve.core.integrate import integrate
from simulated_network import LIMITS, SLOTS, Chunk

if TYPE_CHECKING:
    from simulated_gateways import World


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
