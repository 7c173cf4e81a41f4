"""The values of timing records: times that were measured, sizes by channel, and what is left out."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sieve.channel.refusals import RefusalKind
from sieve.gateway.outbound.outcomes import cause_of_refusal
from sieve.gateway.telemetry.timing import ReceiverDurations
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarks
from sieve.gateway.telemetry.timing_record import ReceivedDocument, SentAttempt, of_received, of_sent
from sieve.store.models import TimingRecord
from sieve.store.models.timings import FIGURES
from sieve.store.queries.timing_records import SentTransfer

MS = 1_000_000
TRANSFER = SentTransfer("t", "bravo", 3, "auto", 1000 * MS, 100, 40, 7 * MS, 700.0, ())
PLAN = {
    "mode": "sieve",
    "secure_channels": 1,
    "plain_channels": 2,
    "cipher": "TLS_AES_256_GCM_SHA384",
    "key_exchange": "x25519",
    "batch": 3,
    "estimate": {"reason": "faster", "predicted_ms": 12.5, "other_ms": 20.0},
}
DURATIONS = ReceiverDurations(combine_ns=1 * MS, integrate_ns=2 * MS, verify_ns=3 * MS, commit_ns=4 * MS)
SENT = TimingMarks(
    taken=[
        TimingMark("claimed", "", 1500 * MS),
        TimingMark("splitting", "", 1501 * MS),
        TimingMark("split", "", 1502 * MS),
        TimingMark("first-byte", "secure-0", 1510 * MS),
        TimingMark("verified-heard", "", 1540 * MS),
        TimingMark("receipt-heard", "", 1560 * MS),
    ]
)
COLUMNS = {column.key for column in TimingRecord.__table__.columns} - {"id", "sample"}


def test_a_delivered_attempt() -> None:
    values = of_sent(TRANSFER, SentAttempt(2, SENT, PLAN, DURATIONS), "delivered", "", 1570 * MS)
    assert set(values) == COLUMNS
    assert {name: values[f"{name}_us"] for name in FIGURES} == {
        "waiting": 500_000,
        "sieve": 7000,
        "split": 1000,
        "establishment": 0,
        "data_transfer": 30_000,
        "combine": 1000,
        "integrate": 2000,
        "storing": 7000,
        "response": 41_000,
        "total": 41_000,
        "stored": 58_000,
    }
    assert (values["predicted_us"], values["other_us"]) == (12_500, 20_000)
    assert (values["turnaround_us"], values["expected_us"]) == (560_000, 700_000)
    assert (values["mode"], values["batch"], values["attempt"]) == ("sieve", 3, 2)
    assert (values["suite"], values["key_exchange"]) == ("TLS_AES_256_GCM_SHA384", "x25519")
    assert (values["size"], values["secure_bytes"], values["plain_bytes"]) == (100, 40, 60)
    assert not values["clock_moved"]


def test_a_mode_that_the_author_chose_is_no_estimate_of_the_planner() -> None:
    plan = PLAN | {"estimate": {"reason": "requested", "predicted_ms": 12.5, "other_ms": 20.0}}
    values = of_sent(TRANSFER, SentAttempt(2, SENT, plan, DURATIONS), "delivered", "", 1570 * MS)
    assert (values["predicted_us"], values["other_us"]) == (None, None)
    assert (values["turnaround_us"], values["expected_us"]) == (560_000, 700_000)


def test_a_connection_that_the_authors_request_opened_counts() -> None:
    opened = replace_connected(("connecting", "secure-0", 900 * MS), ("handshaken", "secure-0", 920 * MS))
    values = of_sent(opened, SentAttempt(1, SENT, PLAN, DURATIONS), "delivered", "", 1570 * MS)
    assert (values["establishment_us"], values["total_us"]) == (20_000, 61_000)


def test_times_that_a_peer_makes_up_add_up_in_64_bits() -> None:
    made_up = ReceiverDurations(*[2**62 - 1] * 4)
    transfer = TRANSFER._replace(expected_ms=1e300)
    plan = PLAN | {"estimate": {"reason": "faster", "predicted_ms": 1e300, "other_ms": 1e300}}
    values = of_sent(transfer, SentAttempt(2, SENT, plan, made_up), "delivered", "", 1570 * MS)
    times = [values[f"{name}_us"] for name in (*FIGURES, "predicted", "other", "expected", "turnaround")]
    assert 1_000_000 * max(times) < 2**63
    assert values["data_transfer_us"] == 30_000


def replace_connected(*connected: tuple[str, str, int]) -> SentTransfer:
    return TRANSFER._replace(connected=connected)


def test_only_an_attempt_that_brought_the_receipt_has_times() -> None:
    for outcome in ("retry", "failed", "cancelled", "delivered"):
        values = of_sent(TRANSFER, SentAttempt(1, SENT, PLAN), outcome, TimingCause.OTHER, 1570 * MS)
        assert {name for name in FIGURES if values[f"{name}_us"] is not None} == {"waiting"}
        # A receipt that a later question brought ends a wait, too.
        assert values["turnaround_us"] == (560_000 if outcome == "delivered" else None)
    asked = TimingMarks(taken=[TimingMark("claimed", "", 1500 * MS)])
    values = of_sent(TRANSFER, SentAttempt(2, asked), "delivered", "", 1570 * MS)
    assert (values["turnaround_us"], values["expected_us"]) == (570_000, 700_000)


def test_a_transfer_that_ended_in_the_queue_used_nothing() -> None:
    ended = of_sent(TRANSFER, SentAttempt(0, TimingMarks()), "cancelled", TimingCause.CANCELLED, 1200 * MS)
    assert set(ended) == COLUMNS
    assert all(ended[f"{name}_us"] is None for name in FIGURES)
    assert (ended["mode"], ended["suite"], ended["batch"]) == ("auto", "", 1)
    assert (ended["secure_bytes"], ended["plain_bytes"], ended["secure_channels"]) == (0, 0, 0)


@given(
    claimed=st.integers(0, 3000 * MS),
    ended=st.integers(0, 3000 * MS),
    times=st.lists(st.integers(0, 3000 * MS), min_size=4, max_size=4),
)
def test_no_time_is_negative_when_the_clock_was_set_back(claimed: int, ended: int, times: list[int]) -> None:
    first, verified, receipt, split = times
    marks = TimingMarks(
        taken=[
            TimingMark("claimed", "", claimed),
            TimingMark("splitting", "", split),
            TimingMark("split", "", first),
            TimingMark("first-byte", "secure-0", first),
            TimingMark("verified-heard", "", verified),
            TimingMark("receipt-heard", "", receipt),
        ]
    )
    values = of_sent(TRANSFER, SentAttempt(1, marks, PLAN, DURATIONS), "delivered", "", ended)
    assert all(values[f"{name}_us"] >= 0 for name in FIGURES)
    moved = min(claimed, ended) < TRANSFER.created_at_ns
    assert values["clock_moved"] == moved
    assert values["turnaround_us"] is None if moved else values["turnaround_us"] >= 0


def test_a_received_document() -> None:
    document = ReceivedDocument("t", 2, "alpha", "sieve", 100, 40, 1, 2, "TLS_AES_256_GCM_SHA384", "x25519", 3)
    marks = TimingMarks(
        taken=[
            TimingMark("announced", "", 10 * MS),
            TimingMark("combining", "", 10 * MS),
            TimingMark("combined", "", 11 * MS),
            TimingMark("verified", "", 30 * MS),
            TimingMark("integrating", "", 31 * MS),
            TimingMark("integrated", "", 34 * MS),
            TimingMark("digests-fit", "", 36 * MS),
        ]
    )
    values = of_received(document, marks, 40 * MS, 41 * MS)
    moved = of_received(document, marks, 40 * MS, 41 * MS, clock_moved=True)
    assert moved == {**values, "clock_moved": True}
    assert set(values) == COLUMNS
    assert {name: us for name in FIGURES if (us := values[f"{name}_us"]) is not None} == {
        "data_transfer": 20_000,
        "combine": 1000,
        "integrate": 3000,
        "storing": 7000,
        "response": 24_000,
        "total": 24_000,
        "stored": 31_000,
    }
    secure = of_received(replace(document, mode="secure-only"), marks, 40 * MS, 41 * MS)
    assert (secure["response_us"], secure["integrate_us"]) == (21_000, 3000)
    assert (secure["secure_bytes"], secure["plain_bytes"]) == (100, 0)


def test_every_kind_of_refusal_has_its_cause() -> None:
    causes = {kind: cause_of_refusal(kind) for kind in RefusalKind}
    assert {kind: cause for kind, cause in causes.items() if cause is not TimingCause.PEER_REFUSED} == {
        RefusalKind.BUSY: TimingCause.PEER_BUSY,
        RefusalKind.EXPIRED: TimingCause.DEADLINE,
        RefusalKind.FULL: TimingCause.PEER_FULL,
        RefusalKind.PLAIN_LISTENER: TimingCause.PLAIN_CHANNEL,
        RefusalKind.UNKNOWN_RECIPIENT: TimingCause.UNKNOWN_RECIPIENT,
    }


def test_no_column_says_where_classified_text_is() -> None:
    """Sizes are totals of a transfer; everything else is a time, a count of channels, or a name."""
    assert COLUMNS - {f"{name}_us" for name in FIGURES} == {
        "at_ns",
        "direction",
        "transfer_id",
        "attempt",
        "peer_id",
        "outcome",
        "cause",
        "mode",
        "size",
        "classified_size",
        "secure_bytes",
        "plain_bytes",
        "secure_channels",
        "plain_channels",
        "suite",
        "key_exchange",
        "batch",
        "predicted_us",
        "other_us",
        "turnaround_us",
        "expected_us",
        "clock_moved",
    }
