"""The sizes and the order of what is written to the plain channel's sockets tell nothing of where the gaps were."""

import re

import pytest

from gateway.two_gateways import Pair
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.gateway.plain.transport import Connection, Trace

PLAIN = b"The harbour is open to everybody. " * 60_000
STEP = 1000


def _one_gap() -> Document:
    secret = b"a secret at the start, longer than all the others"
    return Document(secret + PLAIN, [(0, len(secret))])


def _many_gaps() -> Document:
    content, spans = bytearray(), []
    for start in range(0, len(PLAIN), STEP):
        content += PLAIN[start : start + STEP]
        spans.append((len(content), len(content) + 3))
        content += b"gap"
    return Document(bytes(content), spans)


async def test_equal_plain_streams_are_written_alike(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    assert separate(_one_gap()).plain == separate(_many_gaps()).plain
    written: list[bytes] = []
    put = Connection.put

    async def recorded(self: Connection, head: bytes, chunk: bytes, trace: Trace) -> None:
        written.append(head + chunk)  # one write of the socket's transport
        await put(self, head, chunk, trace)

    monkeypatch.setattr(Connection, "put", recorded)
    looks = []
    for document in (_one_gap(), _many_gaps(), _one_gap()):
        written.clear()
        await pair.delivers(document)
        looks.append([re.sub(rb"[0-9a-f]{32}", b"-" * 32, piece) for piece in written])
    assert sum(len(piece) for piece in looks[0]) > len(PLAIN)
    assert looks[0] == looks[1] == looks[2]
