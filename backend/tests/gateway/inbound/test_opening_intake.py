"""The receiver against senders made by hand: which openings it lets in."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from databases import ON_SERVER
from gateway.by_hand import ByHand, manifest_of, nothing_left, open_there, refusal, under_way
from gateway.two_gateways import EMPTY, RECEIVING, Pair, document, paired, until
from sieve.channel.receiver import Limits
from sieve.gateway.errors import PeerRefused
from sieve.store.queries import inbox

DOCUMENT = document(200_000, 3)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def test_a_repeated_opening_gets_the_very_same_receipt(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    first = await hand.outcome()
    assert first["durations"]["integrate_ns"] > 0
    for number in (1, 2, 7):
        again = ByHand.of(pair, DOCUMENT, number=number, manifest=hand.manifest)
        again.begin()
        again.whole_secure_stream()
        assert await again.hear() == {"is": "receipt", "receipt": first["receipt"], "durations": None}
    await pair.arrived(hand.manifest.transfer_id, DOCUMENT)
    await nothing_left(pair, documents=1)


async def test_the_same_id_with_another_manifest_is_a_conflict(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    await open_there(pair, hand)
    other = manifest_of(DOCUMENT, transfer_id=hand.manifest.transfer_id, name="other.txt")
    for _ in ("while it is under way", "after it was delivered"):
        rival = ByHand.of(pair, DOCUMENT, number=9, manifest=other)
        rival.begin()
        rival.whole_secure_stream()
        refused = await refusal(rival)
        assert (refused.kind, refused.permanent) == ("conflict", True)
        if _ == "while it is under way":
            await hand.whole()
            assert (await hand.outcome())["is"] == "receipt"
    await nothing_left(pair, documents=1)


async def test_a_lower_attempt_is_refused_and_a_higher_one_takes_over(pair: Pair) -> None:
    second = ByHand.of(pair, DOCUMENT, number=2)
    second.begin()
    await open_there(pair, second)
    for number in (1, 2):
        late = ByHand.of(pair, DOCUMENT, number=number, manifest=second.manifest)
        late.begin()
        late.whole_secure_stream()
        refused = await refusal(late)
        assert (refused.kind, refused.permanent) == ("stale", False)
    third = ByHand.of(pair, DOCUMENT, number=3, manifest=second.manifest)
    third.begin()
    third.whole_secure_stream()
    await open_there(pair, third)
    await third.whole_plain_stream()
    assert (await third.outcome())["is"] == "receipt"
    await second.cut()
    await nothing_left(pair, documents=1)


async def test_a_handle_in_use_is_refused(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    attempt = await open_there(pair, hand)
    another_peer = replace(attempt.peer, id="ab" * 16)
    assert pair.bravo.attempts.by_handle(another_peer, hand.attempt.handle) is None, "it is alpha's alone"
    other = ByHand.of(pair, DOCUMENT, handle=hand.attempt.handle)
    other.begin()
    other.whole_secure_stream()
    assert (await refusal(other)).kind == "conflict"
    hand.whole_secure_stream()
    await hand.whole_plain_stream()
    assert (await hand.outcome())["is"] == "receipt"


async def test_unknown_recipients_are_named_and_nothing_is_made(pair: Pair) -> None:
    hand = ByHand.of(pair, DOCUMENT, recipients=("bruno", "nobody", "anna"))
    hand.begin()
    hand.whole_secure_stream()
    refused = await refusal(hand, alone=True)
    assert (refused.kind, refused.permanent) == ("unknown-recipient", True)
    assert "nobody named nobody, anna can receive at bravo" in str(refused)
    await nothing_left(pair)


async def test_a_recipient_who_is_gone_by_the_commit_leaves_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(_session: object, _peer: str, deliveries: Sequence[inbox.Delivery], _now: int) -> inbox.Delivered:
        return inbox.Delivered({delivery.transfer_id: ["bruno"] for delivery in deliveries}, set())

    monkeypatch.setattr(inbox, "deliver", gone)
    hand = ByHand.of(pair, DOCUMENT)
    hand.begin()
    hand.whole_secure_stream()
    await open_there(pair, hand)
    await hand.whole_plain_stream()
    outcome = await hand.outcome()
    assert outcome["permanent"] and "nobody named bruno" in outcome["detail"]
    await nothing_left(pair)


async def test_past_its_deadline_it_is_refused_for_good(pair: Pair) -> None:
    hand = ByHand.of(pair, EMPTY, deadline_at_ns=time.time_ns() - 1)
    hand.begin()
    hand.whole_secure_stream()
    refused = await refusal(hand, alone=True)
    assert (refused.kind, refused.permanent) == ("expired", False)


async def test_limits_of_size_count_and_quota(tmp_path: Path, template: Path) -> None:
    tight = replace(RECEIVING, limits=Limits(300_000, 2), quota=500_000)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        large = ByHand.of(pair, document(300_001, 0))
        large.begin()
        large.whole_secure_stream()
        assert (await refusal(large)).kind == "too-large"
        first = ByHand.of(pair, document(300_000, 2))
        first.begin()
        await open_there(pair, first)
        second = ByHand.of(pair, document(200_001, 2))
        second.begin()
        second.whole_secure_stream()
        over = await refusal(second)
        assert (over.kind, over.permanent) == ("busy", False) and "quota" in str(over)
        # A newer attempt at the same transfer takes the place of the older one: it is not counted twice.
        third = ByHand.of(pair, document(300_000, 2), number=2, manifest=first.manifest)
        third.begin()
        await open_there(pair, third)
        await until(lambda: under_way(pair) == 1)
        fifth = ByHand.of(pair, document(2000, 1))
        fifth.begin()
        await open_there(pair, fifth)
        sixth = ByHand.of(pair, EMPTY)
        sixth.begin()
        sixth.whole_secure_stream()
        busy = await refusal(sixth)
        assert (busy.kind, busy.permanent) == ("busy", False)
        for hand in (first, third, fifth):
            await hand.cut()
        await nothing_left(pair)


async def test_openings_that_are_never_finished_are_few_and_do_not_last(tmp_path: Path, template: Path) -> None:
    tight = replace(RECEIVING, limits=Limits(10**6, 2), opening_s=0.4)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        hands = [ByHand.of(pair, DOCUMENT) for _ in range(3)]
        connections = pair.bravo.secure.server_state.connections
        for count, hand in enumerate(hands[:2], 1):
            hand.begin(opening=hand.opening.to_bytes()[:50])
            await until(lambda at=count: sum(1 for c in connections if c.cycle) == at)  # type: ignore[misc, union-attr]
        hands[2].begin()
        hands[2].whole_secure_stream()
        refused = await refusal(hands[2])
        assert (refused.kind, refused.permanent) == ("busy", False)
        await until(lambda: all(c.cycle.response_complete for c in connections if c.cycle))  # type: ignore[union-attr]
        for hand in hands[:2]:
            hand.secure(hand.opening.to_bytes()[50:])
            hand.whole_secure_stream()
            assert "the opening was not whole within" in str(await refusal(hand))


async def test_what_is_no_opening_is_refused(pair: Pair) -> None:
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    for opening in (b"", b"GET / HTTP/1.1\r\n\r\n", b"SIEVE1\0\0\0\0", b"SIEVE1\0\0\0\x02{}"):
        with pytest.raises(PeerRefused) as refused:
            await pair.alpha.links.to(peer).ask("POST", "/v1/transfers", content=opening)
        assert refused.value.permanent and refused.value.kind == "protocol"
    await nothing_left(pair)


async def test_questions_have_bounds(pair: Pair) -> None:
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    link = pair.alpha.links.to(peer)
    for content in (b'{"names": ["' + b"x" * 300_000 + b'"]}', b"{", b'{"names": 1}', b'{"names": ["\\ud800"]}'):
        with pytest.raises(PeerRefused) as refused:
            await link.ask("POST", "/v1/recipients", content=content)
        assert refused.value.kind == "protocol"
    assert [recipient.name for recipient in await link.recipients()] == ["bruno"]
    assert await link.receipt("no such transfer") is None


async def test_the_character_nul_is_refused_or_names_nothing(pair: Pair) -> None:
    """PostgreSQL takes no text with it; in SQLite none has it."""
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    link = pair.alpha.links.to(peer)
    report = {"recipient": "bruno", "opened_at_ns": 1}
    for method, path, asked, found in (
        ("GET", "/v1/transfers/a%00b/receipt", None, {"receipt": None}),
        ("POST", "/v1/recipients", {"names": ["bru\0no"]}, {"recipients": []}),
        ("POST", "/v1/transfers/a%00b/opened", report, None),
        ("POST", "/v1/transfers/ab/opened", report | {"recipient": "bru\0no"}, None),
    ):
        if found is not None and not ON_SERVER:
            assert await link.ask(method, path, json=asked) == found
            continue
        with pytest.raises(PeerRefused) as refused:
            await link.ask(method, path, json=asked)
        assert refused.value.permanent
        assert refused.value.kind == ("protocol" if ON_SERVER else "refused"), path
