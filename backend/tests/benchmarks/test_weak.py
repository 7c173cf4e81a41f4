"""The page about weak machines says what was measured, each pair of machines by itself."""

from benchmarks.cases import MODES
from benchmarks.weak import DEPLOYMENTS, TARGETS, Point, page

COSTS = {
    "seal aes-256-gcm": 2.0,
    "seal chacha20-poly1305": 3.0,
    "encrypt aes-256-gcm": 10.0,
    "encrypt chacha20-poly1305": 20.0,
}
ABOUT = {"cpu": "a processor", "cores": 2, "openssl": "OpenSSL 3", "commit": "abc", "load_at_start": [0.1, 0.2, 0.3]}


def test_each_pair_of_machines_has_its_own_rows() -> None:
    taken: dict[Point, list[float]] = {
        (machines.name, x, p, mode): [100.0, 100.0] if mode == "secure-only" else [40.0 + 10 * number] * 2
        for number, machines in enumerate(DEPLOYMENTS)
        for x, p in TARGETS
        for mode in MODES
    }
    lines = page(ABOUT, {"strong": COSTS, "weak": COSTS}, taken).splitlines()
    rows = [line for line in lines if "10MB-10" in line]
    assert [row.split("|")[1].strip() for row in rows] == [machines.name for machines in DEPLOYMENTS]
    assert [row.split("|")[5].strip() for row in rows] == [f"{each} ± 0 %" for each in (60, 50, 40, 30, 20)]
    assert [row.split("|")[7].strip() for row in rows] == ["", "yes", "no", "no", "no"]
    [first, *_] = taken[DEPLOYMENTS[1].name, 10, 0.1, "sieve"]
    taken[DEPLOYMENTS[1].name, 10, 0.1, "sieve"] = [first - 5, first + 5]
    rows = [line for line in page(ABOUT, {"strong": COSTS, "weak": COSTS}, taken).splitlines() if "10MB-10" in line]
    assert rows[1].split("|")[7].strip() == "not decided"
    [strong] = [line for line in lines if line.startswith("| strong")]
    [weak] = [line for line in lines if line.startswith("| weak |")]
    assert "| 20 % | 75 % |" in strong and "| 15 % | 25 % |" in weak
