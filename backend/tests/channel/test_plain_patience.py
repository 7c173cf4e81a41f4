"""A hostile plain channel costs a transfer a bounded time: both cores, a clock that is a number, and an adversary who
decides for each round how long it lasts and which chunks get through."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from channel_cases import RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN, attempt_at, manifest_of, mark, modest
from sieve.channel import receiver, sender
from sieve.channel.attempt import Plan
from sieve.channel.chunk_sizes import COMMON_CHUNK, MIN_CHUNK
from sieve.channel.ledger import PlainLedger
from sieve.channel.load import Load
from sieve.channel.plain_patience import FRUITLESS_ROUNDS, PlainPatience
from sieve.channel.refusals import RefusalKind
from sieve.channel.seals import seal
from sieve.channel.sender import Trust
from sieve.core.separate import separate

TRUST = Trust(SENDER_PIN, frozenset({RECEIVER_PIN}), RECEIPT_KEY.public_key().public_bytes_raw())
ASK_S = 0.25
"""What a question on the secure channel takes; and a chunk that is sent there."""
PATIENCE = PlainPatience()


@dataclass(frozen=True)
class Move:
    """What the adversary does with one round: it lasts `share` of what it may, and these of its chunks get through."""

    share: float
    through: frozenset[int]
    forged: bool = False


moves = st.builds(
    Move,
    st.sampled_from([0.0, 0.001, 0.5, 1.0]) | st.floats(0, 1),
    st.frozensets(st.integers(0, 9), max_size=2),
    st.booleans(),
)
sizes = st.sampled_from([1, MIN_CHUNK, 4 * MIN_CHUNK + 1, 1_000_000])


class Told:
    """One attempt over an honest secure channel; `seconds` have passed since its first plain byte could leave."""

    def __init__(self, size: int, plain_channels: int) -> None:
        self.document = mark(size + 10, [(0, 10)])
        manifest = manifest_of(self.document)
        load = Load((manifest,))
        self.attempt = attempt_at(manifest, plan=Plan("sieve", 1, plain_channels))
        self.here = sender.Sender(load, self.attempt, TRUST)
        self.there = receiver.Receiver(load, self.attempt)
        self.ledger = PlainLedger(self.attempt.plain_key, self.there.chunks, slots=8)
        self.plain = separate(self.document).plain
        self.there.handle(receiver.SecureBytes(separate(self.document).secure))
        self.there.handle(receiver.SecureEnded())
        self.seconds = 0.0
        self.off_plain_at: float | None = None
        self.rounds = 0

    def chunk(self, number: int) -> bytes:
        return b"".join(self.plain[start:end] for start, end in self.here.chunks.ranges(number))

    def carry(self, number: int, *, forged: bool) -> None:
        place, data = self.here.chunks.place(number), self.chunk(number)
        tag = bytes(16) if forged else seal(self.attempt.plain_key, place.sub_stream, place.index, data)
        if self.ledger.admit(place.sub_stream, place.index, len(data)) is not None:
            return
        if self.ledger.judge(place.sub_stream, place.index, data, tag) is None:
            self.there.handle(receiver.PlainHeld(frozenset({self.ledger.hold(place.sub_stream, place.index)})))

    def run(self, strategy: Sequence[Move]) -> None:
        """Until every byte is there. The adversary repeats its last move."""
        commands = list(self.here.start())
        while not self.there.verified:
            command = commands.pop(0)
            match command:
                case sender.SendPlain(chunks):
                    assert self.off_plain_at is None, "there is no way back to the plain channel"
                    move = strategy[min(self.rounds, len(strategy) - 1)]
                    self.rounds += 1
                    self.seconds += move.share * self.here.round_s
                    for number in chunks:
                        if number in move.through or number - chunks[0] in move.through:
                            self.carry(number, forged=move.forged)
                    commands += self.here.handle(sender.PlainRoundSent())
                case sender.AskHeld():
                    self.seconds += ASK_S
                    commands += self.here.handle(sender.HeldReported(self.there.held, self.seconds))
                case sender.SendPlainSecurely(chunks):
                    self.off_plain_at = self.seconds
                    self.there.handle(receiver.PlainFenced(self.ledger.close()))
                    for number in chunks:
                        self.seconds += ASK_S
                        self.there.handle(receiver.SecureChunk(number, self.chunk(number)))


@modest
@given(sizes, st.integers(1, 3), st.lists(moves, min_size=1, max_size=40))
def test_no_strategy_on_the_plain_channel_delays_a_document_beyond_the_bound(
    size: int, plain_channels: int, strategy: list[Move]
) -> None:
    told = Told(size, plain_channels)
    told.run(strategy)
    assert told.there.verified
    chunks = told.here.chunks
    largest = max(plan.chunk_size for plan in chunks.plans)
    bound = PATIENCE.most_s(largest, chunks.size)
    # The first question is not counted against the rounds; the last one comes after them. Then the rest goes securely.
    assert (told.seconds if told.off_plain_at is None else told.off_plain_at) <= bound + 2 * ASK_S
    assert told.seconds <= bound + (2 + chunks.count) * ASK_S


def test_a_channel_that_brings_a_chunk_now_and_then_is_left_once_it_is_slower_than_the_floor() -> None:
    """Each of its rounds is fruitful, so that fruitless ones never come to three."""
    told = Told(8 * COMMON_CHUNK, 1)
    told.run([Move(1.0, frozenset({0}))])
    assert told.off_plain_at is not None and FRUITLESS_ROUNDS < told.rounds < told.here.chunks.count


def test_a_channel_above_the_floor_is_not_left() -> None:
    told = Told(1_000_000, 1)
    told.run([Move(0.05, frozenset({0}))])
    assert told.off_plain_at is None


def test_a_slow_opening_does_not_count_against_the_plain_channel() -> None:
    """The receiver can hold nothing before it knows the attempt."""
    told = Told(1_000_000, 1)
    told.seconds = 1000.0
    told.run([Move(0.5, frozenset()), Move(0.5, frozenset({0}))])
    assert told.off_plain_at is None


def held(it: sender.Sender, *numbers: int, at_s: float = 1.0) -> None:
    it.handle(sender.PlainRoundSent())
    it.handle(sender.HeldReported(frozenset(numbers), at_s))


def test_after_an_attempt_that_was_lost_while_plain_chunks_were_missing_the_next_stays_off_that_channel() -> None:
    told = Told(1_000_000, 1)
    told.here.start()
    held(told.here, 0)
    *_, end = told.here.handle(sender.SecureLost("cut"))
    assert end == sender.TryAgain("cut", off_plain=True)


def test_what_was_lost_for_another_reason_may_use_the_plain_channel_again() -> None:
    whole, refused, early = (Told(1_000_000, 1) for _ in range(3))
    for told in (whole, refused, early):
        told.here.start()
    held(whole.here, 0)
    held(whole.here, *range(whole.here.chunks.count))
    assert whole.here.handle(sender.SecureLost("cut"))[-1] == sender.TryAgain("cut")
    held(refused.here, 0)
    assert refused.here.handle(sender.Refused("busy", permanent=False))[-1] == sender.TryAgain(
        "busy", kind=RefusalKind.REFUSED
    )
    assert early.here.handle(sender.SecureLost("cut"))[-1] == sender.TryAgain("cut")


def test_a_plain_listener_that_fails_there_is_a_reason_to_do_without_it() -> None:
    told = Told(1_000_000, 1)
    told.here.start()
    *_, end = told.here.handle(sender.Refused("it ended", permanent=False, kind=RefusalKind.PLAIN_LISTENER))
    assert end == sender.TryAgain("it ended", off_plain=True, kind=RefusalKind.PLAIN_LISTENER)
