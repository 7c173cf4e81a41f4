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
from benchmarks.thesis.claims import below, gains
from benchmarks.thesis.claims import falls as falls_of
from benchmarks.thesis.exhibits import EXHIBITS, cases
from benchmarks.thesis.figures import Answer, Check, Exhibit, Panel, Series, Verdict
from benchmarks.thesis.readings import Read, Rows, Time
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
            assert claim.check(exhibit, {}).answer is Answer.MISSING, claim.says
            verdict = claim.check(exhibit, rows)
            assert verdict.answer is not Answer.MISSING, claim.says
            assert verdict.points == verdict.of > 0, claim.says


def test_a_claim_follows_the_rows(rows: Rows) -> None:
    figure = BY_NAME["Figure 5.1"]
    falls = figure.claims[0]
    assert falls.check(figure, rows).answer is Answer.HOLDS
    # Sieve at its fastest where all is classified: then nothing falls.
    twisted = {of: _twisted(of, row) for of, row in rows.items()}
    assert falls.check(figure, twisted).answer is Answer.FAILS


def _answer(check: Check, low: Sequence[Read | None], high: Sequence[Read | None], y_label: str = "ms") -> Verdict:
    """Of two made up series, "low" and "high", at x = 1, 2, ..."""
    series = [
        Series(name, (), tuple((float(x), _Said(read)) for x, read in enumerate(reads, 1)))
        for name, reads in (("low", low), ("high", high))
    ]
    return check(Exhibit("Figure 0", "made up", 1, (Panel("", "x", y_label, tuple(series)),)), {})


@dataclass(frozen=True)
class _Said:
    """A reading that returns given values."""

    said: Read | None
    cases: tuple[Case, ...] = ()

    def read(self, rows: Rows) -> Read | None:
        return self.said


BELOW = below(0, "low", "high")


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        ((10.0, 1.0), (20.0, 1.0), Answer.HOLDS),
        ((20.0, 1.0), (10.0, 1.0), Answer.FAILS),
        # The intervals leave both; or there is none; or all that they leave is less than the slack.
        ((10.0, 8.0), (20.0, 8.0), Answer.OPEN),
        ((10.0, None), (20.0, 1.0), Answer.OPEN),
        ((100.0, 0.1), (101.0, 0.1), Answer.FAILS),
    ],
)
def test_a_claim_is_decided_only_by_what_its_intervals_leave(low: Read, high: Read, answer: Answer) -> None:
    assert _answer(BELOW, [low], [high]).answer is answer


def test_a_verdict_says_what_was_not_measured() -> None:
    verdict = _answer(BELOW, [(1.0, 0.1), None, (1.0, 0.1)], [(2.0, 0.1), (2.0, 0.1), (2.0, 0.1)])
    assert str(verdict) == "**holds** at 2 of 3 points"
    assert str(_answer(BELOW, [None], [None])) == "not measured"


def test_improvements_near_zero_have_a_slack_in_points() -> None:
    little, more = [(1.0, 0.1), (2.0, 0.1)], [(2.0, 0.1), (1.0, 0.1)]
    assert _answer(gains(0, "low", until=2), little, more, "improvement (%)").answer is Answer.OPEN
    below_by_a_point = _answer(BELOW, little, more, "improvement (%)")
    assert below_by_a_point.answer is Answer.FAILS
    falling = _answer(falls_of(0, "low"), [(-10.0, 0.1), (-20.0, 0.1)], more, "improvement (%)")
    assert falling.answer is Answer.HOLDS


def test_why_is_said_beside_the_answer_that_it_explains(rows: Rows) -> None:
    nothing: dict[str, Any] = {"machine": {}, "calibration": {}, "rows": [], "not_run": []}
    text = page.text(nothing, rows)
    for exhibit in EXHIBITS:
        explained = {claim.why for claim in exhibit.claims if claim.check(exhibit, rows).answer is claim.explains}
        for claim in exhibit.claims:
            said = f"{claim.says}{f' (page {claim.page})' if claim.page else ''}: {claim.check(exhibit, rows)}."
            assert said in text
            assert claim.why in explained or f"{said} {claim.why}".rstrip() not in text or not claim.why


def _twisted(of: Case, row: Mapping[str, Any]) -> Mapping[str, Any]:
    if of.emulated != "3des" or of.mode != "sieve" or of.p < 1.0:
        return row
    return {**row, "response_ms": {"mean": 0.1, "ci95": 0.001, "median": 0.1}}


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
    nothing: dict[str, Any] = {"machine": {}, "calibration": {}, "rows": [], "not_run": []}
    text = page.text(nothing, {})
    assert "Nothing was measured yet" in text
    assert "**holds**" not in text
