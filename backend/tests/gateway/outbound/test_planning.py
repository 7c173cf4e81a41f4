"""The planner between two gateways: what it chooses, why, what it learns, and that it is remembered."""

import json
from typing import cast

import pytest

from gateway.two_gateways import RECIPIENT, Pair, document
from sieve.channel.attempt import Mode, Plan
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.outbound.planner.forecasts import LEAST, Record
from sieve.gateway.outbound.planning import KEEP_EVERY_NS, LEARN_EVERY_NS, Planning
from sieve.gateway.telemetry.timing import NS_PER_MS, ReceiverDurations
from sieve.gateway.telemetry.timing_marks import PLAIN, SECURE, TimingMarks
from sieve.store.models import Transfer
from sieve.store.queries import outbox, peer_costs

DOCUMENT = document(200_000, 5, 20_000)
# As many classified bytes as padding leaves alone.
WORK = Work(100_352, 100_000)
NOTHING = ReceiverDurations(0, 0, 0, 0)


def took(ms: int) -> TimingMarks:
    """The marks of an attempt over open channels that took so long."""
    marks = TimingMarks()
    marks.at("first-byte", SECURE, 0)
    marks.at("verified-heard", at_ns=ms * NS_PER_MS)
    return marks


async def delivered(pair: Pair, wish: Wish) -> Transfer:
    """A transfer that was left to the planner, once it is delivered."""
    kept = await pair.alpha.keep(DOCUMENT, pair.anna)
    mode = "sieve" if wish.mode == "auto" else wish.mode
    [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": [RECIPIENT]}, Plan(mode), wish=wish)
    assert (await pair.alpha.ended(sent.id)).state == "delivered"
    async with pair.alpha.database.read() as session:
        row = await outbox.by_id(session, sent.id)
    assert row is not None
    return row


async def test_left_to_the_planner_a_transfer_says_how_and_why(pair: Pair) -> None:
    transfer = await delivered(pair, Wish())
    [record] = await pair.alpha.timing_records(transfer.id)
    assert record.predicted_us is not None and record.other_us is not None
    assert transfer.mode == "auto"
    plan = json.loads(transfer.plan or "")
    assert plan["mode"] in ("sieve", "secure-only")
    assert plan["secure_channels"] == 1
    estimate = plan["estimate"]
    assert estimate["reason"] == "faster"
    assert not estimate["measured"]
    assert min(estimate["predicted_ms"], estimate["other_ms"]) > 0
    assert plan["split"] == "range"
    figures = await pair.alpha.transfer_queue.timings(transfer)
    assert figures is not None and figures.response > 0


async def test_nothing_travels_plain_if_the_author_saw_an_estimate_of_the_secure_channel_alone(pair: Pair) -> None:
    planning, peer_id, plain = pair.alpha.worker.deps.planning, pair.alpha.peers.all()[0].id, document(2_000_000, 1, 1)
    await planning.preview(pair.alpha.database, peer_id, WORK, Wish(), 0, warm=True)
    for estimated, mode in (("secure-only", "secure-only"), ("sieve", "sieve"), (None, "sieve")):
        # Whatever was measured meanwhile: for this document, the guess is that both channels are faster.
        planning.peers[peer_id].costs, planning.peers[peer_id].last = Costs(), None
        kept = await pair.alpha.keep(plain, pair.anna)
        shown = {"bravo": cast(Mode | None, estimated)}
        [sent] = await pair.alpha.transfer_queue.send(
            pair.anna, [kept], {"bravo": [RECIPIENT]}, Plan("sieve"), wish=Wish(), estimated=shown
        )
        assert json.loads(sent.plan or "")["mode"] == mode, "already before the first attempt"
        assert (await pair.alpha.ended(sent.id)).state == "delivered"
        row = await pair.alpha.row(sent.id)
        plan = json.loads(row.plan or "")
        assert (plan["mode"], row.off_plain) == (mode, estimated == "secure-only")
        assert plan["estimate"]["reason"] == ("as-estimated" if estimated == "secure-only" else "faster")


async def test_how_long_an_author_waits_is_forecast_once_it_was_measured(pair: Pair) -> None:
    planning, peer_id = pair.alpha.worker.deps.planning, pair.alpha.peers.all()[0].id

    async def expected_ms(work: Work, *, down: bool = False) -> float | None:
        found = await planning.preview(pair.alpha.database, peer_id, work, Wish("sieve"), 0, warm=True, down=down)
        return found.choice.estimate.expected_ms

    async def sent() -> None:
        await delivered(pair, Wish("sieve"))
        planning.peers[peer_id].learnt_at_ns = -LEARN_EVERY_NS

    assert await expected_ms(WORK) is None
    await sent()
    assert await expected_ms(WORK) is None, "one does not show how good forecasts are"
    for _ in range(7):
        await sent()
    assert len(planning.peers[peer_id].record.good) >= LEAST
    assert await expected_ms(WORK, down=True) is None
    assert await expected_ms(Work(10**9, 10**9)) is None, "nothing like that was measured"


async def test_what_an_author_was_shown_is_recorded_beside_what_came(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    planning, peer_id = pair.alpha.worker.deps.planning, pair.alpha.peers.all()[0].id
    monkeypatch.setattr("sieve.gateway.outbound.planning.forecast_ms", lambda *_, **__: 1234.5)
    await delivered(pair, Wish())
    for good, expected_us in ((0, None), (LEAST, 1_234_500)):
        planning.peers[peer_id].record = Record((True,) * good)
        transfer = await delivered(pair, Wish())
        [record] = await pair.alpha.timing_records(transfer.id)
        assert record.expected_us == expected_us
        assert record.turnaround_us is not None and record.turnaround_us >= (record.waiting_us or 0) > 0
        [received] = await pair.bravo.timing_records(transfer.id)
        assert received.expected_us is received.turnaround_us is None


@pytest.mark.parametrize("mode", ["sieve", "secure-only"])
async def test_a_mode_that_was_asked_for_is_what_is_done(pair: Pair, mode: str) -> None:
    for _ in range(3):
        transfer = await delivered(pair, Wish("sieve" if mode == "sieve" else "secure-only"))
        plan = json.loads(transfer.plan or "")
        assert (transfer.mode, plan["mode"]) == (mode, mode)
        assert plan["estimate"]["reason"] == "requested"


async def test_what_was_learnt_outlives_a_restart(pair: Pair) -> None:
    planning, first = pair.alpha.worker.deps.planning, Costs()
    await delivered(pair, Wish())
    peer_id = pair.alpha.peers.all()[0].id
    async with pair.alpha.database.read() as session:
        kept = json.loads(await peer_costs.of(session, peer_id) or "")
    assert kept["costs"]["seen"] == 1
    chosen = (await Planning().preview(pair.alpha.database, peer_id, WORK, Wish("sieve"), 0, warm=True)).choice
    same = (await planning.preview(pair.alpha.database, peer_id, WORK, Wish("sieve"), 0, warm=True)).choice
    assert chosen.estimate.predicted_ms == same.estimate.predicted_ms != first.predict_ms(WORK, Way("sieve"))


async def test_what_was_kept_by_another_version_is_forgotten(pair: Pair) -> None:
    peer_id = pair.alpha.peers.all()[0].id
    for nonsense in ("[]", '{"costs": 1}', '{"costs": {"v": 99}, "habit": {}}', "{}"):
        async with pair.alpha.database.write() as session:
            await peer_costs.keep(session, peer_id, nonsense, 1)
        chosen = (await Planning().preview(pair.alpha.database, peer_id, WORK, Wish("sieve"), 0, warm=True)).choice
        assert chosen.estimate.predicted_ms == Costs().predict_ms(WORK, Way("sieve"))


async def test_under_load_not_every_transfer_teaches_and_few_are_written_down(pair: Pair) -> None:
    planning, peer_id = Planning(), pair.alpha.peers.all()[0].id
    assert planning.learn(peer_id, WORK, Plan("sieve"), took(5), NOTHING, KEEP_EVERY_NS) is None  # never asked about
    await planning.preview(pair.alpha.database, peer_id, WORK, Wish(), 0, warm=True)
    told = [
        planning.learn(peer_id, WORK, Plan("sieve"), took(5), NOTHING, KEEP_EVERY_NS + number * LEARN_EVERY_NS // 2)
        for number in range(2 * KEEP_EVERY_NS // LEARN_EVERY_NS + 1)
    ]
    assert [number for number, kept in enumerate(told) if kept] == [0, len(told) - 1]
    assert json.loads(told[-1] or "")["costs"]["seen"] == KEEP_EVERY_NS // LEARN_EVERY_NS + 1


async def test_a_receipt_of_an_earlier_attempt_teaches_nothing(pair: Pair) -> None:
    planning, peer_id = Planning(), pair.alpha.peers.all()[0].id
    before = (await planning.preview(pair.alpha.database, peer_id, WORK, Wish(), 0, warm=True)).choice
    assert planning.learn(peer_id, WORK, Plan("sieve"), took(5000), None, KEEP_EVERY_NS) is None
    after = (await planning.preview(pair.alpha.database, peer_id, WORK, Wish(), 0, warm=True)).choice
    assert after.estimate == before.estimate


async def test_set_up_is_learnt_from_new_connections(pair: Pair) -> None:
    planning, peer_id = Planning(), pair.alpha.peers.all()[0].id
    before_ms = (await planning.preview(pair.alpha.database, peer_id, WORK, Wish("sieve"), 0, warm=True)).setup_ms
    marks = took(5)
    for channel, ready, took_ms in ((SECURE, "handshaken", 90), (PLAIN, "connected", 30)):
        marks.at("connecting", channel, 0)
        marks.at("handshaken" if ready == "handshaken" else "connected", channel, took_ms * NS_PER_MS)
    planning.learn(peer_id, WORK, Plan("sieve"), marks, NOTHING, KEEP_EVERY_NS)
    after_ms = (await planning.preview(pair.alpha.database, peer_id, WORK, Wish("sieve"), 0, warm=True)).setup_ms
    assert after_ms > before_ms
