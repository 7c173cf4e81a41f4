"""When a point has enough, which cases a form takes, how the time is shared out."""

from itertools import pairwise

import pytest
from benchmarks.cases import CBC, Link, case
from benchmarks.deployments import Deployment, deployment_of
from benchmarks.forms import FULL, OPENING_S, SHORT, WEIGHTS, Form, share
from benchmarks.thesis.exhibits import EXHIBITS, cases

WIDE = [10.0, 20.0] * 5
NARROW = [10.0, 10.01] * 5
COLD = case("cold", 1, 0.1, "sieve", warm=False)


def test_a_point_ends_once_its_interval_is_narrow() -> None:
    assert FULL.is_done(NARROW)
    assert not FULL.is_done(WIDE)


def test_a_point_never_ends_with_fewer_than_least() -> None:
    assert not FULL.is_done(NARROW[:-1])


def test_a_point_ends_at_500_transfers_however_wide() -> None:
    assert not FULL.is_done(WIDE * 49)
    assert FULL.is_done(WIDE * 50)


def test_the_short_form_needs_fewer_and_leaves_out_what_takes_long() -> None:
    assert SHORT.is_done(NARROW[: SHORT.least])
    protected = case("protected", 10, 0.1, "secure-only", link=Link(10, 100))
    assert FULL.takes(protected)
    assert not SHORT.takes(protected)


def test_the_full_form_takes_everything_that_is_measured() -> None:
    assert all(FULL.takes(case) == case.is_measured for case in cases())


def test_the_short_form_has_points_of_every_exhibit() -> None:
    for exhibit in EXHIBITS:
        assert any(SHORT.takes(case) for case in exhibit.cases() if case.is_measured), exhibit.name


@pytest.mark.parametrize("form", [SHORT, FULL])
def test_blocks_hold_every_case_once_with_deployments_together(form: Form) -> None:
    blocks = form.blocks(cases())
    held = [case for block in blocks for case in block.cases]
    assert sorted(map(repr, held)) == sorted(repr(case) for case in cases() if form.takes(case))
    assert blocks[0].experiment == "channels"
    deployments = [block.deployment for block in blocks]
    changes = sum(a != b for a, b in pairwise(deployments))
    assert changes == len(set(deployments)) - 1


def test_time_is_shared_by_weight_and_the_last_block_has_the_rest() -> None:
    blocks = FULL.blocks([case("channels", 1, p, "sieve") for p in (0.1, 0.5)] + [COLD])
    both = 2 * WEIGHTS["channels"]
    assert share(blocks, 70.0) == pytest.approx(70.0 * both / (both + WEIGHTS["cold"]))
    assert share(blocks[1:], 30.0) == 30.0


def test_deployments_that_are_yet_to_be_opened_have_their_time() -> None:
    blocks = FULL.blocks([COLD, case("suites", 1, 0.1, "sieve", cipher=CBC)])
    whole = WEIGHTS["cold"] + WEIGHTS["suites"]
    assert share(blocks, 50.0) == pytest.approx((50.0 - OPENING_S) * WEIGHTS["cold"] / whole)
    assert share(blocks, OPENING_S / 2) == 0.0


def test_forms_end_in_time() -> None:
    assert SHORT.ends_after_s < 6 * 60
    assert FULL.ends_after_s < 60 * 60


def test_deployments_differ_by_cipher_links_and_what_is_burnt() -> None:
    assert deployment_of(case("channels", 1, 0.1, "sieve")) == Deployment()
    assert deployment_of(case("3des", 1, 0.1, "sieve", emulated="3des")) == Deployment(is_emulated=True)
    assert deployment_of(case("suites", 1, 0.1, "sieve", cipher="TLS_AES_128_GCM_SHA256")) == Deployment(
        "TLS_AES_128_GCM_SHA256"
    )
