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
from sieve.channel.load import MAX_DOCUMENTS, Load
from sieve.channel.manifest import Manifest
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.receipt import Receipt
from sieve.channel.seals import Bytes
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
    accompanying: bytes


@dataclass
class Receiving:
    """One attempt's IO: files are byte arrays, and a byte of them is written at most once."""

    load: Load
    attempt: Attempt
    ledger: PlainLedger
    announced_at_ns: int
    written: list[tuple[int, int]] = field(default_factory=list)
    """Of the load's plain stream."""
    classified_written: list[tuple[int, int, int]] = field(default_factory=list)
    answers: list[sender.Event] = field(default_factory=list)
    reports: list[int] = field(default_factory=list)
    """Chunks that the ledger holds and the core has not heard of: they live in two processes."""
    ended: set[int] = field(default_factory=set)
    """The documents that have their receipt or their end."""
    to_finish: list[int] = field(default_factory=list)
    """Those that are being committed."""
    forgetful_disk: set[int] = field(default_factory=set)
    fenced: bool = False

    def __post_init__(self) -> None:
        self.core = receiver.Receiver(self.load, self.attempt)
        self.plain = [bytearray(manifest.plain_size) for manifest in self.load.manifests]
        self.classified = [bytearray(manifest.carried_classified_size) for manifest in self.load.manifests]

    @property
    def over(self) -> bool:
        return len(self.ended) == len(self.load.manifests)

    def write_chunk(self, start: int, data: Bytes) -> None:
        """What the plain listener holds; `start`: in the load's plain stream. What nobody wants is thrown away."""
        end = start + len(data)
        assert all(end <= first or last <= start for first, last in self.written), "a held byte was written again"
        self.written.append((start, end))
        for document, _, first, last in self.load.plain.parts(start, end):
            if document not in self.ended:
                self.plain[document][first:last] = data[: last - first]
            data = data[last - first :]

    def do(self, commands: Sequence[receiver.Command]) -> None:
        for command in commands:
            match command:
                case receiver.WriteClassified(offset, data, document):
                    end = offset + len(data)
                    assert document not in self.ended, "written for nobody"
                    assert all(
                        whose != document or end <= first or last <= offset
                        for whose, first, last in self.classified_written
                    ), "a classified byte was written again"
                    self.classified_written.append((document, offset, end))
                    self.classified[document][offset:end] = data
                case receiver.WritePlain(offset, data, document):
                    before = next(start for part, start, _ in self.load.plain.places() if part.document == document)
                    assert document not in self.ended, "written for nobody"
                    self.write_chunk(before + offset, data)
                case receiver.AnswerVerified():
                    self.answers.append(sender.VerifiedReported())
                case receiver.ReadStreams(documents):
                    self.to_finish = list(documents)
                case receiver.AnswerReceipt(text, document):
                    self.answers.append(sender.ReceiptArrived(self.load.transfer_ids[document], text))
                    self.ended.add(document)
                case receiver.Discard(reason, None):
                    self.fail(reason)
                case receiver.Discard(reason, int(document)):
                    self.drop(document, reason)
                case receiver.Commit():
                    raise AssertionError("only reading the streams leads to it")

    def bring_on(self, sub_stream: int, offset: int, data: bytes) -> None:
        """Bytes of a secure sub-stream behind the first one, which begin at `offset` of it."""
        known = self.core.secure_from(sub_stream, offset)
        self.do(self.core.handle(receiver.SecureBytes(data[known:], sub_stream)))

    def hear_report(self, world: "World") -> None:
        self.do(self.core.handle(receiver.PlainHeld(frozenset({self.reports.pop(0)}))))

    def fail(self, reason: str) -> None:
        """The attempt is over for all that have no end yet."""
        for document in range(len(self.load.manifests)):
            self.drop(document, reason)

    def drop(self, document: int, reason: str, permanent: bool = False) -> None:
        """One document is over, unless it is already; the others go on."""
        if document not in self.ended:
            self.leave_out(document, refusal(self.load, document, reason, permanent))

    def leave_out(self, document: int, answer: sender.Event) -> None:
        """That is its last word."""
        self.core.handle(receiver.Dropped(document))
        self.ended.add(document)
        self.answers.append(answer)

    def fence(self) -> None:
        if not self.fenced:
            self.fenced = True
            self.do(self.core.handle(receiver.PlainFenced(self.ledger.close())))


