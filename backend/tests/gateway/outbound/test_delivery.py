"""What arrives: the very bytes that were sent, once, by either mode, whatever the document is made of."""

import json
from dataclasses import asdict

import pytest

from gateway.two_gateways import AUDIT_HEAD, EMPTY, Pair, document
from sieve.channel.attempt import MODES, Mode, Plan
from sieve.channel.receipt import verify
from sieve.core.document import Document

DOCUMENTS = {
    "mixed": document(),
    "several chunks": document(3_000_000, 40),
    "empty": EMPTY,
    "empty span": Document(b"", [(0, 0)]),
    "all classified": Document(b"secret" * 1000, [(0, 6000)]),
    "nothing classified": Document(b"open to all " * 1000, []),
    "a span at either end, touching ones inside": Document(b"abcdef" * 100, [(0, 3), (50, 60), (60, 70), (597, 600)]),
}


async def each_kind_arrives(pair: Pair, plan: Plan | Mode) -> None:
    """With its own receipt, and so do those of its group."""
    for what in DOCUMENTS.values():
        transfer_id = await pair.delivers(what, plan)
        for sent, each in ((transfer_id, what), *pair.companions[transfer_id]):
            row = await pair.alpha.row(sent)
            assert row.receipt is not None
            receipt = verify(row.receipt, pair.bravo.identity.receipt_public_key)
            assert (receipt.transfer_id, receipt.size, receipt.audit_head) == (sent, each.size, AUDIT_HEAD)
            assert row.verified_at_ns is not None and row.delivered_at_ns is not None
            assert row.verified_at_ns <= row.delivered_at_ns


@pytest.mark.parametrize("mode", MODES)
async def test_every_kind_of_document_arrives(pair_over_any: Pair, mode: Mode) -> None:
    await each_kind_arrives(pair_over_any, mode)


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(Plan("sieve", 1, 2), marks=pytest.mark.soak),
        pytest.param(Plan("sieve", 2, 1), marks=pytest.mark.soak),
        Plan("sieve", 8, 8),
        Plan("sieve", 2, 3, "es"),
        Plan("sieve", 3, 2, "ss"),
        Plan("secure-only", 2, 1, "es"),
    ],
    ids=lambda plan: f"{plan.mode} {plan.secure_channels}+{plan.plain_channels} {plan.split}",
)
async def test_by_every_other_plan_for_one_document(pair: Pair, plan: Plan) -> None:
    """`test_batches.py` has those for several documents."""
    await each_kind_arrives(pair, plan)


async def test_the_figures_of_a_delivered_transfer(pair_over_any: Pair) -> None:
    """For each document of a batch: they share channels, but each has its own times."""
    pair = pair_over_any
    first, again = await pair.delivers(document()), await pair.delivers(document())
    for transfer_id, is_first in ((first, True), (again, False)):
        for sent in (transfer_id, *(companion for companion, _ in pair.companions[transfer_id])):
            figures = await pair.alpha.transfer_queue.timings(await pair.alpha.row(sent))
            assert figures is not None
            assert (figures.establishment > 0) == is_first  # the channels are kept open
            assert 0 < figures.data_transfer <= figures.stored
            assert figures.response >= figures.data_transfer + figures.integrate
            assert json.dumps(figures.to_json())
            [record] = await pair.alpha.timing_records(sent)
            assert {name: getattr(record, f"{name}_us") for name in asdict(figures)} == {
                name: round(ms * 1000) for name, ms in asdict(figures).items()
            }


async def test_both_gateways_record_what_a_delivered_transfer_took(pair_over_any: Pair) -> None:
    pair = pair_over_any
    for mode in MODES:
        first = await pair.delivers(document(), mode)
        for transfer_id, what in ((first, document()), *pair.companions[first]):
            [sent] = await pair.alpha.timing_records(transfer_id)
            [received] = await pair.bravo.timing_records(transfer_id)
            for record in (sent, received):
                assert (record.outcome, record.mode, record.attempt) == ("delivered", mode, 1)
                # A busy machine may be too slow for the plain channel.
                assert record.cause in ("", "plain-channel")
                assert record.size == what.size == record.secure_bytes + record.plain_bytes
                assert record.classified_size == what.spans.classified_size
                assert record.secure_bytes == (what.size if mode == "secure-only" else record.classified_size)
                assert not record.clock_moved
            for shared in ("secure_channels", "plain_channels", "batch", "suite", "key_exchange"):
                assert getattr(sent, shared) == getattr(received, shared)
            assert sent.suite.startswith("TLS_") and sent.key_exchange
            assert sent.batch == 1 + len(pair.companions[first])
            assert (sent.direction, received.direction) == ("sent", "received")
            # The author named the mode, so this says nothing about the planner.
            assert sent.waiting_us is not None and sent.predicted_us is sent.other_us is None
            assert received.waiting_us is received.sieve_us is received.establishment_us is None
            assert received.response_us == received.total_us
            assert received.stored_us is not None and received.stored_us > (received.response_us or 0) > 0
