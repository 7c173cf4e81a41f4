"""The receipt: the receiving gateway's signed statement that it has stored exactly the document that was sent.

Ed25519 (RFC 8032) over canonical JSON. Its text is made once, stored, and repeated byte for byte; a late one still
counts."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sieve.channel import canonical
from sieve.channel.errors import ReceiptInvalid
from sieve.channel.manifest import Manifest
from sieve.core.hash_chain import HEAD
from sieve.core.sentence import Sentence

VERSION = 1
_PURPOSE = b"sieve receipt v1\0"
MAX_TEXT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Receipt:
    """Digests are hexadecimal BLAKE3; `document_digest` and `classified_digest` are keyed with the manifest's salt.

    `sender_pin` and `receiver_pin` are the gateways' identities (SHA-256 of the public key); times are nanoseconds
    since the epoch by the receiver's clock. `audit_head`: where the receiver's audit log ended shortly before; by it
    its admins can see if the log was cut since.
    """

    transfer_id: str
    manifest_digest: str
    document_digest: str
    classified_digest: str
    plain_digest: str
    size: int
    classified_size: int
    recipients: tuple[str, ...]
    sender_pin: str
    receiver: str
    receiver_pin: str
    announced_at_ns: int
    received_at_ns: int
    audit_head: str | None = None

    @classmethod
    def of(
        cls,
        manifest: Manifest,
        *,
        sender_pin: str,
        receiver: str,
        receiver_pin: str,
        announced_at_ns: int,
        received_at_ns: int,
        audit_head: str | None = None,
    ) -> "Receipt":
        """The receipt for `manifest`."""
        return cls(
            transfer_id=manifest.transfer_id,
            manifest_digest=manifest.digest,
            document_digest=manifest.document_digest.hex(),
            classified_digest=manifest.classified_digest.hex(),
            plain_digest=manifest.plain_digest.hex(),
            size=manifest.size,
            classified_size=manifest.classified_size,
            recipients=manifest.recipients,
            sender_pin=sender_pin,
            receiver=receiver,
            receiver_pin=receiver_pin,
            announced_at_ns=announced_at_ns,
            received_at_ns=received_at_ns,
            audit_head=audit_head,
        )

    def sign(self, key: Ed25519PrivateKey) -> str:
        """The receipt's text: canonical JSON of the receipt, the public key that signed it, and the signature."""
        body = {"v": VERSION, **asdict(self)}
        signature = key.sign(_PURPOSE + canonical.dumps(body))
        public = key.public_key().public_bytes_raw()
        return canonical.dumps({"receipt": body, "key": public.hex(), "signature": signature.hex()}).decode()

    def check(self, manifest: Manifest, *, sender_pin: str, receiver_pin: str) -> None:
        """Checks that this receipt is for `manifest` and between these two gateways.

        Raises:
            ReceiptInvalid: names the first field that differs.
        """
        due = Receipt.of(
            manifest,
            sender_pin=sender_pin,
            receiver=self.receiver,
            receiver_pin=receiver_pin,
            announced_at_ns=self.announced_at_ns,
            received_at_ns=self.received_at_ns,
        )
        for field in fields(self):
            if field.name != "audit_head" and getattr(self, field.name) != getattr(due, field.name):
                raise ReceiptInvalid(f"the receipt is for something else: its {field.name} differs from what was sent")


def read(text: str) -> tuple[Receipt, bytes]:
    """The receipt in `text`, whose signature is valid, and the public key that it names.

    The caller decides whether to trust that key: see `verify`.

    Raises:
        ReceiptInvalid: not a receipt, or the signature does not hold.
    """
    try:
        whole = json.loads(text) if len(text) <= MAX_TEXT else None
        if not (isinstance(whole, dict) and set(whole) == {"receipt", "key", "signature"}):
            raise ValueError("not a receipt's fields")
        body, key = whole["receipt"], bytes.fromhex(whole["key"])
        signature = bytes.fromhex(whole["signature"])
        Ed25519PublicKey.from_public_bytes(key).verify(signature, _PURPOSE + canonical.dumps(body))
        return _from_body(body), key
    except InvalidSignature as error:
        raise ReceiptInvalid(
            Sentence(
                "receipt-signature-wrong",
                "the receipt's signature does not hold: it was changed, or another key signed it",
            )
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise ReceiptInvalid(Sentence("receipt-none", "this is not a receipt")) from error


def verify(text: str, trusted_key: bytes) -> Receipt:
    """The receipt in `text`, signed by `trusted_key` (32 raw bytes).

    Raises:
        ReceiptInvalid: not a receipt, the signature does not hold, or another key made it.
    """
    receipt, key = read(text)
    if key != trusted_key:
        raise ReceiptInvalid("the receipt is signed by a key that is not the receiver's")
    return receipt


def _from_body(body: Any) -> Receipt:
    """Raises ReceiptInvalid, ValueError or TypeError: the key that signed it may be anybody's, and so its contents."""
    if not (isinstance(body, dict) and type(body.get("v")) is int):
        raise ValueError("no receipt of any version")
    if body["v"] != VERSION:
        raise ReceiptInvalid(
            Sentence(
                "receipt-other-version",
                "the receipt is of another version; this program reads version {version}",
                version=VERSION,
            )
        )
    values = {key: value for key, value in body.items() if key != "v"}
    recipients = values.get("recipients")
    if not (isinstance(recipients, list) and all(isinstance(name, str) for name in recipients)):
        raise ValueError("recipients")
    values["recipients"] = tuple(recipients)
    receipt = Receipt(**values)  # TypeError for a field too many or too few
    for field in fields(receipt):
        value = getattr(receipt, field.name)
        # Not isinstance: true is no size.
        if field.type in (int, str) and type(value) is not field.type:
            raise ValueError(field.name)
    head = receipt.audit_head
    if not (head is None or (isinstance(head, str) and HEAD.fullmatch(head))):
        raise ValueError("audit_head")
    return receipt
