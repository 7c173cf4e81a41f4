"""A receipt proves one thing: that the holder of one key has the very document of one manifest."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import (
    OTHER_KEY,
    RECEIPT_KEY,
    RECEIVER_PIN,
    SENDER_PIN,
    manifest_of,
    manifests,
    modest,
    receipt_for,
)
from sieve.channel import canonical
from sieve.channel.errors import ReceiptInvalid
from sieve.channel.manifest import Manifest
from sieve.channel.receipt import MAX_TEXT, Receipt, read, verify
from sieve.core.document import Document

PUBLIC = RECEIPT_KEY.public_key().public_bytes_raw()
OTHER_PUBLIC = OTHER_KEY.public_key().public_bytes_raw()
MANIFEST = manifest_of(Document(b"plain secret plain", [(6, 12)]))
RECEIPT = receipt_for(MANIFEST)
TEXT = RECEIPT.sign(RECEIPT_KEY)


def sign_anything(body: Any) -> str:
    """What a hostile peer can do with a key of its own: its signature holds over any value."""
    signature = RECEIPT_KEY.sign(b"sieve receipt v1\0" + canonical.dumps(body)).hex()
    return canonical.dumps({"receipt": body, "key": PUBLIC.hex(), "signature": signature}).decode()


def body() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(TEXT)["receipt"]
    return made


@modest
@given(manifests())
def test_a_signed_receipt_verifies_and_is_for_its_manifest(manifest: Manifest) -> None:
    receipt = verify(receipt_for(manifest).sign(RECEIPT_KEY), PUBLIC)
    assert receipt == receipt_for(manifest)
    receipt.check(manifest, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)


def test_signing_twice_gives_the_same_text() -> None:
    assert RECEIPT.sign(RECEIPT_KEY) == TEXT == sign_anything(body())


def test_an_audit_head_is_signed_too() -> None:
    receipt = replace(RECEIPT, audit_head=f"17:{'ab' * 32}")
    assert verify(receipt.sign(RECEIPT_KEY), PUBLIC) == receipt
    receipt.check(MANIFEST, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)


# --- tampered ----------------------------------------------------------------------------------------------------


@modest
@given(st.integers(0, len(TEXT) - 1), st.characters(max_codepoint=127))
def test_a_changed_character_is_found(at: int, ch: str) -> None:
    if ch != TEXT[at]:
        changed = TEXT[:at] + ch + TEXT[at + 1 :]
        try:
            assert verify(changed, PUBLIC) == RECEIPT, "it may be written otherwise, but says the same"
        except ReceiptInvalid:
            return


@pytest.mark.parametrize("key", [*body(), "unknown"])
def test_no_field_can_be_changed_after_signing(key: str) -> None:
    whole = json.loads(TEXT)
    whole["receipt"][key] = 2 if isinstance(whole["receipt"].get(key), int) else "aa" * 32
    with pytest.raises(ReceiptInvalid, match="does not hold"):
        read(json.dumps(whole))


def test_another_key_is_not_the_receivers() -> None:
    text = RECEIPT.sign(OTHER_KEY)
    assert read(text) == (RECEIPT, OTHER_PUBLIC)
    with pytest.raises(ReceiptInvalid, match="not the receiver's"):
        verify(text, PUBLIC)


def test_a_key_put_beside_anothers_signature_does_not_help() -> None:
    whole = json.loads(RECEIPT.sign(OTHER_KEY))
    with pytest.raises(ReceiptInvalid, match="does not hold"):
        verify(json.dumps({**whole, "key": PUBLIC.hex()}), PUBLIC)


def test_a_signature_over_something_else_of_that_key_is_no_receipt() -> None:
    whole = json.loads(TEXT)
    whole["signature"] = RECEIPT_KEY.sign(canonical.dumps(whole["receipt"])).hex()
    with pytest.raises(ReceiptInvalid, match="does not hold"):
        read(json.dumps(whole))


# --- for something else ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [f.name for f in fields(Receipt) if f.name not in ("receiver", "announced_at_ns", "received_at_ns", "audit_head")],
)
def test_a_receipt_for_anything_else_is_refused_by_field(name: str) -> None:
    value = getattr(RECEIPT, name)
    changes: dict[str, Any] = {name: value + 1 if isinstance(value, int) else value[:-1]}
    with pytest.raises(ReceiptInvalid, match=f"its {name} differs"):
        replace(RECEIPT, **changes).check(MANIFEST, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)


@modest
@given(manifests(), manifests())
def test_a_receipt_fits_one_manifest(one: Manifest, other: Manifest) -> None:
    if one == other:
        return
    with pytest.raises(ReceiptInvalid):
        receipt_for(one).check(other, sender_pin=SENDER_PIN, receiver_pin=RECEIVER_PIN)


def test_between_other_gateways_it_says_nothing() -> None:
    with pytest.raises(ReceiptInvalid, match="sender_pin"):
        RECEIPT.check(MANIFEST, sender_pin=RECEIVER_PIN, receiver_pin=RECEIVER_PIN)
    with pytest.raises(ReceiptInvalid, match="receiver_pin"):
        RECEIPT.check(MANIFEST, sender_pin=SENDER_PIN, receiver_pin=SENDER_PIN)


# --- no receipt at all -------------------------------------------------------------------------------------------


@modest
@given(st.text(max_size=100) | st.binary(max_size=100).map(lambda noise: noise.decode("latin-1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(ReceiptInvalid):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '"receipt"',
        "[" * 60000,
        "9" * 5000,
        json.dumps({"receipt": {}, "key": "", "signature": ""}),
        json.dumps({"receipt": {}, "key": 7, "signature": []}),
        json.dumps({"receipt": {}, "key": "zz", "signature": "zz"}),
        json.dumps({"receipt": {"v": 1.5}, "key": PUBLIC.hex(), "signature": "00" * 64}),
        json.dumps({**json.loads(TEXT), "remark": "not signed"}),
        TEXT + " " * MAX_TEXT,
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(ReceiptInvalid, match=r"not a receipt|does not hold"):
        read(text)


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "a receipt",
        [],
        [["v", 1]],
        {},
        {"v": 1},
        {**body(), "v": True},
        {**body(), "v": "1" * 10000},
        {**body(), "unknown": 1},
        {**body(), "recipients": "bob"},
        {**body(), "recipients": [1]},
        {**body(), "recipients": None},
        {**body(), "size": True},
        {**body(), "size": "18"},
        {**body(), "transfer_id": 1},
        {**body(), "audit_head": 1},
        {**body(), "audit_head": ""},
        {**body(), "audit_head": "ab" * 32},
        {**body(), "audit_head": f"17:{'ab' * 32}\n"},
        {**body(), "audit_head": f"{'9' * 19}:{'ab' * 32}"},
        {key: value for key, value in body().items() if key != "size"},
    ],
    ids=str,
)
def test_a_signature_does_not_make_nonsense_a_receipt(value: Any) -> None:
    with pytest.raises(ReceiptInvalid, match="not a receipt"):
        verify(sign_anything(value), PUBLIC)


def test_another_version_says_so() -> None:
    with pytest.raises(ReceiptInvalid, match="another version"):
        read(sign_anything({**body(), "v": 2}))