def refusal(load: Load, document: int, reason: str, permanent: bool) -> sender.Event:
    """As a batch tells it, by name; a single transfer has no other."""
    if load.is_batch:
        return sender.DocumentRefused(load.transfer_ids[document], reason, permanent)
    return sender.Refused(reason, permanent)


class ReceivingGateway:
    """`delivered` survives a crash; what is under way does not."""

    def __init__(self) -> None:
        self.delivered: dict[str, Delivered] = {}
        self.deliveries: list[str] = []
        self.under_way: dict[str, tuple[Receiving, int]] = {}
        """By transfer: the attempt that carries it, and its place there."""

    @property
    def attempts(self) -> list[Receiving]:
        """Those of which any document has no end yet."""
        each = {id(receiving): receiving for receiving, _ in self.under_way.values() if not receiving.over}
        return list(each.values())

    def by_handle(self, handle: str) -> Receiving | None:
        return next((receiving for receiving in self.attempts if receiving.attempt.handle == handle), None)

    def begin(self, opening: Opening, now_ns: int) -> Receiving | list[sender.Event]:
        """The attempt, begun; or, if no document of it may begin, the answers instead of one."""
        load = opening.load
        verdicts: list[sender.Event | None] = []
        for document in range(len(load.manifests)):
            beside = [load.transfer_ids[other] for other, verdict in enumerate(verdicts) if verdict is None]
            verdicts.append(self._judge(opening, document, beside, now_ns))
        if all(verdicts):
            return [verdict for verdict in verdicts if verdict]
        core = receiver.Receiver(load, opening.attempt)
        ledger = PlainLedger(opening.attempt.plain_key, core.chunks, SLOTS)
        begun = Receiving(load, opening.attempt, ledger, now_ns)
        for document, (transfer_id, verdict) in enumerate(zip(load.transfer_ids, verdicts, strict=True)):
            if verdict:
                begun.leave_out(document, verdict)
                continue
            if (current := self._going(transfer_id)) is not None:
                older, at = current
                assert opening.attempt.numbers[document] > older.attempt.numbers[at]
                older.drop(at, "a newer attempt took over")
            self.under_way[transfer_id] = begun, document
        return begun

    def _going(self, transfer_id: str) -> tuple[Receiving, int] | None:
        current = self.under_way.get(transfer_id)
        return None if current is None or current[1] in current[0].ended else current

    def _judge(self, opening: Opening, document: int, beside: list[str], now_ns: int) -> sender.Event | None:
        """None if that document may begin, `beside` those before it that may."""
        manifest = opening.load.manifests[document]
        current = self._going(manifest.transfer_id)
        if current is not None and current[1] in current[0].to_finish:
            # It was being committed: whether it is delivered is known when that ends.
            self.finish(*current, now_ns)
            current = None
        stored = self.delivered.get(manifest.transfer_id)
        going = {transfer_id for transfer_id in self.under_way if self._going(transfer_id)}
        match receiver.admit(
            opening,
            receiver.Known(
                delivered_manifest_digest=stored.manifest.digest if stored else None,
                stored_receipt=stored.receipt if stored else None,
                open_attempt=current[0].attempt.numbers[current[1]] if current else None,
                open_manifest_digest=current[0].load.manifests[current[1]].digest if current else None,
                handle_in_use=self.by_handle(opening.attempt.handle) is not None,
                open_transfers=len(going.union(beside)),
            ),
            LIMITS,
            now_ns,
            document,
        ):
            case receiver.RepeatReceipt(text):
                return sender.ReceiptArrived(manifest.transfer_id, text)
            case receiver.Decline(_, reason, permanent):
                return refusal(opening.load, document, reason, permanent)
            case receiver.Proceed(supersedes):
                assert supersedes is (current is not None)
        return None

    def take_plain(self, chunk: Chunk) -> None:
        """A request on the plain channel, from anybody."""
        found = self.by_handle(chunk.handle)
        if found is None or not found.attempt.plan.uses_plain_channel:
            return
        place = chunk.sub_stream, chunk.index
        if found.ledger.admit(*place, len(chunk.data)) is not None:
            return
        if found.ledger.judge(*place, chunk.data, chunk.seal) is not None:
            return
        number = found.core.chunks.number(*place)
        assert number is not None
        at = 0
        for start, end in found.core.chunks.ranges(number):
            found.write_chunk(start, chunk.data[at : at + end - start])
            at += end - start
        assert found.ledger.hold(*place) == number
        found.reports.append(number)

    def finish(self, receiving: Receiving, document: int, now_ns: int) -> None:
        """From verified to receipt."""
        receiving.to_finish.remove(document)
        receiving.ledger.close()
        manifest = receiving.load.manifests[document]
        carried, plain = bytes(receiving.classified[document]), bytes(receiving.plain[document])
        classified, others = carried[: manifest.classified_size], carried[manifest.classified_size :]
        accompanying, at = [], 0
        for each in manifest.accompanying:
            accompanying.append(blake3(others[at : at + each.size]).digest())
            at += each.size
        digests = [blake3(stream).digest() for stream in (classified, plain)]
        commands = receiving.core.handle(receiver.StreamsRead(digests[0], digests[1], document, accompanying))
        if commands != [receiver.Commit(document)]:
            assert document in receiving.forgetful_disk, "what was changed on the way must not even be verified"
            receiving.do(commands)
            return
        receipt = Receipt.of(
            manifest,
            sender_pin=SENDER_PIN,
            receiver="bravo",
            receiver_pin=RECEIVER_PIN,
            announced_at_ns=receiving.announced_at_ns,
            received_at_ns=now_ns,
        ).sign(RECEIPT_KEY)
        content = integrate(manifest.spans, manifest.size, classified, plain)
        self.deliveries.append(manifest.transfer_id)
        self.delivered[manifest.transfer_id] = Delivered(manifest, content, receipt, others)
        receiving.do(receiving.core.handle(receiver.Committed(receipt, document)))

    def crash(self) -> None:
        """Everything that was under way is gone, and its connections with it."""
        for receiving, _ in self.under_way.values():
            receiving.ended = set(range(len(receiving.load.manifests)))
            receiving.to_finish = []
            receiving.answers = [sender.SecureLost("the other gateway went away")]
        self.under_way.clear()


class SecureConnection:
    """One secure request as the receiving gateway sees it, of a single transfer or of a batch."""

    def __init__(self, gateway: ReceivingGateway, is_batch: bool = False) -> None:
        self._gateway = gateway
        self._reader: OpeningReader | None = OpeningReader(MAX_DOCUMENTS if is_batch else 1)
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
                self._answers += begun
                return
            self.receiving = begun
        if self.receiving is not None and not self.receiving.over and data:
            self.receiving.do(self.receiving.core.handle(receiver.SecureBytes(data)))

    def end(self) -> None:
        if self.receiving is not None and not self.receiving.over:
            self.receiving.do(self.receiving.core.handle(receiver.SecureEnded()))

    def break_off(self, whole: bool) -> None:
        """What was whole, or lacks only padding, goes on without anybody to answer to; the rest is dropped."""
        if self.receiving is not None and not whole:
            if self.receiving.core.lacks_only_padding:
                self.end()
            else:
                self.receiving.fail("the secure channel broke")
