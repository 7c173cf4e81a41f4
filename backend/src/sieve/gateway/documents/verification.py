"""Verification: compares a delivery with its receipt, computing every digest again from the stored bytes.

Invariant: a check is a sentence with yes or no, never an error; it reports a damaged file, too. `of_plain_part` reads
only the plain blob, the redacted edition and its entry in the manifest, so its result can be shown to the uncleared.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from blake3 import blake3

from sieve.channel import receipt as receipts
from sieve.channel.errors import MalformedOpening, ReceiptInvalid
from sieve.channel.manifest import Manifest, keyed_classified_digest
from sieve.channel.receipt import Receipt
from sieve.core.errors import SpanError
from sieve.core.sentence import Sentence, sentence_of
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore

CheckName: TypeAlias = Literal[
    "signature",
    "transfer",
    "manifest_digest",
    "plain_digest",
    "classified_digest",
    "document_digest",
    "redacted_digest",
]
PIECE = 256 * 1024
_MANIFEST = Sentence("part-manifest", "The manifest (name, recipients, deadline)")
_PLAIN = Sentence("part-plain", "The plain part")
_CLASSIFIED = Sentence("part-classified", "The classified part")
_WHOLE = Sentence("part-whole", "The whole document, reassembled,")
_REDACTED = Sentence("part-redacted", "The redacted edition")


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one comparison. `says`: a sentence for people."""

    name: CheckName
    ok: bool
    says: str


