"""A connection is answered at once as far as nothing must be waited for, and then by a task."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.answering import Exchange, answer, answer_at_once
from sieve.lab.tls_split.processes.tally import Tally
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.suites import SUITES
from tls_in_memory import example_state, mirrored

SUITE = SUITES[0x1301]


@dataclass
class Connection:
    """Both ends of a connection after its handshake; `client`: the records of the other side."""

    ours: socket.socket
    theirs: socket.socket
    client: RecordPhase

    def asked(self, size: int) -> bytes | bytearray:
        return self.client.send(b"GET /%d HTTP/1.1\r\nConnection: close\r\n\r\n" % size)

    def exchange(self, unread: bytes = b"") -> Exchange:
        return Exchange(RecordPhase(mirrored(example_state(SUITE))), unread, Tally().row(0))

    def heard(self) -> bytes:
        """The document, up to the end of the connection."""
        plain = b""
        while data := self.theirs.recv(2**16):
            plain += self.client.receive(data)
        assert self.client.is_closed_by_peer
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


def test_a_request_of_which_a_part_was_handed_over_goes_on_in_a_task(connection: Connection) -> None:
    asked = bytes(connection.asked(20_000))
    exchange = connection.exchange(asked[:10])
    assert not answer_at_once(connection.ours, exchange)
    connection.theirs.sendall(asked[10:])
    connection.theirs.shutdown(socket.SHUT_WR)
    assert connection.answered_by_task(exchange) == document(20_000)


def test_a_large_answer_goes_on_where_the_kernel_took_no_more(connection: Connection) -> None:
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
