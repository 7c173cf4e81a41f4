"""The tables of the thesis as printed, and what of them follows from its own other tables.

K. Anantharam, "Separation of SSL protocol phases across process boundaries", NJIT, May 2006. Each cell has two
figures: one process ("No-delegation"), and the thesis's design ("2-Server"). Documents have 2 to 200 KB.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SIZES_KB: Final = (2, 6, 10, 20, 200)
CLIENTS: Final = (100, 200, 300, 400, 500, 600, 700, 800, 900)
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Printed:
    """A table by clients and size. `unit_s`: of a figure, in seconds; `averages` and `differences`: its last lines, by
    size; `page` of the thesis."""

    name: str
    title: str
    page: int
    unit_s: float
    cells: Mapping[tuple[int, int], Pair]
    averages: Sequence[Pair] = ()
    differences: Sequence[float] = ()

    def mean_s(self, size_kb: int) -> Pair:
        """The means over all numbers of clients, in seconds."""
        pairs = [self.cells[clients, size_kb] for clients in CLIENTS]
        return (
            statistics.fmean(one for one, _ in pairs) * self.unit_s,
            statistics.fmean(two for _, two in pairs) * self.unit_s,
        )


def increase_percent(one: float, two: float) -> float:
    """By how much `two` is more than `one`, in percent of `one`."""
    return (two - one) / one * 100


def seconds_times_100(one_s: float, two_s: float) -> float:
    """What the thesis prints as "% Difference" in A.1, B.1, C.1 and 6.5: a difference in seconds, times 100."""
    return (two_s - one_s) * 100


def _pairs(line: str) -> list[Pair]:
    figures = [float(each) for each in line.split()]
    return list(zip(figures[::2], figures[1::2], strict=True))


def _cells(lines: str) -> dict[tuple[int, int], Pair]:
    rows = [_pairs(line) for line in lines.strip().splitlines()]
    return {
        (clients, size): pair
        for clients, row in zip(CLIENTS, rows, strict=True)
        for size, pair in zip(SIZES_KB, row, strict=True)
    }


HANDSHAKE: Final = Printed(
    "A.1",
    "Handshake times",
    57,
    1.0,
    _cells("""
        0.065 0.065 0.065 0.065 0.066 0.065 0.068 0.065 0.076 0.073
        0.065 0.066 0.065 0.065 0.065 0.065 0.065 0.065 0.087 0.073
        0.065 0.065 0.066 0.066 0.065 0.066 0.066 0.066 0.087 0.075
        0.065 0.065 0.065 0.066 0.065 0.065 0.066 0.066 0.083 0.075
        0.065 0.066 0.066 0.066 0.066 0.066 0.066 0.066 0.078 0.076
        0.065 0.065 0.065 0.065 0.066 0.066 0.066 0.066 0.081 0.074
        0.066 0.065 0.065 0.066 0.065 0.065 0.066 0.066 0.082 0.074
        0.065 0.065 0.066 0.065 0.065 0.066 0.066 0.066 0.082 0.075
        0.066 0.065 0.065 0.065 0.066 0.066 0.066 0.066 0.081 0.074
    """),
    _pairs("0.065 0.065 0.066 0.065 0.066 0.066 0.066 0.066 0.082 0.074"),
    (0.01, -0.02, 0.01, -0.03, -0.80),
)
INITIATION: Final = Printed(
    "B.1",
    "Session initiation",
    59,
    1.0,
    _cells("""
        1.074 1.157 1.074 1.159 1.074 1.161 1.094 1.159 1.134 1.277
        1.075 1.162 1.075 1.157 1.075 1.163 1.083 1.168 1.227 1.670
        1.074 1.159 1.077 1.159 1.076 1.156 1.080 1.168 1.217 2.114
        1.074 1.159 1.074 1.162 1.077 1.158 1.084 1.171 1.194 1.634
        1.074 1.159 1.075 1.161 1.079 1.163 1.083 1.168 1.151 1.693
        1.074 1.159 1.075 1.158 1.077 1.162 1.082 1.168 1.210 1.736
        1.075 1.158 1.075 1.161 1.076 1.159 1.083 1.169 1.193 1.692
        1.075 1.157 1.075 1.159 1.077 1.162 1.084 1.170 1.200 1.705
        1.075 1.158 1.076 1.157 1.078 1.160 1.085 1.166 1.206 1.826
    """),
    _pairs("1.075 1.159 1.075 1.159 1.077 1.160 1.084 1.168 1.193 1.705"),
    (8.41, 8.39, 8.38, 8.32, 51.28),
)
RESUMPTION: Final = Printed(
    "C.1",
    "Session resumption",
    61,
    1.0,
    _cells("""
        1.011 1.085 1.018 1.091 1.027 1.103 1.076 1.218 1.798 2.987
        1.009 1.086 1.012 1.087 1.025 1.099 1.033 1.109 1.659 3.820
        1.011 1.088 1.016 1.090 1.023 1.096 1.064 1.200 1.890 4.414
        1.010 1.086 1.016 1.095 1.019 1.095 1.045 1.234 1.852 3.882
        1.009 1.090 1.012 1.093 1.021 1.110 1.045 1.226 1.818 4.308
        1.011 1.085 1.016 1.091 1.022 1.102 1.049 1.150 1.790 3.557
        1.011 1.084 1.016 1.093 1.018 1.101 1.044 1.195 1.871 4.138
        1.012 1.086 1.014 1.090 1.016 1.103 1.044 1.240 1.725 3.910
        1.011 1.085 1.017 1.087 1.017 1.102 1.047 1.149 1.674 4.450
    """),
    _pairs("1.010 1.086 1.015 1.091 1.021 1.101 1.050 1.191 1.786 3.941"),
    (7.56, 7.56, 8.06, 14.14, 215.44),
)
TOTAL: Final = Printed(
    "6.3",
    "Total processing times",
    44,
    1e-3,
    _cells("""
        12992 12146 12277 12213 12085 12240 12686 14371 16473 18534
        30148 28461 30751 32266 30554 27764 28165 28689 31653 49986
        52658 35164 35457 35781 35313 37077 35403 38736 69073 72399
        98917 57550 101687 100541 54760 57173 58594 100296 103286 97812
        106246 100252 103248 105474 99687 99015 114885 104829 111141 126694
        111905 121365 200113 195896 110869 197278 197072 198844 199972 233922
        201871 199791 224090 205139 207789 203041 209263 203768 219664 221333
        224866 236615 232573 205737 223980 221710 223008 216553 224173 231996
        223362 225980 225341 234247 240802 245075 225134 246726 293698 288752
    """),
)
TOTAL_IMPROVEMENTS: Final = dict(
    zip(
        TOTAL.cells,
        (
            *(7, 1, -1, -13, -13),
            *(6, -5, 9, -2, -58),
            *(33, -1, -5, -9, -5),
            *(42, 1, -4, -71, 5),
            *(6, -2, 1, 9, -14),
            *(-8, 2, -78, -1, -17),
            *(1, 8, 2, 3, -1),
            *(-5, 12, 1, 3, -3),
            *(-1, -4, -2, -10, 2),
        ),
        strict=True,
    )
)
"""Table 6.4, page 45: by how many percent the thesis's design is faster."""
INCREASES: Final[Mapping[str, Sequence[float]]] = {
    "B.1": (8.409, 8.391, 8.375, 8.324, 51.278),
    "C.1": (7.556, 7.565, 8.056, 14.141, 215.436),
}
"""Table 6.5, page 47: "% Increase in Session Initiation and Resumption Times", by the table it is made of."""
IDLE_HANDSHAKE_MS: Final = 64
"""Page 39: with the thesis's design, on an idle machine."""
HANDSHAKES_PER_S: Final = 15.62
"""Page 39."""
AVERAGE_HANDSHAKES_MS: Final = _pairs("65 65 66 65 66 66 66 66 82 74")
"""Table 6.1, page 40."""
ENCRYPTION_MS: Final[Mapping[int, Mapping[int, str]]] = {
    size: dict(zip((0, 300, 600, 900), figures.split(), strict=True))
    for size, figures in (
        (2, "<1 0.08 0.09 0.11"),
        (6, "0.33 0.58 0.51 0.51"),
        (10, "0.67 1.21 1.35 1.45"),
        (20, "1.33 3.84 4.62 3.85"),
        (200, "19.83 68.09 92.54 108.67"),
    )
}
"""Table 6.2, page 41: by size and number of handlers; 0 is an idle machine."""


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a printed table follows from another one. `because`: if it does not."""

    table: str
    of: str
    follows: bool
    because: str = ""


def checks() -> list[Check]:
    """The arithmetic of the thesis."""
    seconds = "it prints differences in seconds times 100, which are no percentages"
    found = [
        Check(
            "6.1",
            "the averages of A.1",
            all(
                (one, two) == (round(1000 * a), round(1000 * b))
                for (one, two), (a, b) in zip(AVERAGE_HANDSHAKES_MS, HANDSHAKE.averages, strict=True)
            ),
        ),
        Check("6.4", "6.3, all 45 cells", all(_improves(cell) for cell in TOTAL.cells)),
    ]
    for table in (HANDSHAKE, INITIATION, RESUMPTION):
        means = [table.mean_s(size) for size in SIZES_KB]
        found.append(
            Check(
                f"{table.name}, averages",
                "its lines",
                all(
                    abs(printed - mean) < 0.001
                    for pair, ours in zip(table.averages, means, strict=True)
                    for printed, mean in zip(pair, ours, strict=True)
                ),
            )
        )
        found.append(
            Check(
                f"{table.name}, % difference",
                "its averages",
                all(
                    abs(printed - increase_percent(*pair)) < 0.15
                    for printed, pair in zip(table.differences, table.averages, strict=True)
                ),
                seconds,
            )
        )
    for name, increases in INCREASES.items():
        table = {"B.1": INITIATION, "C.1": RESUMPTION}[name]
        follows = all(
            abs(printed - increase_percent(*pair)) < 0.15
            for printed, pair in zip(increases, table.averages, strict=True)
        )
        found.append(Check(f"6.5, {table.title.lower()}", name, follows, seconds))
    return [*found, *_checks_of_sentences(), _check_of_sums()]


def _checks_of_sentences() -> Iterator[Check]:
    """What the thesis says of its tables in words."""
    yield Check(
        f"{HANDSHAKES_PER_S} handshakes a second at most (page 39)",
        f"{IDLE_HANDSHAKE_MS} ms each",
        abs(1000 / IDLE_HANDSHAKE_MS - HANDSHAKES_PER_S) < 0.01,
    )
    slower = [each for each in TOTAL_IMPROVEMENTS.values() if each < 0]
    yield Check(
        "at most 5 % slower in 15 of 25 cells (page 46)",
        "6.4",
        (sum(each >= -5 for each in slower), len(slower)) == (15, 25),
    )
    faster = {size: sum(TOTAL_IMPROVEMENTS[clients, size] > 0 for clients in CLIENTS) for size in SIZES_KB}
    yield Check(
        "faster in more cells at 2, 6 and 10 KB than at 20 and 200 (page 45)",
        "6.4",
        min(faster[size] for size in (2, 6, 10)) > max(faster[size] for size in (20, 200)),
    )


def _check_of_sums() -> Check:
    """Whether a session's time is that of its handshake and of encryption, for 2 KB in one process."""
    (initiation, _), (resumption, _) = INITIATION.averages[0], RESUMPTION.averages[0]
    rest = initiation - AVERAGE_HANDSHAKES_MS[0][0] / 1000
    return Check(
        "B.1 and C.1, 2 KB",
        "6.1 and 6.2",
        rest < 0.1,
        f"{rest:.2f} s of a session initiation are neither handshake nor encryption (less than 1 ms), at any load, "
        f"and a resumption takes {resumption:.2f} s: each time has about a second that the thesis does not name",
    )


def _improves(cell: tuple[int, int]) -> bool:
    return round(-increase_percent(*TOTAL.cells[cell])) == TOTAL_IMPROVEMENTS[cell]
