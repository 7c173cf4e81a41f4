"""Fuzz targets of what a peer sends on the secure channel: openings, receipts, invitations, and answers to the sender.

Invariant: bytes are either taken, and then print as the same bytes, or refused with the documented error; how they are
split between reads changes nothing. Changes keep to the structure: lengths, digests and signatures are made to fit, so
that they reach what lies behind those checks. It looks inside of readers and senders: how much they hold shows nowhere
else, and a network would make each try a thousand times as long.
"""

import asyncio
import base64
import json
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, cast
from unittest.mock import patch
from zlib import crc32

import httpx
from blake3 import blake3

from changed_json import changed_json, written_json
from channel_cases import (
    OTHER_KEY,
    RECEIPT_KEY,
    RECEIVER_PIN,
    SENDER_PIN,
    attempt_at,
    manifest_of,
    mark,
    noise,
    opening_of,
    receipt_for,
)
from sieve.channel import canonical, receipt, sender
from sieve.channel.attempt import Attempt, Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.errors import MalformedOpening, ReceiptInvalid
from sieve.channel.held_ranges import Held
from sieve.channel.load import MAX_DOCUMENTS, Load
from sieve.channel.opening import BATCH_MAGIC, MAGIC, Opening, OpeningReader
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.receiver import Receiver
from sieve.channel.seals import SealKey
from sieve.core.document import SPAN_BYTES
from sieve.gateway.errors import PairingError, PeerRefused, PeerUnreachable
from sieve.gateway.outbound import sending
from sieve.gateway.peering import invitation
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.peer_capacity import PeerCapacity
from sieve.gateway.peering.peers import Peer
from sieve.gateway.peering.secure_transport import SecureTransport
from sieve.gateway.telemetry.timing_marks import TimingMarks

Mutate: TypeAlias = Callable[[bytes, int], bytes]

ONE = manifest_of(mark(50, [(3, 9), (20, 30)]))
EDITED = manifest_of(mark(40, [(0, 5)]), 2, edition=b"edition")
BARE = manifest_of(mark(7, []), 3)
HELD = Held(((0, 3), (5, 9)), ((1, 20),))
TRUST = sender.Trust(SENDER_PIN, frozenset([RECEIVER_PIN]), RECEIPT_KEY.public_key().public_bytes_raw())


def pieces(data: bytes) -> Iterator[bytes]:
    """`data` in pieces whose sizes follow from it."""
    random = Random(crc32(data))
    while data:
        size = random.choice((1, 2, 5, 17, 300, 5000))
        yield data[:size]
        data = data[size:]


# --- openings ------------------------------------------------------------------------------------------------------


def opening(data: bytes) -> None:
    """Reads an opening at once and in pieces, and prints it."""
    most = MAX_DOCUMENTS if data.startswith(BATCH_MAGIC) else 1
    read: tuple[Opening, bytes] | MalformedOpening | None
    try:
        read = OpeningReader(most).feed(data)
    except MalformedOpening as error:
        assert str(error)
        read = error
    reader, fed, slowly = OpeningReader(most), 0, cast(Any, None)
    try:
        for piece in pieces(data):
            fed += len(piece)
            slowly = reader.feed(piece)
            if slowly is not None:
                break
            assert len(reader._buffer) == (fed if reader._head is None else 0) < reader._needed
    except MalformedOpening as error:
        slowly = error
    if read is None or isinstance(read, Exception):
        assert str(read) == str(slowly)
        return
    found, rest = read
    assert found == slowly[0] and slowly[1] + data[fed:] == rest
    assert found.to_bytes() + rest == data
    _use(found)


def _use(found: Opening) -> None:
    """What the receiver does with an opening before any byte of the streams is there."""
    split = PlainSplit.of(found.load, found.attempt.plan, found.attempt.max_chunk)
    assert PlainSplit.from_json(json.loads(json.dumps(split.to_json()))) == split
    receiver = Receiver(found.load, found.attempt)
    plain = found.load.plain_size if found.attempt.plan.uses_plain_channel else 0
    assert found.body_size + sum(part.size for part in receiver._secure[1:]) == found.load.size - plain
    assert receiver.chunks.size == found.load.plain_size
    for manifest in found.load.manifests:
        text = receipt_for(manifest).sign(RECEIPT_KEY)
        assert len(text) <= receipt.MAX_TEXT
        receipt.verify(text, TRUST.receipt_key).check(manifest, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)
        assert manifest.safe_name and manifest.safe_name.isprintable() and manifest.safe_sender.isprintable()


