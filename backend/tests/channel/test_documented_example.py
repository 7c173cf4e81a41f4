"""The worked example of docs/wire-protocol.md is what the code produces, to the byte.

Each block of the example is in the document, after a comment that names it. After a change of the protocol:
`python tests/channel/test_documented_example.py` writes the blocks again.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blake3 import blake3
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from sieve.channel import canonical, receipt
from sieve.channel.attempt import Attempt, Plan
from sieve.channel.chunk_sizes import MAX_CHUNK, ChunkPlan
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest, keyed_classified_digest
from sieve.channel.opening import MAGIC, Opening, OpeningReader
from sieve.channel.padding import padme
from sieve.channel.receipt import Receipt
from sieve.channel.seals import SealKey, seal
from sieve.core.document import Document
from sieve.core.markup import parse
from sieve.core.separate import separate

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "wire-protocol.md"
BLOCK = re.compile(r"(<!-- example: ([a-z-]+) -->\n```[a-z]*\n)(.*?)(\n```\n)", re.DOTALL)

CODE = re.compile(r"\n((?:    def (?:step|padme)\(n\):\n(?:     .*\n)+\n)+)")

MARKED = b"Berth 3 opens on <$S>6 October<$E>, gate code <$S>7714<$E>.\n"
SALT = bytes(range(32))
TRANSFER_ID = "0123456789ab4def8123456789abcdef"
HANDLE = "00112233445566778899aabbccddeeff"
PLAIN_KEY = bytes(range(0x80, 0xA0))
RECEIPT_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(0x40, 0x60)))
ALPHA_PIN, BRAVO_PIN = "a1" * 32, "b2" * 32
DEADLINE_NS, ANNOUNCED_NS, RECEIVED_NS = 1_800_000_000_000_000_000, 1_799_740_800_100_000_000, 1_799_740_800_250_000_000
SIZES = (0, 1, 65_536, 65_537, 1_048_576, 1_048_577, 4_000_000, 10_000_000, 100_000_000)


def example() -> dict[str, str]:
    """The text of each block, by its name."""
    document = parse(MARKED)
    streams = separate(document)
    manifest = _manifest(document, streams.secure, streams.plain)
    attempt = Attempt(HANDLE, SealKey(PLAIN_KEY), Plan("sieve"), padded=True)
    opening = Opening(Load((manifest,)), attempt)
    padding = bytes(opening.secure[0].padding)
    request = opening.to_bytes() + streams.secure + padding
    head = opening.head[len(MAGIC) + 4 :]
    plain_seal = seal(SealKey(PLAIN_KEY), 0, 0, streams.plain)
    signed = _receipt(manifest).sign(RECEIPT_KEY)
    return {
        "document": "\n".join(
            (
                f"content     {len(document.content)} bytes   {_quoted(document.content)}",
                f"spans       {', '.join(f'[{span.start}, {span.end})' for span in document.spans)}",
                f"classified  {len(streams.secure)} bytes   {_quoted(streams.secure)}",
                f"plain       {len(streams.plain)} bytes   {_quoted(streams.plain)}",
            )
        ),
        "digests": "\n".join(
            (
                f"BLAKE3(classified stream)   {blake3(streams.secure).hexdigest()}",
                f"classified_digest           {manifest.classified_digest.hex()}",
                f"plain_digest                {manifest.plain_digest.hex()}",
                f"spans_digest                {manifest.spans_digest}",
                f"document digest             {manifest.document_digest.hex()}",
                f"manifest digest             {manifest.digest}",
            )
        ),
        "head": _wrapped(head),
        "request": "\n".join(
            (
                f"{MAGIC.hex(' ')}             {_quoted(MAGIC)}",
                f"{len(head).to_bytes(4, 'big').hex(' ')}                   the head has {len(head)} bytes",
                "…                             the head, as above",
                *_hex(manifest.spans.to_bytes()),
                f"…                             the classified stream, {_quoted(streams.secure)}",
                f"00 00 00 …                    {len(padding)} bytes of padding: "
                f"{len(request) - len(padding)} bytes become {len(request)}",
                "",
                f"{len(request)} bytes in all, BLAKE3 {blake3(request).hexdigest()}",
            )
        ),
        "chunks": "\n".join(
            f"{size:>12,} bytes: " + "; ".join(f"{plan.count:>3} of {plan.chunk_size:>9,}" for plan in _plans(size))
            for size in SIZES
        ),
        "padme": "\n".join(f"{size:>12,} bytes become {padme(size):>12,}" for size in SIZES[1:]),
        "put": "\n".join(
            (
                f"PUT /{HANDLE}/0/0 HTTP/1.1",
                "Host: bravo.example:8081",
                f"Content-Length: {len(streams.plain)}",
                f"Seal: {plain_seal.hex()}",
                "",
                _quoted(streams.plain),
            )
        ),
        "seal-chacha": f"Seal: {seal(SealKey(PLAIN_KEY, 'chacha20-poly1305'), 0, 0, streams.plain).hex()}",
        "receipt-body": _wrapped(canonical.dumps(json.loads(signed)["receipt"])),
        "receipt": _wrapped(signed.encode()),
        "receipt-key": RECEIPT_KEY.public_key().public_bytes_raw().hex(),
    }


def _manifest(document: Document, secure: bytes, plain: bytes) -> Manifest:
    return Manifest(
        transfer_id=TRANSFER_ID,
        salt=SALT,
        name="memo.txt",
        media_type="text/plain",
        size=document.size,
        spans=document.spans,
        classified_digest=keyed_classified_digest(SALT, blake3(secure).digest()),
        plain_digest=blake3(plain).digest(),
        recipients=("bruno",),
        sender="Anna",
        deadline_at_ns=DEADLINE_NS,
    )


def _receipt(manifest: Manifest) -> Receipt:
    return Receipt.of(
        manifest,
        sender_pin=ALPHA_PIN,
        receiver="bravo",
        receiver_pin=BRAVO_PIN,
        announced_at_ns=ANNOUNCED_NS,
        received_at_ns=RECEIVED_NS,
    )


def _plans(size: int) -> tuple[ChunkPlan, ChunkPlan]:
    """Without and with larger chunks."""
    return ChunkPlan(size), ChunkPlan(size, MAX_CHUNK)


def _quoted(data: bytes) -> str:
    return json.dumps(data.decode(), ensure_ascii=False)


def _wrapped(text: bytes) -> str:
    """A line for each key; without the line breaks it is the text again."""
    return text.decode().replace(',"', ',\n"').replace('":{"', '":\n{"')


def _hex(data: bytes) -> Iterator[str]:
    return (data[at : at + 16].hex(" ") for at in range(0, len(data), 16))


def test_the_guide_shows_what_the_code_makes() -> None:
    shown = {name: text for _, name, text, _ in BLOCK.findall(GUIDE.read_text())}
    assert shown == example()


def test_the_guide_can_be_read_back() -> None:
    """What is shown is enough to be understood by the other side."""
    shown = {name: text.replace("\n", "") for _, name, text, _ in BLOCK.findall(GUIDE.read_text())}
    document = parse(MARKED)
    head = shown["head"].encode()
    wire = b"SIEVE1" + len(head).to_bytes(4, "big") + head + document.spans.to_bytes()
    read = OpeningReader().feed(wire + separate(document).secure)
    assert read is not None
    opening, rest = read
    assert rest == separate(document).secure
    found = receipt.verify(shown["receipt"], bytes.fromhex(shown["receipt-key"]))
    found.check(opening.load.manifests[0], sender_pin=ALPHA_PIN, receiver_pin=BRAVO_PIN)


def test_the_formulas_of_the_guide_make_the_same() -> None:
    """Computed from the guide alone, by none of our own functions."""
    shown = dict(line.rsplit(None, 1) for line in example()["digests"].splitlines())
    head = json.loads(example()["head"].replace("\n", ""))
    secure, plain, size = b"6 October7714", b"Berth 3 opens on , gate code .\n", 44
    spans = b"".join(bound.to_bytes(8, "big") for bound in (17, 26, 38, 42))
    classified_digest = blake3(b"sieve classified stream v1\0" + blake3(secure).digest(), key=SALT).digest()
    whole = size.to_bytes(8, "big") + blake3(spans).digest() + classified_digest + blake3(plain).digest()
    manifest = json.dumps(head["manifest"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert shown["classified_digest"] == classified_digest.hex()
    assert shown["document digest"] == blake3(b"sieve document v1\0" + whole, key=SALT).hexdigest()
    assert shown["manifest digest"] == blake3(manifest.encode()).hexdigest()
    said: dict[str, Any] = {}
    exec(textwrap.dedent(CODE.findall(GUIDE.read_text())[0]), said)  # noqa: S102 -- the guide's own lines
    assert all(f"{size:,} bytes become {said['padme'](size):>12,}" in example()["padme"] for size in SIZES[1:])
    before = 10 + len(example()["head"].replace("\n", "")) + len(spans) + len(secure)
    assert f"{before} bytes become {said['padme'](before)}" in example()["request"]
    for block, aead in (("put", AESGCM), ("seal-chacha", ChaCha20Poly1305)):
        tag = aead(PLAIN_KEY).encrypt(bytes(12), b"", plain)
        assert f"Seal: {tag.hex()}" in example()[block]


def _write() -> None:
    blocks = example()
    GUIDE.write_text(BLOCK.sub(lambda found: found[1] + blocks[found[2]] + found[4], GUIDE.read_text()))


if __name__ == "__main__":
    _write()
