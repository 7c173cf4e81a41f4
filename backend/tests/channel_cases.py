"""Manifests, attempts, keys and streams for the protocol's tests; everything follows from its arguments."""

from dataclasses import replace

from blake3 import blake3
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import settings
from hypothesis import strategies as st

from documents import byte_documents
from examples import examples
from sieve.channel.attempt import MODES, AnySplit, Attempt, Mode, Plan
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest, RedactedEdition, SentMarks, keyed_classified_digest
from sieve.channel.opening import Opening
from sieve.channel.receipt import Receipt
from sieve.channel.seals import SEAL_KINDS, SealKey
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.split import SPLITS

modest = settings(max_examples=examples(40), deadline=None)

RECEIPT_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
SENDER_PIN = "5e" * 32
RECEIVER_PIN = "7e" * 32
DEADLINE_NS = 1_000_000_000_000


def noise(label: str, size: int) -> bytes:
    """`size` bytes that follow from `label`, and look like nothing else."""
    return blake3(label.encode()).digest(length=size)


def mark(size: int, spans: list[tuple[int, int]], label: str = "") -> Document:
    """A document that tells its streams apart at a glance: plain bytes are below 0x80, classified ones are not."""
    content = bytearray(byte & 0x7F for byte in noise(label, size))
    for start, end in spans:
        content[start:end] = bytes(byte | 0x80 for byte in content[start:end])
    return Document(bytes(content), spans)


def manifest_of(
    document: Document, transfer: int = 1, deadline_at_ns: int = DEADLINE_NS, edition: bytes = b"", marks: bytes = b""
) -> Manifest:
    """The manifest that a gateway would make for `document`, with that redacted edition and those marks, if any."""
    secure, plain = separate(document)
    salt = noise(f"salt {transfer}", 32)
    return Manifest(
        transfer_id=transfer.to_bytes(16, "big").hex(),
        salt=salt,
        name="minutes.md",
        media_type="text/markdown; charset=utf-8",
        size=document.size,
        spans=document.spans,
        classified_digest=keyed_classified_digest(salt, blake3(secure).digest()),
        plain_digest=blake3(plain).digest(),
        recipients=("bob", "zoë"),
        sender="Alice Example",
        deadline_at_ns=deadline_at_ns,
        redacted=RedactedEdition(len(edition), blake3(edition).digest()) if edition else None,
        marks=SentMarks(len(marks), blake3(marks).digest()) if marks else None,
    )


def attempt_at(manifest: Manifest, number: int = 1, plan: Plan | Mode = "sieve") -> Attempt:
    """The attempt of that number: handle and plain key are its own. Odd and even ones have different seals."""
    return Attempt(
        handle=noise(f"handle {manifest.transfer_id} {number}", 16).hex(),
        plain_key=SealKey(noise(f"plain key {manifest.transfer_id} {number}", 32), SEAL_KINDS[number % 2]),
        plan=plan if isinstance(plan, Plan) else Plan(plan),
        numbers=(number,),
    )


def opening_of(manifest: Manifest, number: int = 1, plan: Plan | Mode = "sieve") -> Opening:
    """The opening of a single transfer."""
    return Opening(Load((manifest,)), attempt_at(manifest, number, plan))


def receipt_for(manifest: Manifest) -> Receipt:
    """The receipt that the receiver would sign."""
    return Receipt.of(
        manifest,
        sender_pin=SENDER_PIN,
        receiver="bravo",
        receiver_pin=RECEIVER_PIN,
        announced_at_ns=17,
        received_at_ns=23,
    )


logins = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20)


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Manifests of every kind that an author can make."""
    return replace(
        manifest_of(
            draw(byte_documents()),
            draw(st.integers(0, 2**128 - 1)),
            edition=draw(st.binary(max_size=9)),
            marks=draw(st.binary(max_size=9)),
        ),
        name=draw(st.text(max_size=40)),
        sender=draw(st.text(max_size=40)),
        recipients=tuple(draw(st.lists(logins, min_size=1, max_size=5, unique=True))),
        deadline_at_ns=draw(st.integers(0, 2**63 - 1)),
    )


@st.composite
def attempts(draw: st.DrawFn, manifest: Manifest) -> Attempt:
    """Attempts at `manifest`."""
    return attempt_at(manifest, draw(st.integers(1, 2**31)), draw(plans()))


@st.composite
def plans(
    draw: st.DrawFn, modes: tuple[Mode, ...] = MODES, most: int = 5, splits: tuple[AnySplit, ...] = SPLITS
) -> Plan:
    """Plans of up to `most` channels of each kind."""
    mode = draw(st.sampled_from(modes))
    possible = [split for split in splits if mode == "sieve" or split not in ("ss", "bss")]
    return Plan(mode, draw(st.integers(1, most)), draw(st.integers(1, most)), draw(st.sampled_from(possible)))
