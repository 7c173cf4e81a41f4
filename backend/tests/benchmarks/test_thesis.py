"""The thesis's figures: all are there, what they read is measured, their claims say yes, no and not measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benchmarks.cases import Case
from benchmarks.extract import by_case, extract
from benchmarks.samples import latest
from benchmarks.svg_figures import draw_figure
from benchmarks.thesis.claims import about, below, best_at, gains, rises
from benchmarks.thesis.claims import falls as falls_of
from benchmarks.thesis.decisions import Answer, Verdict
from benchmarks.thesis.estimates import Error, Estimate
from benchmarks.thesis.exhibits import EXHIBITS, cases, undecided
from benchmarks.thesis.figures import Check, Claim, Exhibit, Panel, Series
from benchmarks.thesis.readings import Improvement, Rows, Time, deciding
from benchmarks.thesis.wireless import floor_ms, protected

from bench_rows import whole
from benchmarks import page

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
MAX_SVG = 40_000


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    results = tmp_path_factory.mktemp("results")
    whole(results, cases())
    return extract(latest(results), cases())


@pytest.fixture(scope="module")
def rows(extracted: dict[str, Any]) -> Rows:
    return by_case(extracted["rows"])


def test_every_figure_and_table_without_arrivals_is_there() -> None:
    wanted = [f"Figure 5.{number}" for number in range(1, 17)] + ["Figure A.1", "Figure A.2", "Table 5.2"]
    wanted += ["Table B.1", "Table B.2", "Table B.3"]
    assert set(wanted) <= set(BY_NAME)


@pytest.mark.parametrize(
    ("name", "series", "values"),
    [
        ("Figure 5.1", "1 MB, 3DES", {0.1: 67, 0.9: 7, 0.95: 0}),
        ("Figure 5.1", "10 MB, 3DES", {0.1: 68, 0.9: 8, 0.95: 0}),
        ("Figure 5.3", "AES-256-CBC", {0.1: 30}),
        ("Figure 5.5", "wireless, 54 Mbit/s", {0.1: 8}),
        ("Figure 5.5", "wireless, slowed client", {0.1: 15}),
        ("Figure 5.7", "AP = 500 ms", {0.1: 49}),
        ("Figure 5.8", "10 MB, ES", {1: 2884}),
        ("Table 5.2", "ES", {1: 0.24, 2: 13.5}),
        ("Table 5.2", "SS", {1: 0.36, 2: 0.14}),
        ("Table B.1", "N = M = 2", {1: 0.14, 2: 0.05}),
        ("Table B.2", "N = M = 5", {1: 0.39, 2: 0.26}),
        ("Table B.3", "N = M = 5", {1: 0.28, 2: 22.58}),
    ],
)
def test_values_are_those_of_the_thesis(name: str, series: str, values: dict[float, float]) -> None:
    printed = {one.x: one.value for one in BY_NAME[name].panels[0].named(series).printed}
    assert values.items() <= printed.items()


def test_what_follows_from_printed_values_follows() -> None:
    assert round(100 * (293 - 162) / 293, 1) == 44.7
    assert round(100 * (139 - 102) / 139, 1) == 26.6
    assert (293 + 755, 2884 + 755) == (1048, 3639)


def test_every_panel_reads_something_at_every_x(rows: Rows) -> None:
    for exhibit in EXHIBITS:
        for panel in exhibit.panels:
            for series in panel.series:
                assert len(series.read(rows)) == len(series.ours) > 0, (exhibit.name, series.name)


def test_claims_are_not_measured_without_rows_and_answered_with_all(rows: Rows) -> None:
    for exhibit in EXHIBITS:
        for claim in exhibit.claims:
            assert claim.verdict(exhibit, [{}]).answer is Answer.MISSING, claim.says
            verdict = claim.verdict(exhibit, [rows])
            assert verdict.answer is not Answer.MISSING, claim.says
            assert verdict.points == verdict.of > 0, claim.says


def test_a_claim_follows_the_rows(rows: Rows) -> None:
    figure = BY_NAME["Figure 5.1"]
    falls = figure.claims[0]
    assert falls.verdict(figure, [rows]).answer is Answer.HOLDS
    # Sieve at its fastest where all is classified: then nothing falls.
    twisted = {of: _twisted(of, row) for of, row in rows.items()}
    assert falls.verdict(figure, [twisted]).answer is Answer.FAILS


Read = tuple[float, float | None]
"""A value and its standard error; None: not known."""


def _answer(check: Check, low: Sequence[Read | None], high: Sequence[Read | None], y_label: str = "ms") -> Verdict:
    """Of two made up series, "low" and "high", at x = 1, 2, ..."""
    series = [
        Series(name, (), tuple((float(x), _Said(read, f"{name} at {x}")) for x, read in enumerate(reads, 1)))
        for name, reads in (("low", low), ("high", high))
    ]
    exhibit = Exhibit("Figure 0", "made up", 1, (Panel("", "x", y_label, tuple(series)),))
    return Claim("made up", 1, check, "").verdict(exhibit, [{}])


@dataclass(frozen=True)
class _Said:
    """A reading that returns given values."""

    said: Read | None
    name: str
    cases: tuple[Case, ...] = ()

    def read(self, rows: Rows) -> Estimate | None:
        if self.said is None:
            return None
        value, error = self.said
        return Estimate(value, None if error is None else {self.name: Error(error, 20)})


BELOW = below(0, "low", "high")
PERCENT = "improvement (%)"


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        ((10.0, 0.5), (20.0, 0.5), Answer.HOLDS),
        ((20.0, 0.5), (10.0, 0.5), Answer.FAILS),
        # The errors leave both; or there are none; or all that they leave is less than what counts.
        ((10.0, 4.0), (20.0, 4.0), Answer.OPEN),
        ((10.0, None), (20.0, 1.0), Answer.OPEN),
        ((100.0, 0.1), (101.0, 0.1), Answer.FAILS),
    ],
)
def test_a_claim_is_decided_only_by_what_its_errors_leave(low: Read, high: Read, answer: Answer) -> None:
    assert _answer(BELOW, [low], [high]).answer is answer


def test_a_verdict_says_what_was_not_measured() -> None:
    verdict = _answer(BELOW, [(1.0, 0.01), None, (1.0, 0.01)], [(2.0, 0.01), (2.0, 0.01), (2.0, 0.01)])
    assert str(verdict) == "**holds** at 2 of 3 points"
    assert str(_answer(BELOW, [None], [None])) == "not measured"


def test_points_that_decide_nothing_alone_decide_together() -> None:
    low, high = [(10.0, 1.0)] * 8, [(12.0, 1.0)] * 8
    assert _answer(BELOW, low[:1], high[:1]).answer is Answer.OPEN
    assert _answer(BELOW, low, high).answer is Answer.HOLDS


def test_one_point_that_is_clearly_against_it_is_enough() -> None:
    low, high = [(10.0, 0.1)] * 4 + [(30.0, 0.1)], [(20.0, 0.1)] * 5
    found = _answer(BELOW, low, high)
    assert (found.answer, found.rests_on.split(",")[0]) == (Answer.FAILS, "at one point -33.3")


def test_improvements_near_zero_do_not_count() -> None:
    little, more = [(1.0, 0.1), (2.0, 0.1)], [(2.0, 0.1), (1.0, 0.1)]
    assert _answer(gains(0, "low", until=2), little, more, PERCENT).answer is Answer.FAILS
    assert _answer(BELOW, little, more, PERCENT).answer is Answer.FAILS
    assert _answer(falls_of(0, "low"), [(-10.0, 0.1), (-20.0, 0.1)], more, PERCENT).answer is Answer.HOLDS


def test_a_curve_grows_by_its_trend_and_has_no_step_back() -> None:
    flat = [(1.0, 0.1)] * 4
    assert _answer(rises(0, "low"), [(10.0, 3.0), (19.0, 3.0), (18.0, 3.0), (30.0, 3.0)], flat).answer is Answer.HOLDS
    assert _answer(rises(0, "low"), [(10.0, 0.1), (19.0, 0.1), (15.0, 0.1), (30.0, 0.1)], flat).answer is Answer.FAILS
    assert _answer(rises(0, "low"), flat, flat).answer is Answer.OPEN
    assert _answer(rises(0, "low"), [(100.0, 0.1)] * 4, flat).answer is Answer.FAILS


def test_the_best_is_better_than_each_other() -> None:
    best = best_at(0, "low", 2)
    assert _answer(best, [(20.0, 0.1), (10.0, 0.1), (11.0, 0.1)], []).answer is Answer.HOLDS
    assert _answer(best, [(20.0, 0.1), (10.0, 0.1), (9.0, 0.1)], []).answer is Answer.FAILS
    assert _answer(best, [(20.0, 0.1), (10.0, 0.01), (10.1, 0.01)], []).answer is Answer.FAILS
    assert _answer(best, [(20.0, 0.1), None, (9.0, 0.1)], []).answer is Answer.MISSING


@pytest.mark.parametrize(("value", "answer"), [(30.0, Answer.HOLDS), (41.0, Answer.OPEN), (50.0, Answer.FAILS)])
def test_about_a_value_is_between_two(value: float, answer: Answer) -> None:
    check = about("", 1, 0, "low", 1, 20, 40).check
    assert _answer(check, [(value, 1.0)], [], PERCENT).answer is answer


def test_what_is_not_decided_is_what_is_measured_again(rows: Rows) -> None:
    figure = BY_NAME["Figure 5.10"]
    unsure = next(claim for claim in figure.claims if claim.says == "For 10 MB the total is best with two channels")
    asked = set(unsure.check(figure, rows).cases)
    assert not asked & set(undecided([rows]))
    noisy = {of: _noisy(row) if of in asked else row for of, row in rows.items()}
    assert asked <= set(undecided([noisy]))
    assert all(of.is_measured for of in undecided([{of: _noisy(row) for of, row in rows.items()}]))


def test_of_the_shortest_times_only_the_two_shortest_are_measured_again(rows: Rows) -> None:
    reading = BY_NAME["Figure 5.16"].panels[0].series[0].ours[0][1]
    assert isinstance(reading, Improvement)
    for part in (reading.secure_only, reading.sieve):
        in_order = sorted(part.cases, key=lambda of: float(rows[of]["trimmed_ms"]["total"]["mean"]))
        assert deciding(part, rows) == tuple(in_order[:2])
    assert len(deciding(reading, rows)) == 4
    assert deciding(reading.sieve, {}) == ()


def _noisy(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**row, "trimmed_ms": {name: {**found, "error": found["mean"]} for name, found in row["trimmed_ms"].items()}}


def test_why_is_said_beside_the_answer_that_it_explains(rows: Rows) -> None:
    nothing: dict[str, Any] = {"machine": {}, "calibration": {}, "rows": [], "early_rows": [], "not_run": []}
    text = page.text(nothing, [rows])
    for exhibit in EXHIBITS:
        verdicts = {claim.says: claim.verdict(exhibit, [rows]) for claim in exhibit.claims}
        explained = {claim.why for claim in exhibit.claims if verdicts[claim.says].answer is claim.explains}
        for claim in exhibit.claims:
            found = verdicts[claim.says]
            where = f" (page {claim.page})" if claim.page else ""
            said = f"{claim.says}{where}: {found} ({found.rests_on})."
            assert said in text
            assert claim.why in explained or f"{said} {claim.why}".rstrip() not in text or not claim.why


def _twisted(of: Case, row: Mapping[str, Any]) -> Mapping[str, Any]:
    if of.emulated != "3des" or of.mode != "sieve" or of.p < 1.0:
        return row
    response = {"mean": 0.1, "error": 0.001, "degrees": 9.0}
    return {**row, "trimmed_ms": {**row["trimmed_ms"], "response": response}}


def test_the_floor_of_two_links_is_the_slower_ones_time() -> None:
    assert floor_ms(protected(0.1, "sieve")) == pytest.approx(800.0)
    assert floor_ms(protected(0.5, "sieve")) == pytest.approx(4000.0)
    assert floor_ms(protected(0.1, "secure-only")) == pytest.approx(8000.0)


def test_a_figure_is_the_same_each_time_and_keeps_its_words(rows: Rows) -> None:
    once, again = (draw_figure(BY_NAME["Figure 5.5"], rows) for _ in range(2))
    assert once == again
    assert b">0.25</text>" in once


def test_a_figure_without_rows_says_so() -> None:
    nothing = Exhibit("Figure 0", "nothing", 1, (Panel("", "x", "ms", (_series(),)),))
    assert b"not measured" in draw_figure(nothing, {})


def _series() -> Series:
    first = next(case for case in cases() if case.is_measured)
    return Series("a", (), ((1.0, Time(first)), (2.0, Time(first))))


def test_the_page_shows_small_figures_both_values_every_claim_and_what_was_not_run(
    tmp_path: Path, extracted: dict[str, Any]
) -> None:
    not_run = [{"case": cases()[-1].to_json(), "reason": "for the test"}]
    text = page.write({**extracted, "not_run": not_run}, tmp_path).read_text()
    assert "| 1 MB, 3DES | 67 / " in text
    assert "for the test" in text
    for exhibit in EXHIBITS:
        assert all(claim.says in text for claim in exhibit.claims)
        assert exhibit.is_table or (tmp_path / page.FOLDER / exhibit.file_name).stat().st_size < MAX_SVG


def test_a_page_before_anything_was_measured() -> None:
    nothing: dict[str, Any] = {"machine": {}, "calibration": {}, "rows": [], "early_rows": [], "not_run": []}
    text = page.text(nothing, [{}])
    assert "Nothing was measured yet" in text
    assert "**holds**" not in text
