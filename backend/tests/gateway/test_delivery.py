"""What arrives: the very bytes that were sent, once, by either mode, whatever the document is made of."""

import json

import pytest

from gateway.two_gateways import AUDIT_HEAD, EMPTY, Pair, document
from sieve.channel.attempt import MODES, Plan
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


@pytest.mark.parametrize(
    "plan",
    [
        *(Plan(mode, secure, plain) for mode in MODES for secure, plain in ((1, 1), (3, 2))),
        Plan("sieve", 1, 2),
        Plan("sieve", 2, 1),
        Plan("sieve", 8, 8),
        Plan("sieve", 2, 3, "es"),
        Plan("sieve", 3, 2, "ss"),
        Plan("secure-only", 2, 1, "es"),
    ],
    ids=lambda plan: f"{plan.mode} {plan.secure_channels}+{plan.plain_channels} {plan.split}",
)
async def test_every_kind_of_document_arrives(pair: Pair, plan: Plan) -> None:
    for what in DOCUMENTS.values():
        transfer_id = await pair.delivers(what, plan)
        row = await pair.alpha.row(transfer_id)
        assert row.receipt is not None
        receipt = verify(row.receipt, pair.bravo.identity.receipt_public_key)
        assert (receipt.transfer_id, receipt.size, receipt.audit_head) == (transfer_id, what.size, AUDIT_HEAD)
        assert row.verified_at_ns is not None and row.delivered_at_ns is not None
        assert row.verified_at_ns <= row.delivered_at_ns


async def test_the_figures_of_a_delivered_transfer(pair: Pair) -> None:
    first = await pair.alpha.dispatch.timings(await pair.alpha.row(await pair.delivers(document())))
    again = await pair.alpha.dispatch.timings(await pair.alpha.row(await pair.delivers(document())))
    assert first is not None and again is not None
    assert first.establishment > 0 and again.establishment == 0  # the channels are kept open
    for figures in (first, again):
        assert 0 < figures.data_transfer <= figures.stored
        assert figures.response >= figures.data_transfer + figures.integrate
        assert json.dumps(figures.to_json())
