"""What leaves of a load is its documents' bytes, and a chunk is the same bytes each time, whatever happens between."""

import errno
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import manifest_of, mark
from documents import modest
from sieve.channel.attempt import Plan
from sieve.channel.attempt_split import PlainSplit, of_secure
from sieve.channel.chunk_sizes import Chunks
from sieve.channel.load import Load
from sieve.channel.padding import Padded
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.gateway.errors import UnreadableNow
from sieve.gateway.outbound.stored_load import StoredLoad
from sieve.store.errors import BlobDamaged

SIZE = 40_000
DOCUMENTS = [mark(SIZE, [(100, 9_000)], f"{number}") for number in range(6)]
PLAIN = [separate(document).plain for document in DOCUMENTS]
SECURE = [separate(document).secure for document in DOCUMENTS]
PLAN = Plan("sieve")
LOAD = Load(tuple(manifest_of(document, transfer=number + 1) for number, document in enumerate(DOCUMENTS)))
CHUNKS = Chunks(PlainSplit.of(LOAD, PLAN).sub_streams())
[SECURE_STREAM] = of_secure(LOAD, PLAN)


@dataclass
class Stored:
    """In place of a stored document; damaged from some moment on."""

    document: Document
    is_damaged: bool = False
    disk_fails: bool = False

    def read_plain(self, start: int, end: int) -> bytes:
        return self._read(separate(self.document).plain[start:end])

    def read_classified(self, start: int, end: int) -> bytes:
        return self._read(separate(self.document).secure[start:end])

    def _read(self, data: bytes) -> bytes:
        if self.is_damaged:
            raise BlobDamaged("it is damaged")
        if self.disk_fails:
            raise OSError(errno.EIO, "Input/output error")
        return data


def expected(number: int, zeros: set[int]) -> bytes:
    """That chunk, if it is made when those documents are zeros."""
    stream = b"".join(bytes(len(plain)) if at in zeros else plain for at, plain in enumerate(PLAIN))
    return b"".join(stream[start:end] for start, end in CHUNKS.ranges(number))


steps = st.lists(
    st.tuples(st.just("chunk"), st.integers(0, CHUNKS.count - 1))
    | st.tuples(st.sampled_from(("withhold", "damage")), st.integers(0, len(DOCUMENTS) - 1)),
    max_size=14,
)


@modest
@given(steps)
def test_a_chunk_is_the_same_bytes_each_time(steps: list[tuple[str, int]]) -> None:
    told: list[str] = []
    stored = [Stored(document) for document in DOCUMENTS]
    layout = LOAD.secure(PLAN)
    load = StoredLoad(
        LOAD, stored, [Padded(SECURE_STREAM, 300_000)], layout, CHUNKS, lambda transfer_id, _: told.append(transfer_id)
    )
    made: dict[int, bytes] = {}
    zeros: set[int] = set()
    for what, number in steps:
        if what == "damage":
            stored[number].is_damaged = True
        elif what == "withhold":
            load.withhold(LOAD.transfer_ids[number])
            zeros.add(number)
        elif number in made:
            try:
                assert load.chunk(number) == made[number]
            except BlobDamaged:
                assert any(each.is_damaged for each in stored)
        else:
            parts = {part.document for start, end in CHUNKS.ranges(number) for part in LOAD.plain.parts(start, end)}
            zeros |= {document for document in parts if stored[document].is_damaged}
            made[number] = load.chunk(number)
            assert made[number] == expected(number, zeros)
    assert {LOAD.transfer_ids.index(transfer_id) for transfer_id in told} <= zeros
    assert len(set(told)) == len(told)
    for document in DOCUMENTS:
        stored[DOCUMENTS.index(document)].is_damaged = False
    sent = b"".join(load.secure(0, 0))
    assert sent == b"".join(bytes(len(data)) if at in zeros else data for at, data in enumerate(SECURE)) + bytes(
        300_000
    )
    assert b"".join(load.secure(0, len(sent) - 300_001)) == sent[-300_001:]
    assert b"".join(load.secure(0, len(sent) - 9)) == bytes(9)


@pytest.mark.parametrize("error", [BlobDamaged, UnreadableNow])
def test_the_only_document_cannot_be_read(error: type[Exception]) -> None:
    alone = Load(LOAD.manifests[:1])
    chunks = Chunks(PlainSplit.of(alone, PLAN).sub_streams())
    stored = [Stored(DOCUMENTS[0], is_damaged=error is BlobDamaged, disk_fails=error is UnreadableNow)]
    load = StoredLoad(
        alone,
        stored,
        [Padded(part) for part in of_secure(alone, PLAN)],
        alone.secure(PLAN),
        chunks,
        lambda *_: pytest.fail("told"),
    )
    with pytest.raises(error):
        load.chunk(0)
    with pytest.raises(error):
        list(load.secure(0, 0))
