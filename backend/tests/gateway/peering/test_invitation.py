"""Invitations survive the ways that texts travel, and the code shows every change of them."""

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sieve.channel import canonical
from sieve.demo import certificates as make
from sieve.gateway.errors import PairingError
from sieve.gateway.peering.invitation import PREFIX, Codes, Invitation, comparison_codes, parse

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@cache
def authority_der(number: int = 0) -> bytes:
    der: bytes = make.new_authority(NOW).certificate.public_bytes(Encoding.DER)
    return der


def a_receipt_key() -> bytes:
    return Ed25519PrivateKey.generate().public_key().public_bytes_raw()


RECEIPT_KEYS = (a_receipt_key(), a_receipt_key())
ALPHA = Invitation(
    name="alpha",
    secure_url="https://alpha.example.org:8443",
    plain_url="http://alpha.example.org:8081",
    pin="a1" * 32,
    ca_der=authority_der(),
    receipt_key=RECEIPT_KEYS[0],
)
BRAVO = replace(ALPHA, name="bravo", secure_url="https://[::1]:8453", pin="b2" * 32, receipt_key=RECEIPT_KEYS[1])

invitations = st.builds(
    Invitation,
    name=st.from_regex(r"\A[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z"),
    secure_url=st.integers(0, 65535).map(lambda port: f"https://10.0.0.1:{port}"),
    plain_url=st.ip_addresses(v=6).map(lambda address: f"http://[{address}]"),
    pin=st.binary(min_size=32, max_size=32).map(bytes.hex),
    ca_der=st.integers(0, 2).map(authority_der),
    receipt_key=st.sampled_from(RECEIPT_KEYS),
)


@given(invitations)
def test_every_invitation_is_read_back_from_its_one_line(invitation: Invitation) -> None:
    text = invitation.to_text()
    assert re.fullmatch(r"sieve-invitation-2\.[A-Za-z0-9_-]+", text)
    assert parse(text) == invitation


@given(st.data())
def test_white_space_and_line_breaks_on_the_way_do_not_matter(data: st.DataObject) -> None:
    text = ALPHA.to_text()
    space = st.text("\u0020\t\r\n\u00a0\u2028\u200b\ufeff", max_size=3)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    bounds = [0, *cuts, len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    worn = "".join(data.draw(space) + piece for piece in pieces) + data.draw(space)
    assert parse(worn) == ALPHA


@given(st.text(max_size=200) | st.text(max_size=200).map(lambda text: PREFIX + text))
def test_what_is_no_invitation_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(PairingError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@given(st.integers(len(PREFIX), len(ALPHA.to_text()) - 1), st.characters(max_codepoint=127, categories=["L", "N"]))
@example(50, "C")  # a certificate of a version that there is not
def test_a_changed_character_is_refused_or_is_another_invitation(place: int, put: str) -> None:
    text = ALPHA.to_text()
    changed = text[:place] + put + text[place + 1 :]
    try:
        found = parse(changed)
    except PairingError:
        return
    assert (found == ALPHA) == (changed == text)


@given(st.integers(1, len(ALPHA.to_text()) - 1))
def test_a_cut_one_is_refused(end: int) -> None:
    with pytest.raises(PairingError, match="paste the whole text"):
        parse(ALPHA.to_text()[:end])


def written(**changes: Any) -> str:
    """ALPHA's text with other fields, as somebody else could write it."""
    fields = {
        "name": ALPHA.name,
        "secure_url": ALPHA.secure_url,
        "plain_url": ALPHA.plain_url,
        "pin": ALPHA.pin,
        "ca": b64encode(ALPHA.ca_der).decode(),
        "receipt_key": ALPHA.receipt_key.hex(),
        **changes,
    }
    kept = {key: value for key, value in fields.items() if value is not ...}
    return PREFIX + urlsafe_b64encode(canonical.dumps(kept)).rstrip(b"=").decode()


def test_written_by_hand_it_is_the_same() -> None:
    assert written() == ALPHA.to_text()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "Al pha"}, "the invitation's name: a gateway's name is"),
        ({"secure_url": "http://alpha:1"}, "the invitation's secure_url: it must begin with https://"),
        ({"secure_url": "https://alpha:1/x"}, "the invitation's secure_url: give only a host and a port"),
        ({"secure_url": "https://Alpha"}, "the invitation's secure_url: write it as https://alpha"),
        ({"plain_url": "https://alpha:1"}, "the invitation's plain_url: it must begin with http://"),
        ({"plain_url": "http://u@alpha:1"}, "the invitation's plain_url: give only a host and a port"),
        ({"pin": "A1" * 32}, "the invitation's pin: not 64 hexadecimal digits"),
        ({"pin": "a1" * 32 + "\n"}, "the invitation's pin: not 64 hexadecimal digits"),
        ({"ca": ""}, "the invitation's certificate authority: not a certificate"),
        ({"ca": "AAAA" * 4000}, "the invitation's certificate authority: longer than 8192 bytes"),
        ({"receipt_key": "00" * 31}, "the invitation's receipt key: not 32 bytes"),
        ({"receipt_key": "xyz"}, "the invitation was cut or changed"),
        ({"pin": 7}, "the invitation was cut or changed"),
        ({"pin": ...}, "the invitation was cut or changed"),
        ({"more": "x"}, "the invitation was cut or changed"),
    ],
)
def test_a_part_that_is_wrong_is_named(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(PairingError, match=f"^{re.escape(reason)}"):
        parse(written(**changes))


def test_an_authority_must_be_one() -> None:
    _, leaf = make.issue(make.new_authority(NOW), "alpha", NOW)
    with pytest.raises(PairingError, match="not a self-signed certificate authority"):
        replace(ALPHA, ca_der=leaf.public_bytes(Encoding.DER))


def test_another_spelling_of_the_same_json_is_refused() -> None:
    encoded = ALPHA.to_text().removeprefix(PREFIX)
    spaced = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).replace(b",", b", ", 1)
    with pytest.raises(PairingError, match="was cut or changed"):
        parse(PREFIX + urlsafe_b64encode(spaced).rstrip(b"=").decode())


