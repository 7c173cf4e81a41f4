"""What the planner chooses: never against the author, nearly the best way for each peer, and never only to measure."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.outbound.planner.simulated_peer import MEGABYTES, PEERS, PROPORTIONS, Truth, scattered, work
from gateway.outbound.planner.test_costs import after, histories, taught, works
from sieve.channel.attempt import Mode
from sieve.gateway.outbound.planner.choice import Wish, choose, together
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.outbound.probing import SIZES

SIEVE, SECURE = Way("sieve"), Way("secure-only")
LAST: Mode = "sieve"
MODES: tuple[Mode, ...] = ("sieve", "secure-only")
counts = st.none() | st.integers(1, 8)
wishes = st.builds(
    Wish, st.sampled_from(["auto", "sieve", "secure-only"]), counts, counts, st.integers(1, 8), st.integers(1, 8)
)
partly_plain = works.filter(lambda each: each.plain > 0)
modes: st.SearchStrategy[Mode | None] = st.sampled_from([None, "sieve", "secure-only"])


@given(histories, works, wishes, modes, st.floats(0, 1e5), st.booleans())
def test_every_choice_keeps_to_what_was_asked(
    history: list[tuple[Work, Way, float]], sent: Work, wish: Wish, last: Mode | None, sieve_ms: float, warm: bool
) -> None:
    found = choose(after(history), sent, wish, last, sieve_ms=sieve_ms, warm=warm)
    if wish.mode != "auto":
        assert found.way.mode == wish.mode
        assert found.estimate.reason == "requested"
    assert 1 <= found.way.secure_channels <= max(wish.most_secure, wish.secure_channels or 1)
    assert found.way.secure_channels == (wish.secure_channels or found.way.secure_channels)
    if found.way.mode == "sieve":
        assert found.way.plain_channels == (wish.plain_channels or found.way.plain_channels)
        assert 1 <= found.way.plain_channels <= max(wish.most_plain, wish.plain_channels or 1)
    edge = found.estimate.break_even
    assert edge in ("always", "never") or 0 <= float(edge) <= 1
    assert found.estimate.predicted_ms > 0 and found.estimate.other_ms > 0


@given(histories, works, wishes, modes)
def test_what_is_classified_as_a_whole_goes_over_the_secure_channel_only(
    history: list[tuple[Work, Way, float]], sent: Work, wish: Wish, last: Mode | None
) -> None:
    whole = replace(sent, classified=sent.classified + 1, plain=0)
    found = choose(after(history), whole, replace(wish, mode="auto"), last)
    assert (found.way.mode, found.estimate.reason) == ("secure-only", "all-classified")
    # Of an empty document, nothing is classified.
    empty = choose(after(history), Work(0, 0), replace(wish, mode="auto"), last)
    assert empty.estimate.reason != "all-classified"


@given(histories, works, works, wishes)
def test_more_takes_longer(history: list[tuple[Work, Way, float]], sent: Work, more: Work, wish: Wish) -> None:
    costs = after(history)
    larger = Work(sent.classified + more.classified, sent.plain + more.plain, sent.documents)
    one, two = (choose(costs, each, wish).estimate for each in (sent, larger))
    # Further channels are opened from a saving of a twentieth on: by so much the larger one may be quicker.
    assert two.predicted_ms >= one.predicted_ms * 0.94


@given(histories, works)
def test_break_even_is_where_the_modes_meet(history: list[tuple[Work, Way, float]], sent: Work) -> None:
    costs = after(history)
    found = choose(costs, sent, Wish(), LAST).estimate.break_even

    def gain(proportion: float) -> float:
        classified = round(sent.size * proportion)
        what = Work(classified, sent.size - classified, sent.documents)
        return costs.predict_ms(what, SECURE) - costs.predict_ms(what, SIEVE)

    if found == "always":
        assert gain(1.0) >= 0
    elif found == "never":
        assert all(gain(step / 50) < 0 for step in range(51))
    else:
        assert gain(float(found)) >= 0
        assert gain(min(1.0, float(found) + 0.001)) <= 0


@pytest.mark.parametrize("name", PEERS)
def test_what_is_chosen_is_within_a_twentieth_of_the_better_mode(name: str) -> None:
    peer = PEERS[name]
    for seed in range(3):
        costs = taught(peer, 400, seed, noise=0.03, outliers=0.0)
        for megabytes in MEGABYTES:
            for proportion in PROPORTIONS:
                sent = work(megabytes, proportion)
                best = min(peer(sent, SIEVE), peer(sent, SECURE))
                for last in MODES:
                    chosen = choose(costs, sent, Wish(), last).way
                    assert peer(sent, chosen) <= best * 1.05, (megabytes, proportion, chosen)


def probed(costs: Costs, peer: Truth, draw: random.Random) -> Costs:
    """The costs after the probes of an idle gateway."""
    for secure, plain in SIZES[1:]:
        sent, way = (Work(secure, plain), SIEVE) if plain else (Work(secure // 2, secure - secure // 2), SECURE)
        costs = costs.learn(sent, way, peer(sent, way) * scattered(draw, 0.1, 0.01))
    return costs


@pytest.mark.parametrize("name", PEERS)
def test_with_probes_and_its_own_choices_it_finds_the_better_mode(name: str) -> None:
    """Nobody asks for a mode, and there are noise and stalls: nearly the better mode from the first transfer on, and
    again soon after the peer became another one."""
    draw, costs, last = random.Random(0), Costs(), None
    for peer, settles, most in ((PEERS[name], 0, 1.1), (PEERS["one link of 100 Mbit/s"], 100, 1.05)):
        took = best = 0.0
        costs = probed(costs, peer, draw)
        for number in range(200):
            if number == 100:
                costs = probed(costs, peer, draw)
            sent = work(draw.choice(MEGABYTES), draw.choice(PROPORTIONS))
            found = choose(costs, sent, Wish(), last)
            last = found.way.mode
            costs = costs.learn(sent, found.way, peer(sent, found.way) * scattered(draw, 0.1, 0.01))
            if number >= settles:
                took += peer(sent, found.way)
                best += min(peer(sent, SIEVE), peer(sent, SECURE))
        assert took <= best * most, took / best


@given(histories, partly_plain, modes)
def test_no_document_is_sent_only_to_measure(
    history: list[tuple[Work, Way, float]], sent: Work, last: Mode | None
) -> None:
    costs = after(history)
    found = choose(costs, sent, Wish(most_secure=8, most_plain=8), last)
    assert found.estimate.reason == "faster"
    if found.way.mode != last:
        assert found.estimate.predicted_ms <= found.estimate.other_ms


@given(histories, partly_plain)
def test_an_estimate_of_the_secure_channel_alone_binds(history: list[tuple[Work, Way, float]], sent: Work) -> None:
    costs = after(history)
    found = choose(costs, sent, Wish(off_plain=True), "sieve")
    assert found.way.mode == "secure-only"
    free = choose(costs, sent, Wish())
    assert found.estimate.reason == ("faster" if free.way.mode == "secure-only" else "as-estimated")


def test_it_keeps_its_mode_where_there_is_little_to_choose() -> None:
    costs = taught(PEERS["as believed first"], 400, 1, noise=0.02, outliers=0.0)
    edge = choose(costs, work(5, 0.5), Wish(), LAST).estimate.break_even
    at_edge = work(5, float(edge))
    for mode in MODES:
        assert choose(costs, at_edge, Wish(), mode).way.mode == mode


def test_further_channels_only_where_they_save_enough() -> None:
    costs = Costs()
    wide = Wish("sieve", None, None, 8, 8)
    assert choose(costs, work(1, 0.5), wide, LAST).way == SIEVE
    many = Wish("sieve", 3, 2)
    assert choose(costs, work(1, 0.5), many, LAST).way == Way("sieve", 3, 2)
    for _ in range(100):
        for way, factor in ((SIEVE, 1.0), (Way("sieve", 2, 2), 0.55), (Way("sieve", 5, 5), 0.25)):
            costs = costs.learn(work(50, 0.5), way, 3 + 200 * factor).learn(work(0.01, 0.5), way, 3.0)
    assert choose(costs, work(50, 0.5), wide, LAST).way.secure_channels > 1
    assert choose(costs, work(0.01, 0.5), wide, LAST).way == SIEVE


def test_why_a_mode_was_chosen() -> None:
    costs = Costs()
    first = choose(costs, work(10, 0.1), Wish(), LAST).estimate
    assert (first.reason, first.measured) == ("faster", False)
    assert (first.predicted_ms, first.other_ms) == pytest.approx((13, 21), rel=0.05)
    assert first.break_even == pytest.approx(0.96, abs=0.01)
    assert choose(costs, work(10, 0.1), Wish("secure-only"), LAST).estimate.reason == "requested"
    for failed in (Wish(off_plain=True, plain_failed=True), Wish("sieve", off_plain=True, plain_failed=True)):
        assert choose(costs, work(10, 0.1), failed, LAST).estimate.reason == "plain-failed"
    assert choose(costs, work(10, 0.1), Wish("secure-only", off_plain=True), LAST).estimate.reason == "requested"
    crawling = taught(PEERS["a plain channel that crawls"], 300, 1, noise=0.02, outliers=0.0)
    found = choose(crawling, work(1, 0.1), Wish(), LAST)
    assert (found.way.mode, found.estimate.break_even, found.estimate.measured) == ("secure-only", "never", True)


def test_what_the_sieve_takes_and_what_opening_takes_count() -> None:
    costs, sent = Costs(), work(10, 0.1)
    assert choose(costs, sent, Wish(), LAST, sieve_ms=100.0).way == SECURE
    found = choose(costs, sent, Wish("sieve"), LAST, sieve_ms=100.0)
    assert found.estimate.predicted_ms == pytest.approx(100 + costs.predict_ms(sent, SIEVE))
    slow_plain = costs
    for _ in range(60):
        slow_plain = slow_plain.learn_setup(plain_ms=500.0)
    assert choose(slow_plain, sent, Wish(), LAST, warm=True).way == SIEVE
    assert choose(slow_plain, sent, Wish(), LAST, warm=False).way == SECURE


def test_small_documents_go_together_and_large_ones_alone() -> None:
    costs, small, large = Costs(), Work(5_000, 5_000), work(500, 0.5)
    limits = {"most_documents": 64, "most_bytes": 8_000_000}
    assert together(costs, [small] * 100, "sieve", **limits) == 64
    assert together(costs, [small, small, large, small], "sieve", **limits) == 2
    assert together(costs, [large, small, small], "sieve", **limits) == 1
    assert together(costs, [small] * 10, "sieve", most_documents=64, most_bytes=35_000) == 3
    assert together(costs, [small], "secure-only", **limits) == 1
    with pytest.raises(ValueError, match="nothing is waiting"):
        together(costs, [], "sieve", **limits)