def opening_seeds() -> list[bytes]:
    """Of each kind of load and plan."""
    plans = [Plan("sieve"), Plan("secure-only", 2), Plan("sieve", 2, 3, "ss"), Plan("sieve", 3, 2, "es")]
    singles = [opening_of(manifest, 7, plan) for plan in plans for manifest in (ONE, EDITED)] + [opening_of(BARE)]
    for plan in (Plan("sieve", 2, 2), Plan("secure-only")):
        resumed = replace(attempt_at(ONE, 7, plan), held=HELD)
        singles.append(Opening(Load((ONE,), HELD), resumed))
    batch = replace(attempt_at(ONE), numbers=(1, 2, 3))
    batches = [
        Opening(Load((ONE, EDITED, BARE)), replace(batch, plan=plan))
        for plan in (
            Plan("sieve"),
            Plan("sieve", 2, 2, "bss"),
            Plan("secure-only", 2, 1, "bes"),
            Plan("sieve", 3, 3, "bfs"),
        )
    ]
    return [one.to_bytes() + b"\x80secret" for one in singles + batches]


def changed_opening(data: bytes, most: int, random: Random, mutate: Mutate) -> bytes:
    """Another value in its head or other spans, and mostly a length and digests that fit."""
    magic, length = data[:6], int.from_bytes(data[6:10], "big")
    try:
        head = json.loads(data[10 : 10 + length])
        tail = data[10 + length :]
    except (ValueError, RecursionError):
        return mutate(data, most)
    if random.random() < 0.3:
        tail = mutate(tail, len(tail) + 64)
    if random.random() < 0.7:
        head = changed_json(head, random)
    with suppress(AttributeError, KeyError, TypeError, ValueError):
        documents = head["documents"] if magic == BATCH_MAGIC else [head]
        at = 0
        for document in documents if random.random() < 0.8 else []:
            manifest = document["manifest"]
            end = at + SPAN_BYTES * manifest["spans"]
            manifest["spans_digest"] = blake3(tail[at:end]).hexdigest()
            at = end
        if magic == MAGIC and random.random() < 0.8:
            head["attempt"]["transfer_id"] = head["manifest"]["transfer_id"]
    written = written_json(head, random)
    if random.random() < 0.05:
        written = mutate(written, len(written) + 32)
    if random.random() < 0.02:
        magic = BATCH_MAGIC if magic == MAGIC else MAGIC
    return (magic + len(written).to_bytes(4, "big") + written + tail)[:most]


# --- receipts and invitations --------------------------------------------------------------------------------------


def any_receipt(data: bytes) -> None:
    """Reads a receipt; one that counts says what was sent."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        found, key = receipt.read(text)
    except ReceiptInvalid as error:
        assert str(error)
        return
    values = {"v": 1, **asdict(found), "recipients": list(found.recipients)}
    body = json.loads(text)["receipt"]
    assert body == {name: value for name, value in values.items() if name in body}
    assert values.keys() - body.keys() <= {"audit_head"}
    due = {"v": int, "recipients": list, "audit_head": type(found.audit_head)}
    for name, value in values.items():
        assert type(value) is due.get(name, int if name.endswith(("size", "_ns")) else str)
    assert len(key) == 32
    for manifest in (ONE, EDITED):
        with suppress(ReceiptInvalid):
            receipt.verify(text, TRUST.receipt_key).check(manifest, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)
            assert (found.transfer_id, found.document_digest) == (manifest.transfer_id, manifest.document_digest.hex())


def receipt_seeds() -> list[bytes]:
    """With an audit head and without, by two keys."""
    some = [receipt_for(ONE), receipt_for(EDITED), replace(receipt_for(ONE), audit_head="12:" + "ab" * 32)]
    return [one.sign(key).encode() for one in some for key in (RECEIPT_KEY, OTHER_KEY)]


def changed_receipt(data: bytes, most: int, random: Random, mutate: Mutate) -> bytes:
    """Another value, mostly signed."""
    try:
        whole = json.loads(data)
        key = random.choice((RECEIPT_KEY, OTHER_KEY))
        if random.random() < 0.8:
            whole["receipt"] = changed_json(whole["receipt"], random)
            signature = key.sign(b"sieve receipt v1\0" + written_json(whole["receipt"], random))
            whole |= {"key": key.public_key().public_bytes_raw().hex(), "signature": signature.hex()}
        else:
            whole = changed_json(whole, random)
        return written_json(whole, random)[:most]
    except (ValueError, RecursionError, TypeError, KeyError):
        return mutate(data, most)


def invitation_seeds() -> list[bytes]:
    """One that a gateway made."""
    return [path.read_bytes() for path in [Path(__file__).parent / "fuzzed" / "invitation" / "good"]]


def any_invitation(data: bytes) -> None:
    """Reads an invitation."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        found = invitation.parse(text)
    except PairingError as error:
        assert str(error)
        return
    bare = "".join(ch for ch in text if not ch.isspace() and unicodedata.category(ch) != "Cf")
    assert found.to_text() == bare and invitation.parse(bare) == found


