"""Two gateways without a socket: the pure cores, a clock that is a number, and a network that follows a script.

`Fate` decides, byte by byte of what hypothesis drew: who moves next, and what becomes of a chunk, a connection, an
answer. Once its bytes are used up it is kind, so that every run comes to an end; which end is the tests' to say.

The secure channel behaves as TLS does: in order and unchanged, or broken. The plain channel behaves as it likes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from channel_cases import OTHER_KEY, RECEIPT_KEY, SENDER_PIN
from sieve.channel.receipt import verify
from simulated_network import SECOND_NS, TRUST, Chunk, Fate
from simulated_receiver import Receiving, ReceivingGateway, SecureConnection
from simulated_sender import Exchange, Sending


class World:
    """Both gateways, the network between them, and who moves when. `together`: what is sent goes in one exchange, until
    it is tried again."""

    def __init__(
        self,
        sendings: Sequence[Sending],
        fate: Fate,
        *,
        together: bool = False,
        plain_is_dead: bool = False,
        pads: bool = True,
    ) -> None:
        self.pads = pads
        self.sendings, self.fate, self.together = sendings, fate, together
        self.exchanges: list[Exchange] = []
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
        going = self.bravo.attempts
        moves: list[Callable[[World], None]] = [receiving.hear_report for receiving in going if receiving.reports]
        moves += [move for exchange in self.exchanges for move in exchange.moves()]
        moves += [self._finishing(receiving) for receiving in going if receiving.to_finish]
        waiting = [sending for sending in self.sendings if not sending.settled and not sending.under_way]
        moves += [self._trying(sending) for sending in waiting if self.now_ns >= sending.next_try_at_ns]
        if not moves:
            self.now_ns = max(self.now_ns, min(sending.next_try_at_ns for sending in waiting))
            return
        moves[self.fate.below(len(moves))](self)
        if not self.fate.kind:
            self._mischief()

    def _trying(self, sending: Sending) -> Callable[["World"], None]:
        def try_again(world: "World") -> None:
            at_first = world.together and not sending.attempts
            chosen = [other for other in world.sendings if not other.attempts] if at_first else [sending]
            leaving = [each for each in chosen if not each.overdue(world.now_ns)]
            if leaving:
                world.exchanges.append(Exchange(leaving, world))

        return try_again

    def _finishing(self, receiving: Receiving) -> Callable[["World"], None]:
        def finish(world: "World") -> None:
            document = receiving.to_finish[world.fate.below(len(receiving.to_finish))]
            plain = receiving.plain[document]
            if world.fate.strikes(12) and plain:
                receiving.forgetful_disk.add(document)
                plain[world.fate.below(len(plain))] ^= 1
            world.bravo.finish(receiving, document, world.now_ns)

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

    def perhaps_forged(self, text: str) -> str:
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
