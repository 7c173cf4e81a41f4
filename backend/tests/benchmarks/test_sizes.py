"""The page about sizes compares the modes within each run, and says which targets hold."""

from benchmarks.sizes import TRANSFERS, Run, page
from benchmarks.targets import CPU_TARGETS

ABOUT = {"cpu": "a processor", "cores": 2, "openssl": "OpenSSL 3", "commit": "abc", "load_at_start": [0.1, 0.2, 0.3]}


def run(sieve: float, *, first: float) -> Run:
    found = Run()
    for x in TRANSFERS:
        found.response_ms[x, "secure-only"] += [100.0, 100.0, 900.0]
        found.response_ms[x, "sieve"] += [sieve, sieve, 900.0]
        found.cpu_s[x, "secure-only"] += [1.0]
        found.cpu_s[x, "sieve"] += [0.65]
    found.total_ms[False] += [first]
    found.total_ms[True] += [10.0]
    return found


def test_a_line_has_the_median_of_the_runs_ratios_and_its_verdicts() -> None:
    lines = page(ABOUT, [run(60.0, first=15.0), run(50.0, first=18.0), run(20.0, first=40.0)]).splitlines()
    for x in TRANSFERS:
        [row] = [line for line in lines if line.startswith(f"| {x}MB-10 |")]
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        assert cells[4:7] == ["**50 %** (40 to 80)", "45 %", "yes"]
        assert cells[7] == "**0.65** (0.65 to 0.65)"
        assert cells[8:] == {10: ["0.7", "yes"], 100: ["0.6", "no"]}.get(x, ["", ""])
    assert lines[-1] == "| 18.0 ms | 10.0 ms | **1.80** (1.50 to 4.00) | 2.0 | yes |"
    assert set(CPU_TARGETS) < set(TRANSFERS)