def changed_invitation(data: bytes, most: int, random: Random, mutate: Mutate) -> bytes:
    """Another value in it, or another certificate."""
    prefix = invitation.PREFIX.encode()
    try:
        fields = json.loads(base64.urlsafe_b64decode(data.removeprefix(prefix) + b"=="))
        if random.random() < 0.6:
            fields["ca"] = base64.b64encode(mutate(base64.b64decode(fields["ca"]), 2000)).decode()
        else:
            fields = changed_json(fields, random)
        written = written_json(fields, random)
    except (ValueError, RecursionError, TypeError, KeyError):
        return mutate(data, most)
    if random.random() < 0.05:
        written = mutate(written, len(written) + 32)
    return (prefix + base64.urlsafe_b64encode(written).rstrip(b"="))[:most]


# --- answers to the sender -----------------------------------------------------------------------------------------

LOADS: Final = (Load((ONE,)), Load((ONE, EDITED)))


def answers(data: bytes) -> None:
    """A sender hears `data`: the lines of the streamed answer, then behind a zero byte the answer to every question.

    An odd first byte means a batch.
    """
    lines, _, said = data[1:].partition(b"\0")
    load = LOADS[data[0] & 1 if data else 0]
    with asyncio.Runner() as runner:
        whole = runner.run(heard(load, [lines], said))
        assert whole == runner.run(heard(load, [*pieces(lines)], said))


async def heard(load: Load, parts: list[bytes], said: bytes) -> Any:
    """How the documents ended by the peer's word, and what is kept of what it said."""
    link = _link(parts, said)
    streamed, asked = _sending(load, link), _sending(load, link)
    await streamed._send_secure()
    _take(streamed)
    assert streamed._core.ended, "an answer that ends leaves documents without an end"
    with patch.object(sending, "ASK_AFTER_S", 0):
        await asked._ask_secure_held()
        await asked.ask_held()
    _take(asked)
    # What is kept of a peer's word is about the documents that are under way.
    kept = streamed.misfits | streamed.disputed | set(streamed.receipts_ns) | set(streamed._durations)
    assert kept <= set(load.transfer_ids)
    for ask in (link.hello, link.recipients, lambda: link.receipt_or_held(ONE, 1)):
        with suppress(PeerRefused, PeerUnreachable):
            await cast(Any, ask)()
    assert link.plain_url()
    return streamed.outcomes, streamed.misfits, streamed.disputed, streamed.verified


def _sending(load: Load, link: Link) -> sending.Sending:
    """An attempt whose stored documents are never read."""
    numbers = tuple(range(1, len(load.manifests) + 1))
    attempt = Attempt(noise("handle", 16).hex(), SealKey(noise("key", 32)), Plan("sieve", 2, 2), numbers)
    one = sending.Sending(load, attempt, [], link, TRUST, TimingMarks(), lambda _progress: None, PlainPatience())
    one._secure.stored = cast(Any, SimpleNamespace(secure=lambda _sub_stream, _start: iter([b"x"])))
    one._core.start()
    return one


