"""A handler that has no descriptor left for a connection waits, instead of trying again and again."""

import asyncio
import errno
import socket
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.tls_split.processes.event_loop import run
from sieve.lab.tls_split.processes.front_end import NOTHING_LEFT, OF_A_CONNECTION, Handler, KeyHolder, accepted
from sieve.lab.tls_split.processes.tally import Tally

TURNS = 200


class NoKeys:
    """In the place of a `KeyHolder`: these connections get no handshake."""

    def watch(self) -> None:
        pass


class Collecting(Handler):
    """Keeps the connections that it would serve."""

    def __init__(self) -> None:
        super().__init__(cast(KeyHolder, NoKeys()), Tally().row(0), "direct", None)
        self.started = asyncio.Queue[socket.socket]()

    def _start(self, client: socket.socket) -> None:
        self.started.put_nowait(client)


class Refusing(socket.socket):
    """A listener for which the system has nothing left, while `refusal` is set."""

    refusal: int | None = None
    refused = 0

    def accept(self) -> tuple[socket.socket, Any]:
        if self.refusal is None:
            return super().accept()
        self.refused += 1
        raise OSError(self.refusal, "nothing is left")


def listening() -> Refusing:
    listener = Refusing()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    listener.setblocking(False)
    return listener


@given(refusal=st.sampled_from(sorted(errno.errorcode)))
def test_only_errors_of_a_connection_are_passed_over(refusal: int) -> None:
    """Those that accept(2) names. An error of the listener itself goes on, and nobody tries again."""
    with listening() as listener:
        listener.refusal = refusal
        if refusal in OF_A_CONNECTION:
            assert accepted(listener) is None
        else:
            with pytest.raises(OSError) as raised:
                accepted(listener)
            assert raised.value.errno == refusal
    assert not NOTHING_LEFT & OF_A_CONNECTION


def test_a_listener_that_cannot_be_used_is_a_complaint() -> None:
    complaints = list[BaseException]()

    async def story(listener: Refusing) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, said: complaints.append(said["exception"]))
        running = asyncio.create_task(Collecting().run(listener))
        listener.refusal = errno.EINVAL
        with socket.create_connection(listener.getsockname()):
            while not complaints:
                await asyncio.sleep(0)
        running.cancel()

    with listening() as listener:
        run(story(listener))
    assert isinstance(complaints[0], OSError) and complaints[0].errno == errno.EINVAL


@pytest.mark.parametrize("refusal", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
def test_a_connection_waits_while_no_descriptor_is_free(refusal: int) -> None:
    complaints = list[dict[str, Any]]()

    async def story(listener: Refusing) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, said: complaints.append(said))
        handler = Collecting()
        running = asyncio.create_task(handler.run(listener))
        listener.refusal = refusal
        with socket.create_connection(listener.getsockname()):
            while not listener.refused:
                await asyncio.sleep(0)
            for _ in range(TURNS):
                await asyncio.sleep(0)
            # The loop rested in most of its turns, although the connection was there in all of them.
            assert listener.refused < TURNS / 2
            listener.refusal = None
            (await handler.started.get()).close()
        running.cancel()

    with listening() as listener:
        run(story(listener))
    assert not complaints


def test_a_connection_that_came_without_its_descriptor_is_no_complaint() -> None:
    """The system takes descriptors out of a message for which the process has no place."""
    complaints = list[dict[str, Any]]()

    async def story(connections: socket.socket, agent: socket.socket) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, said: complaints.append(said))
        handler = Collecting()
        running = asyncio.create_task(handler.run(connections))
        agent.send(b"\0")
        ours, theirs = socket.socketpair()
        with ours, theirs:
            socket.send_fds(agent, [b"\0"], [theirs.fileno()])
            (await handler.started.get()).close()
        running.cancel()

    connections, agent = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with connections, agent:
        run(story(connections, agent))
    assert not complaints
