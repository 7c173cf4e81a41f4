"""A thread that decrypts what other threads submit, in batches."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from types import TracebackType
from typing import Self

from sieve.lab.batch_rsa.queue import BatchQueue
from sieve.lab.batch_rsa.tree import BatchDecryptor
from sieve.lab.errors import LabError

_Request = tuple[int, float, Future[int]]
"""A ciphertext, when it arrived, and where its message goes."""


class Batcher:
    """Use it as a context. Of the batches so far, `sizes` and `busy_s`, how long each was decrypted; of the requests,
    `waited_s`, from their arrival until their answer.
    """

    def __init__(
        self, decryptor: BatchDecryptor, longest_wait_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.key = decryptor.key
        self.sizes: list[int] = []
        self.busy_s: list[float] = []
        self.waited_s: list[float] = []
        self._decryptor = decryptor
        self._clock = clock
        self._queue = BatchQueue[_Request](self.key.exponents, longest_wait_s)
        self._changed = Condition()
        self._closed = False
        self._thread = Thread(target=self._run, name="batcher")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Decrypts what waits, without waiting for more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def open(self) -> "Place":
        """A place in a batch, for a new client."""
        with self._changed:
            return Place(self, self._queue.assign())

    def submit(self, exponent: int, ciphertext: int) -> "Future[int]":
        """The message, when its batch is decrypted. By `Place` alone."""
        answer: Future[int] = Future()
        with self._changed:
            if self._closed:
                raise LabError("the batcher is closed")
            now_s = self._clock()
            self._queue.add(exponent, (ciphertext, now_s, answer), now_s)
            self._changed.notify()
        return answer

    def release(self, exponent: int) -> None:
        """Nothing will be submitted. By `Place` alone."""
        with self._changed:
            self._queue.release(exponent)

    def _run(self) -> None:
        while batch := self._next():
            started_s = self._clock()
            try:
                found = self._decryptor.decrypt({exponent: value for exponent, (value, *_) in batch.items()})
            except Exception as error:
                # It belongs to the requests of this batch; the thread serves the next ones.
                for *_, answer in batch.values():
                    answer.set_exception(error)
                continue
            done_s = self._clock()
            self.sizes.append(len(batch))
            self.busy_s.append(done_s - started_s)
            self.waited_s += [done_s - arrived_s for _, arrived_s, _ in batch.values()]
            for exponent, (*_, answer) in batch.items():
                answer.set_result(found[exponent])

    def _next(self) -> dict[int, _Request]:
        """The next batch, when it leaves; empty if the batcher is closed and nothing waits."""
        with self._changed:
            while True:
                now_s, due_s = self._clock(), self._queue.next_s()
                if self._closed:
                    return {} if due_s is None else self._queue.take(due_s)
                if batch := self._queue.take(now_s):
                    return batch
                self._changed.wait(None if due_s is None else due_s - now_s)


class Place:
    """What one client may submit: one ciphertext, for its exponent. Use it as a context, which ends with the client."""

    def __init__(self, batcher: Batcher, exponent: int) -> None:
        self.exponent = exponent
        self._batcher = batcher
        self._used = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._used:
            self._batcher.release(self.exponent)

    def decrypt(self, ciphertext: int) -> int:
        """Waits for the batch."""
        if self._used:
            raise LabError("a client may submit one ciphertext")
        answer = self._batcher.submit(self.exponent, ciphertext)
        self._used = True
        return answer.result()
