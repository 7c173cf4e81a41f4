"""The thesis's figures: all are there, what they read is measured, their claims say yes, no and not measured."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from benchmarks.cases import Case
from benchmarks.draw import draw
from benchmarks.extract import by_case, extract
from benchmarks.samples import latest
from benchmarks.thesis.exhibits import EXHIBITS, cases
from benchmarks.thesis.figures import Exhibit, Panel, Series
from benchmarks.thesis.readings import Rows, Time
from benchmarks.thesis.wireless import floor_ms, protected

from bench_rows import whole
from benchmarks import page

BY_NAME = {exhibit.name: exhibit for exhibit in EXHIBITS}
MAX_SVG = 40_000


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    results = tmp_path_factory.mktemp("results")
    whole(results, cases())
    return by_case(extract(latest(results), cases())["rows"])


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
            assert claim.check(exhibit, {}) is None, claim.says
            assert claim.check(exhibit, rows) in (True, False), claim.says


def test_a_claim_follows_the_rows(rows: Rows) -> None:
    figure = BY_NAME["Figure 5.1"]
    falls = figure.claims[0]
    assert falls.check(figure, rows) is True
    # Sieve at its fastest where all is classified: then nothing falls.
    twisted = {of: _twisted(of, row) for of, row in rows.items()}
    assert falls.check(figure, twisted) is False


def _twisted(of: Case, row: Mapping[str, Any]) -> Mapping[str, Any]:
    if of.emulated != "3des" or of.mode != "sieve" or of.p < 1.0:
        return row
    return {**row, "response_ms": {"mean": 0.1, "ci95": 0.0, "median": 0.1}}


def test_the_floor_of_two_links_is_the_slower_ones_time() -> None:
    assert floor_ms(protected(0.1, "sieve")) == pytest.approx(800.0)
    assert floor_ms(protected(0.5, "sieve")) == pytest.approx(4000.0)
    assert floor_ms(protected(0.1, "secure-only")) == pytest.approx(8000.0)


def test_figures_are_small_the_same_each_time_and_keep_their_words(rows: Rows) -> None:
    for exhibit in EXHIBITS:
        if not exhibit.is_table:
            svg = draw(exhibit, rows)
            assert len(svg) < MAX_SVG, exhibit.name
    again = BY_NAME["Figure 5.5"]
    assert draw(again, rows) == draw(again, rows)
    assert b">0.25</text>" in draw(again, rows)


def test_a_figure_without_rows_says_so() -> None:
    nothing = Exhibit("Figure 0", "nothing", 1, (Panel("", "x", "ms", (_series(),)),))
    assert b"not measured" in draw(nothing, {})


def _series() -> Series:
    first = next(case for case in cases() if case.is_measured)
    return Series("a", (), ((1.0, Time(first)), (2.0, Time(first))))


def test_the_page_shows_both_values_every_claim_and_what_was_not_run(tmp_path: Path) -> None:
    whole(tmp_path, cases()[:400])
    extracted = extract(latest(tmp_path), cases())
    extracted["not_run"] = [{"case": cases()[-1].to_json(), "reason": "for the test"}]
    text = page.write(extracted, tmp_path).read_text()
    assert "| 1 MB, 3DES | 67 / " in text
    assert "for the test" in text
    for exhibit in EXHIBITS:
        assert all(claim.says in text for claim in exhibit.claims)
        assert exhibit.is_table or (tmp_path / page.FOLDER / exhibit.file_name).is_file()


def test_a_page_before_anything_was_measured() -> None:
    nothing: dict[str, Any] = {"machine": {}, "calibration": {}, "rows": [], "not_run": []}
    text = page.text(nothing, {})
    assert "Nothing was measured yet" in text
    assert "**holds**" not in text