def _take(one: sending.Sending) -> None:
    """Handles what was heard; nothing but ends is carried out."""
    while not one.events.empty():
        for command in one._core.handle(one.events.get_nowait()):
            if isinstance(command, sender.Deliver):
                found = receipt.verify(command.receipt, TRUST.receipt_key)
                assert found.transfer_id == command.transfer_id in one._load.transfer_ids
            if isinstance(command, sender.Deliver | sender.TryAgain | sender.GiveUp):
                one._do([command])


async def _nothing_is_open() -> None:
    """There are no connections to close."""


def _link(parts: list[bytes], said: bytes) -> Link:
    async def streamed(parts: list[bytes]) -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path in ("/v1/transfers", "/v1/batches"):
            stream = SimpleNamespace(get_extra_info=lambda _what: None)
            return httpx.Response(200, content=streamed(parts), extensions={"network_stream": stream})
        return httpx.Response(200, content=streamed([said]))

    link = Link.__new__(Link)
    link.peer = cast(Peer, SimpleNamespace(name="bravo", plain_url="http://bravo.example"))
    link._secure = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="https://bravo.example")
    link._transport = cast(SecureTransport, SimpleNamespace(has_connection=True, close_idle=_nothing_is_open))
    link._hello, link._closed, link._contacts, link.takes = None, False, None, PeerCapacity()
    return link


def _said(*, resumes: bool) -> dict[str, Any]:
    """One answer to all questions; to those about a resumable attempt if it `resumes`."""
    return {
        "name": "bravo",
        "versions": [1, 2],
        "max_document_bytes": 1000,
        "plain_url": "http://bravo.example:81",
        "max_secure_channels": 2,
        "max_plain_channels": 2,
        "splits": ["range", "es"],
        "max_batch": 8,
        "batch_splits": ["range"],
        "manifests": [1, 2],
        "max_chunk": 1 << 21,
        "secure": [3, 5],
        "held": {"manifest_digest": ONE.digest, **HELD.to_json()} if resumes else [[0, 1]],
        "receipt": receipt_for(ONE).sign(RECEIPT_KEY),
        "recipients": [{"name": "bob", "display_name": "Bob", "cleared": True}],
    }


def answers_seeds() -> list[bytes]:
    """What peers say."""
    durations = {"combine_ns": 1, "integrate_ns": 2, "verify_ns": 3, "commit_ns": 4}
    lines: list[dict[str, Any]] = [{"is": "announced"}, {"is": "verified"}]
    lines += [
        {
            "is": "receipt",
            "transfer": each.transfer_id,
            "receipt": receipt_for(each).sign(RECEIPT_KEY),
            "durations": durations,
        }
        for each in (ONE, EDITED)
    ]
    failed = {"is": "failed", "detail": "no", "kind": "other-bytes", "permanent": True, "transfer": ONE.transfer_id}
    return [
        b"%d" % batch
        + b"".join(canonical.dumps(line) + b"\n" for line in said)
        + b"\0"
        + canonical.dumps(_said(resumes=bool(batch)))
        for batch in (0, 1)
        for said in (lines, [failed], [lines[1], failed, lines[3]], [failed | {"kind": "protocol"}, lines[2]], [])
    ]


def changed_answers(data: bytes, most: int, random: Random, mutate: Mutate) -> bytes:
    """Another value in a line or in the answer to questions."""
    lines, zero, said = data[1:].partition(b"\0")
    each = lines.split(b"\n")
    number = random.randrange(len(each) + 1)
    try:
        if number == len(each):
            said = written_json(changed_json(json.loads(said), random), random)
        elif random.random() < 0.2:
            each.insert(number, each[random.randrange(len(each))])
        else:
            each[number] = written_json(changed_json(json.loads(each[number]), random), random)
    except (ValueError, RecursionError):
        return mutate(data, most)
    return (data[:1] + b"\n".join(each) + zero + said)[:most]


CHANGES: Final[dict[str, Callable[[bytes, int, Random, Mutate], bytes]]] = {
    "opening": changed_opening,
    "receipt": changed_receipt,
    "invitation": changed_invitation,
    "answers": changed_answers,
}