def test_another_version_and_too_long_a_text_are_reported() -> None:
    with pytest.raises(PairingError, match="of another version"):
        parse("sieve-invitation-1.abc")
    with pytest.raises(PairingError, match="too long"):
        parse(ALPHA.to_text() + " " * 40_000)


def test_each_side_has_the_code_that_the_other_expects() -> None:
    codes = comparison_codes(ALPHA, BRAVO)
    assert comparison_codes(BRAVO, ALPHA) == Codes(ours=codes.theirs, theirs=codes.ours)
    assert codes.ours != codes.theirs
    for code in (codes.ours, codes.theirs):
        assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}", code)


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(
        [
            {"name": "alpha2"},
            {"secure_url": "https://alpha.example.org:8444"},
            {"plain_url": "http://mallory.example.org:8081"},
            {"pin": "a1" * 31 + "a2"},
            {"ca_der": authority_der(1)},
            {"receipt_key": RECEIPT_KEYS[1]},
        ]
    )
)
def test_every_change_on_the_way_changes_the_code(change: dict[str, Any]) -> None:
    changed, unchanged = comparison_codes(replace(ALPHA, **change), BRAVO), comparison_codes(ALPHA, BRAVO)
    assert changed.ours != unchanged.ours
    assert changed.theirs != unchanged.theirs


CODES = Codes(ours="11111-22222-33333-44444", theirs="7KQ2M-0A1BC-DEFGH-JKMNP")


def test_a_code_may_be_typed_as_people_type() -> None:
    CODES.check(" 7kq2m OaIbc\u2013defgh-jkmnp ", "bravo")


@pytest.mark.parametrize("typed", ["11111-22222-33333-44444", " iiiII 22222 33333 44444"])
def test_our_own_code_is_refused_by_name(typed: str) -> None:
    with pytest.raises(PairingError, match="this is the code of this gateway; enter the code that bravo's admin reads"):
        CODES.check(typed, "bravo")


@pytest.mark.parametrize("typed", ["", "-", "7KQ2M-0A1BC-DEFGH-JKMNQ", "7KQ2M-0A1BC-DEFGH", "7KQ2M-0A1BC-DEFGH-JKMNP0"])
def test_another_code_is_refused(typed: str) -> None:
    with pytest.raises(PairingError, match="this is not the code of bravo"):
        CODES.check(typed, "bravo")
