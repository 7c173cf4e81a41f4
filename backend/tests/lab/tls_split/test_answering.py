"""A connection is answered at once as far as nothing must be waited for, and then by a task."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.errors import BAD_RECORD_MAC
from sieve.lab.tls_split.processes.answering import Exchange, answer, answer_at_once
from sieve.lab.tls_split.processes.tally import Tally
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.records import ALERT, Opener
from sieve.lab.tls_split.suites import SUITES
from tls_in_memory import example_state, mirrored

SUITE = SUITES[0x1301]


@dataclass
class Connection:
    """Both ends of a connection after its handshake; `client`: the records of the other side."""

    ours: socket.socket
    theirs: socket.socket
    client: RecordPhase

    def asked(self, size: int, *, is_last: bool = True) -> bytes | bytearray:
        return self.client.send(b"GET /%d HTTP/1.1\r\n%s\r\n" % (size, b"Connection: close\r\n" if is_last else b""))

    def exchange(self, unread: bytes = b"") -> Exchange:
        return Exchange(RecordPhase(mirrored(example_state(SUITE))), unread, Tally().row(0))

    def heard(self) -> bytes:
        """The document, up to the end of the connection."""
        plain = b""
        while data := self.theirs.recv(2**16):
            plain += self.client.receive(data)
        assert self.client.is_closed_by_peer
        return plain.partition(b"\r\n\r\n")[2]

    def heard_one(self, size: int) -> bytes:
        """One document of this size, of a connection that stays open."""
        plain = b""
        while len(plain.partition(b"\r\n\r\n")[2]) < size:
            plain += self.client.receive(self.theirs.recv(2**16))
        return plain.partition(b"\r\n\r\n")[2]

    def answered_by_task(self, exchange: Exchange) -> bytes:
        async def both() -> bytes:
            async with asyncio.TaskGroup() as tasks:
                heard = tasks.create_task(asyncio.to_thread(self.heard))
                tasks.create_task(answer(self.ours, exchange))
            return heard.result()

        return asyncio.run(both())


@pytest.fixture
def connection() -> Iterator[Connection]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield Connection(ours, theirs, RecordPhase(example_state(SUITE)))


def test_what_has_come_is_answered_without_a_task(connection: Connection) -> None:
    connection.theirs.sendall(connection.asked(20_000))
    connection.theirs.shutdown(socket.SHUT_WR)
    assert answer_at_once(connection.ours, connection.exchange())
    assert connection.ours.fileno() == -1
    assert connection.heard() == document(20_000)


def test_a_request_of_which_a_part_was_handed_over_continues_in_a_task(connection: Connection) -> None:
    asked = bytes(connection.asked(20_000))
    exchange = connection.exchange(asked[:10])
    assert not answer_at_once(connection.ours, exchange)
    connection.theirs.sendall(asked[10:])
    connection.theirs.shutdown(socket.SHUT_WR)
    assert connection.answered_by_task(exchange) == document(20_000)


def test_a_large_answer_continues_where_the_kernel_took_no_more(connection: Connection) -> None:
    connection.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    exchange = connection.exchange(bytes(connection.asked(1_000_000)))
    assert not answer_at_once(connection.ours, exchange)
    connection.theirs.shutdown(socket.SHUT_WR)
    assert connection.answered_by_task(exchange) == document(1_000_000)


def test_a_client_that_is_gone_is_forgotten(connection: Connection) -> None:
    exchange = connection.exchange(bytes(connection.asked(10)))
    connection.theirs.close()
    assert answer_at_once(connection.ours, exchange)
    assert connection.ours.fileno() == -1


def test_a_connection_that_stays_open_has_its_next_request_answered_by_a_task(connection: Connection) -> None:
    exchange = connection.exchange(bytes(connection.asked(300, is_last=False)))
    assert not answer_at_once(connection.ours, exchange)
    assert connection.heard_one(300) == document(300)
    connection.theirs.sendall(connection.asked(20_000))
    connection.theirs.shutdown(socket.SHUT_WR)
    assert connection.answered_by_task(exchange) == document(20_000)


def test_a_broken_record_that_comes_at_once_ends_the_connection_with_an_alert(connection: Connection) -> None:
    broken = bytearray(connection.asked(10))
    broken[-1] ^= 1
    connection.theirs.sendall(broken)
    connection.theirs.shutdown(socket.SHUT_WR)
    assert answer_at_once(connection.ours, connection.exchange())
    assert connection.ours.fileno() == -1
    state = example_state(SUITE)
    opener = Opener(SUITE, state.read_secret, state.read_sequence)
    assert opener.open(connection.theirs.recv(2**16)) == (ALERT, bytes((2, BAD_RECORD_MAC)))
    assert not connection.theirs.recv(1)


class Faulty(RecordPhase):
    """Has a fault of ours, which no error of this package describes."""

    is_forgotten = False

    def receive(self, data: bytes | bytearray) -> bytes:
        raise ArithmeticError

    def forget(self) -> None:
        super().forget()
        self.is_forgotten = True


def test_a_fault_of_ours_leaves_no_secret_and_no_descriptor(connection: Connection) -> None:
    records = Faulty(mirrored(example_state(SUITE)))
    with pytest.raises(ArithmeticError):
        answer_at_once(connection.ours, Exchange(records, bytes(connection.asked(10)), Tally().row(0)))
    assert records.is_forgotten
    assert connection.ours.fileno() == -1
