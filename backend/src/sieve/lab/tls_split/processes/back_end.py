"""The back end: a delegate agent keeps workers running; a worker serves handed-over connections. Neither has a key."""

import asyncio
import os
import select
import signal
import socket

from sieve.lab.tls_split.errors import HandOverError
from sieve.lab.tls_split.hand_over import MAX_MESSAGE, decode
from sieve.lab.tls_split.processes.answering import Exchange, answer, answer_at_once
from sieve.lab.tls_split.processes.event_loop import run
from sieve.lab.tls_split.processes.queues import receive
from sieve.lab.tls_split.processes.tally import Row, Tally
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.secrets_in_memory import wipe


def run_delegate_agent(control: socket.socket, queue: socket.socket, tally: Tally, slot: int, workers: int) -> None:
    """Starts the workers, and another for each that ends.

    Kills them when the control socket closes. If this process dies, they finish their connections and end.
    """
    lifeline, ours = os.pipe()
    running: dict[int, int] = {}
    is_ready = False
    while True:
        for free in set(range(slot, slot + workers)) - set(running.values()):
            running[os.pidfd_open(_start_worker(lifeline, ours, queue, tally, free))] = free
        if not is_ready:
            control.send(b"\1")
            is_ready = True
        ready, _, _ = select.select([control.fileno(), *running], [], [])
        if control.fileno() in ready:
            break
        for ended in ready:
            os.waitid(os.P_PIDFD, ended, os.WEXITED)
            os.close(ended)
            del running[ended]
    for ended in running:
        signal.pidfd_send_signal(ended, signal.SIGKILL)
        os.waitid(os.P_PIDFD, ended, os.WEXITED)


def _start_worker(lifeline: int, ours: int, queue: socket.socket, tally: Tally, slot: int) -> int:
    if child := os.fork():
        tally.row(slot).belongs_to(child)
        return child
    try:
        os.close(ours)
        run(Worker(tally.row(slot)).run(queue, lifeline))
    finally:
        os._exit(1)


class Worker:
    """Serves connections after their handshakes."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._tasks: set[asyncio.Task[None]] = set()
        self._buffer = bytearray(MAX_MESSAGE)

    async def run(self, queue: socket.socket, lifeline: int) -> None:
        """Takes connections from the queue, until the other end of the lifeline closes; then finishes those it has."""
        loop, is_over = asyncio.get_running_loop(), asyncio.Event()
        queue.setblocking(False)
        loop.add_reader(lifeline, is_over.set)
        loop.add_reader(queue, self._receive, queue)
        await is_over.wait()
        loop.remove_reader(lifeline)
        loop.remove_reader(queue)
        await asyncio.gather(*self._tasks)

    def _receive(self, queue: socket.socket) -> None:
        try:
            if (found := receive(queue, self._buffer)) is None:
                return
        except HandOverError:
            wipe(self._buffer)
            return
        message, client = found
        try:
            state = decode(message)
        except HandOverError:
            # It refuses its connection, and no other.
            client.close()
            return
        finally:
            # Only the message: the whole buffer is a hundred times as long.
            wipe(message)
            message.release()
        exchange = Exchange(RecordPhase(state), state.unread, self._row)
        if answer_at_once(client, exchange):
            return
        task = asyncio.get_running_loop().create_task(answer(client, exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
