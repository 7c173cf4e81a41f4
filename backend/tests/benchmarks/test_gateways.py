"""What is asked of a gateway for a case, and whether it did that."""

from typing import Any

import pytest
from benchmarks.cases import Link, case
from benchmarks.gateways import asked, joined, other_than_asked

ONE = case("channels", 1, 0.1, "sieve")
MANY = case("many", 1, 0.1, "sieve", 3, split="es")


def test_only_what_a_case_uses_is_named() -> None:
    assert asked(ONE, ["d"]).keys() == {"peer", "recipients", "mode", "document_id"}
    assert asked(case("channels", 1, 0.1, "auto"), ["d"])["mode"] == "auto"
    body = asked(MANY, ["d"])
    assert (body["secure_channels"], body["plain_channels"], body["split"]) == (3, 3, "es")
    alone = asked(case("many", 1, 0.1, "secure-only", 3, split="es"), ["d"])
    assert alone["secure_channels"] == 3
    assert "plain_channels" not in alone


def test_a_batch_names_its_documents() -> None:
    body = asked(case("batches", 3, 0.5, "sieve", 2, split="bes", files="UFS"), ["a", "b", "c"])
    assert body["document_ids"] == ["a", "b", "c"]
    assert "document_id" not in body


def test_file_sets_are_the_thesiss() -> None:
    assert case("batches", 7, 0.5, "sieve", files="UFS").documents == ((1, 0.1), (7, 0.5), (1, 0.9))
    assert case("batches", 7, 0.5, "sieve", files="EFS").documents == ((7, 0.5),) * 3
    assert case("batches", 7, 0.5, "sieve", files="UFS").secure_mb == pytest.approx(0.1 + 3.5 + 0.9)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"mode": "sieve", "secure_channels": 3, "plain_channels": 3, "split": "es"}, None),
        (None, None),
        (
            {"mode": "sieve", "secure_channels": 1, "plain_channels": 1, "split": "range", "note": "bravo is older"},
            "it went with secure_channels 1, plain_channels 1, split range instead (bravo is older)",
        ),
    ],
)
def test_another_plan_is_reported(plan: dict[str, Any] | None, says: str | None) -> None:
    assert other_than_asked(MANY, plan) == says


def test_auto_may_do_anything() -> None:
    assert other_than_asked(case("channels", 1, 0.1, "auto"), {"mode": "secure-only", "secure_channels": 5}) is None


def test_a_batch_lasts_as_long_as_its_longest_document() -> None:
    one = {
        "sieve": 1.0,
        "split": 0.1,
        "establishment": 4.0,
        "data_transfer": 10.0,
        "combine": 0.2,
        "integrate": 0.5,
        "response": 11.8,
        "total": 15.8,
        "stored": 20.0,
    }
    other = {**one, "data_transfer": 12.0, "response": 13.8, "total": 17.8}
    both = joined([one, other])
    assert both["data_transfer"] == 12.0
    assert both["response"] == pytest.approx(12.0 + 0.1 + 0.2 + 2.0 + 1.0)
    assert both["total"] == pytest.approx(both["response"] + 4.0)
    assert both["stored"] == pytest.approx(20.0 - 1.0 + 2.0)
    assert joined([one]) == one


def test_a_batch_of_secure_only_does_not_count_the_sieve() -> None:
    one = {
        "sieve": 1.0,
        "split": 0.0,
        "establishment": 0.0,
        "data_transfer": 10.0,
        "combine": 0.0,
        "integrate": 0.5,
        "response": 10.0,
        "total": 10.0,
        "stored": 20.0,
    }
    assert joined([one, one])["response"] == 10.0


def test_one_link_for_both_has_one_rate() -> None:
    assert Link(54, 54).is_shared
    assert not Link(10, 100).is_shared