@dataclass(frozen=True, slots=True)
class Verification:
    """`signer`: the gateway whose key must have signed. `key`: the key that did, or should have, in hexadecimal."""

    checks: Sequence[Check]
    signer: str
    key: str

    @property
    def valid(self) -> bool:
        """Whether every check holds."""
        return all(check.ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A receipt to check. `receipt` is its text, `trusted_key` (32 bytes) the key of gateway `signer`. `earlier_keys`:
    those that it had before, if it is this gateway, whose admin listed them.
    """

    transfer_id: str
    receipt: str
    signer: str
    trusted_key: bytes
    earlier_keys: Collection[bytes] = ()


def of_whole(delivery: Delivery, blobs: BlobStore, manifest: BlobRef, document: StoredDocument | None) -> Verification:
    """Checks the receipt, the manifest and every byte of the document. Blocking.

    `document`: None if it was deleted; then only the receipt is checked.
    """
    signature, receipt, key = _signature(delivery)
    checks = [signature]
    if receipt is not None:
        named = receipt.transfer_id == delivery.transfer_id
        checks.append(Check("transfer", named, _of_transfer(named, is_deleted=document is None)))
        if document is not None:
            checks += _manifest_and_document(receipt, blobs, manifest, document)
    return Verification(checks, delivery.signer, key)


def of_plain_part(delivery: Delivery, blobs: BlobStore, manifest: BlobRef, document: StoredDocument) -> Verification:
    """Checks the receipt's signature, the plain stream and the redacted edition, if there is one. Blocking; reads
    nothing classified.
    """
    signature, receipt, key = _signature(delivery)
    checks = [signature]
    if receipt is not None:
        checks.append(_compared("plain_digest", receipt.plain_digest, _plain_digest(document), _PLAIN))
        if document.redacted_file is not None:
            head = _recomputed(lambda: _head(blobs, manifest))
            if isinstance(head, bytes) and blake3(head).hexdigest() != receipt.manifest_digest:
                head = Failure(
                    Sentence(
                        "receipt-no-edition-digest",
                        "The digest of the redacted edition is in the manifest, which does not match the receipt.",
                    )
                )
            checks.append(_edition(document, head))
    return Verification(checks, delivery.signer, key)


def _signature(delivery: Delivery) -> tuple[Check, Receipt | None, str]:
    """The check, the receipt if its signature is valid, and the key."""
    try:
        receipt, key = receipts.read(delivery.receipt)
    except ReceiptInvalid as error:
        says: str = Sentence("receipt-invalid", "It does not prove anything: {why}.", why=sentence_of(error))
        return Check("signature", False, says), None, delivery.trusted_key.hex()
    if key in delivery.earlier_keys:
        says = Sentence(
            "receipt-earlier-key",
            "{signer} signed this receipt with an earlier key, and it was not changed.",
            signer=delivery.signer,
        )
        return Check("signature", True, says), receipt, key.hex()
    if key != delivery.trusted_key:
        says = Sentence(
            "receipt-other-key",
            "The signature is valid, but its key is not the current key of {signer}.",
            signer=delivery.signer,
        )
        return Check("signature", False, says), receipt, key.hex()
    says = Sentence("receipt-signed", "{signer} signed this receipt, and it was not changed.", signer=delivery.signer)
    return Check("signature", True, says), receipt, key.hex()


def _of_transfer(named: bool, *, is_deleted: bool) -> Sentence:
    if not is_deleted:
        if named:
            return Sentence("receipt-this-transfer", "The receipt names this transfer.")
        return Sentence("receipt-other-transfer", "The receipt is for another transfer.")
    if named:
        return Sentence(
            "receipt-this-transfer-deleted",
            "The receipt names this transfer. The document was deleted here, and its manifest with it,"
            " so nothing else was compared.",
        )
    return Sentence(
        "receipt-other-transfer-deleted",
        "The receipt is for another transfer. The document was deleted here, and its manifest with it,"
        " so nothing else was compared.",
    )


def _manifest_and_document(
    receipt: Receipt, blobs: BlobStore, manifest_ref: BlobRef, document: StoredDocument
) -> Iterator[Check]:
    head = _recomputed(lambda: _head(blobs, manifest_ref))
    found = head if isinstance(head, Failure) else blake3(head).digest()
    manifest = _compared("manifest_digest", receipt.manifest_digest, found, _MANIFEST)
    yield manifest
    plain = _plain_digest(document)
    yield _compared("plain_digest", receipt.plain_digest, plain, _PLAIN)
    classified: bytes | Failure = Failure(
        Sentence("receipt-no-salt", "The salt of its digest is in the manifest, which cannot be used.")
    )
    whole: bytes | Failure = Failure(
        Sentence("receipt-not-reassembled", "The document cannot be reassembled from the stored parts.")
    )
    if isinstance(head, bytes) and manifest.ok:
        fields = json.loads(head)
        classified = _recomputed(lambda: _classified_digest(document, bytes.fromhex(fields["salt"])))
        if isinstance(plain, bytes) and isinstance(classified, bytes):
            found_digests = plain, classified
            whole = _recomputed(lambda: _document_digest(fields, document, *found_digests))
    yield _compared("classified_digest", receipt.classified_digest, classified, _CLASSIFIED)
    yield _compared("document_digest", receipt.document_digest, whole, _WHOLE)
    if isinstance(head, bytes) and manifest.ok and "redacted" in json.loads(head):
        yield _edition(document, head)


@dataclass(frozen=True, slots=True)
class Failure:
    """Something cannot be computed. `says`: why, as a sentence."""

    says: str


def _recomputed(compute: Callable[[], bytes]) -> bytes | Failure:
    try:
        return compute()
    except (BlobDamaged, SpanError, MalformedOpening) as error:
        return Failure(_sentence(error))


def _compared(name: CheckName, expected: str, found: bytes | Failure, what: Sentence) -> Check:
    if isinstance(found, Failure):
        return Check(name, False, found.says)
    same = found.hex() == expected
    if same:
        return Check(name, True, Sentence("receipt-part-matches", "{what} matches the receipt.", what=what))
    return Check(name, False, Sentence("receipt-part-differs", "{what} does not match the receipt.", what=what))


def _head(blobs: BlobStore, manifest: BlobRef) -> bytes:
    return blobs.open_sealed(manifest).read(0, manifest.size)


def _edition(document: StoredDocument, head: bytes | Failure) -> Check:
    """The receipt signs the manifest, which has the digest of the redacted edition."""
    if isinstance(head, Failure):
        return _compared("redacted_digest", "", head, _REDACTED)
    expected = json.loads(head).get("redacted", {}).get("digest")
    return _compared("redacted_digest", expected, _recomputed(lambda: _digest(document.redacted_edition())), _REDACTED)


def _plain_digest(document: StoredDocument) -> bytes | Failure:
    return _recomputed(lambda: _digest(document.plain_stream()))


def _classified_digest(document: StoredDocument, salt: bytes) -> bytes:
    size = document.classified_size
    pieces = (document.read_classified(at, min(at + PIECE, size)) for at in range(0, size, PIECE))
    return keyed_classified_digest(salt, _digest(pieces))


def _document_digest(head: dict[str, Any], document: StoredDocument, plain: bytes, classified: bytes) -> bytes:
    sent = Manifest.from_head(head, document.spans)
    return replace(sent, plain_digest=plain, classified_digest=classified).document_digest


def _digest(pieces: Iterator[bytes]) -> bytes:
    digest = blake3()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
