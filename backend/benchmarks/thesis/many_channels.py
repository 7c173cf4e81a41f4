"""Figures 5.8 to 5.13 and table 5.2: several channels of each kind, and how they share the bytes."""

from benchmarks.cases import CHANNELS, PROPORTIONS, SIZES_MB, Case, case
from benchmarks.thesis.claims import below, best_at, gains, rises
from benchmarks.thesis.decisions import Answer
from benchmarks.thesis.figures import Claim, Exhibit, Panel, Printed, Series
from benchmarks.thesis.one_channel import P_AXIS, TOTAL, X_AXIS, Points
from benchmarks.thesis.readings import Improvement, Reading, Time

P = 0.5
N_AXIS = "N = M, channels of each kind"
N_SECURE_AXIS = "N, secure channels"
RESPONSE_MS = "response (ms)"
TOTAL_MS = "total (ms)"


def many(x: int, p: float, mode: str, n: int, split: str = "es", *, is_warm: bool = True) -> Case:
    """n channels of each kind; one of each has nothing to split."""
    return case("many", x, p, mode, n, split=split if n > 1 else None, warm=is_warm)


def many_3des(mode: str, n: int) -> Case:
    """10MB-50, 3DES emulated."""
    return case("3des", 10, P, mode, n, split="es" if n > 1 else None, emulated="3des")


def by_n(x: int, mode: str, split: str, field: str) -> Points:
    """Times by the number of channels; totals over new channels, responses over kept-open ones."""
    return tuple((n, Time(many(x, P, mode, n, split, is_warm=field != "total"), field)) for n in CHANNELS)


def totals_by_x(mode: str, n: int, split: str = "es") -> Points:
    """Totals by x."""
    return tuple((x, Time(many(x, P, mode, n, split, is_warm=False), "total")) for x in SIZES_MB)


def gains_by_n(x: int, split: str) -> Points:
    """Improvements in total. Secure-only has no segments, so ES is compared with SS there, as in the thesis."""

    def one(n: int) -> Reading:
        base = many(x, P, "secure-only", n, "es" if split == "ss" else split, is_warm=False)
        return Improvement(Time(base, "total"), Time(many(x, P, "sieve", n, split, is_warm=False), "total"))

    return tuple((n, one(n)) for n in CHANNELS)


WHY_CHANNELS = (
    "Several channels helped because one thread could encrypt while another waited for the line. Here one channel "
    "keeps both processors busy already, the sender's and the receiver's; more channels share the same two."
)
WHY_SETTING_UP = (
    "A further secure channel cost 230 ms then; a handshake costs a few milliseconds today, and they run at once."
)
WHY_SPLIT = (
    "Our splits are views over the stored streams and write each piece at its final place: nothing is joined, so ES "
    "costs no more than SS, and what decides is how evenly the bytes are shared."
)

FIGURE_5_8 = Exhibit(
    "Figure 5.8",
    "Several channels, secure-only: (a) response time and (b) total time",
    84,
    (
        Panel(
            "(a) response",
            N_SECURE_AXIS,
            RESPONSE_MS,
            (
                Series("1 MB, ES", (Printed(1, 293, 72),), by_n(1, "secure-only", "es", "response")),
                Series("10 MB, ES", (Printed(1, 2884, 72),), by_n(10, "secure-only", "es", "response")),
                Series("10 MB, range", (), by_n(10, "secure-only", "range", "response")),
                Series("10 MB, ES, 3DES", (), tuple((n, Time(many_3des("secure-only", n))) for n in CHANNELS)),
            ),
        ),
        Panel(
            "(b) total",
            N_SECURE_AXIS,
            TOTAL_MS,
            (
                Series("1 MB, ES", (Printed(1, 1048, 72, "293 ms + 755 ms"),), by_n(1, "secure-only", "es", "total")),
                Series(
                    "10 MB, ES", (Printed(1, 3639, 72, "2884 ms + 755 ms"),), by_n(10, "secure-only", "es", "total")
                ),
                Series("10 MB, range", (), by_n(10, "secure-only", "range", "total")),
            ),
        ),
    ),
    (
        Claim("For 10 MB the response is best at N = 3", 83, best_at(0, "10 MB, ES", 3), WHY_CHANNELS, Answer.FAILS),
        Claim("For 10 MB the total is best at N = 2", 83, best_at(1, "10 MB, ES", 2), WHY_CHANNELS, Answer.FAILS),
        Claim("For 1 MB one channel has the best total", 83, best_at(1, "1 MB, ES", 1), WHY_SETTING_UP, Answer.FAILS),
    ),
    setting="P = 0.5, which secure-only does not depend on. 3DES emulated on both sides, each connection by itself.",
)

FIGURE_5_9 = Exhibit(
    "Figure 5.9",
    "Several channels, secure-only: total time when x is varied",
    85,
    (
        Panel(
            "",
            X_AXIS,
            TOTAL_MS,
            tuple(
                Series(
                    f"N = {n}",
                    (Printed(1, 1048, 72, "293 + 755 ms"), Printed(10, 3639, 72, "2884 + 755 ms")) if n == 1 else (),
                    totals_by_x("secure-only", n),
                )
                for n in CHANNELS
            ),
        ),
    ),
    (
        Claim(
            "Two channels pay from about 2 MB",
            85,
            below(0, "N = 2", "N = 1", xs=(3, 5, 7, 10)),
            WHY_CHANNELS,
            Answer.FAILS,
        ),
        Claim(
            "Three channels pay from about 3 MB",
            85,
            below(0, "N = 3", "N = 1", xs=(5, 7, 10)),
            WHY_CHANNELS,
            Answer.FAILS,
        ),
        Claim(
            "Five channels pay from about 7 MB", 85, below(0, "N = 5", "N = 1", xs=(10,)), WHY_CHANNELS, Answer.FAILS
        ),
    ),
    setting="ES.",
)

FIGURE_5_10 = Exhibit(
    "Figure 5.10",
    "Several channels, sieve: (a) response time and (b) total time",
    87,
    (
        Panel(
            "(a) response",
            N_AXIS,
            RESPONSE_MS,
            (
                Series("1 MB, ES", (Printed(1, 162, 75),), by_n(1, "sieve", "es", "response"), secure=False),
                Series("10 MB, ES", (), by_n(10, "sieve", "es", "response"), secure=False),
                Series("10 MB, range", (), by_n(10, "sieve", "range", "response"), secure=False),
                Series("10 MB, ES, 3DES", (), tuple((n, Time(many_3des("sieve", n))) for n in CHANNELS)),
            ),
        ),
        Panel(
            "(b) total",
            N_AXIS,
            TOTAL_MS,
            (
                Series("1 MB, ES", (Printed(1, 933, 98),), by_n(1, "sieve", "es", "total"), secure=False),
                Series("10 MB, ES", (), by_n(10, "sieve", "es", "total"), secure=False),
                Series("10 MB, range", (), by_n(10, "sieve", "range", "total"), secure=False),
            ),
        ),
    ),
    (
        Claim(
            "For 10 MB the response is best with two channels",
            86,
            best_at(0, "10 MB, ES", 2),
            WHY_CHANNELS,
            Answer.FAILS,
        ),
        Claim(
            "For 10 MB the total is best with two channels", 86, best_at(1, "10 MB, ES", 2), WHY_CHANNELS, Answer.FAILS
        ),
        Claim("For 1 MB one channel has the best total", 86, best_at(1, "1 MB, ES", 1), WHY_SETTING_UP, Answer.FAILS),
    ),
    setting="P = 0.5.",
)

FIGURE_5_11 = Exhibit(
    "Figure 5.11",
    "Several channels, sieve: total time when x is varied",
    89,
    (
        Panel(
            "P = 0.5",
            X_AXIS,
            TOTAL_MS,
            tuple(
                Series(f"N = M = {n}", (Printed(1, 933, 98),) if n == 1 else (), totals_by_x("sieve", n), secure=False)
                for n in CHANNELS
            ),
        ),
    ),
    (
        Claim("The total grows with x", 88, rises(0), "More bytes take longer."),
        Claim(
            "Two channels pay from about 4 MB",
            88,
            below(0, "N = M = 2", "N = M = 1", xs=(5, 7, 10)),
            WHY_CHANNELS,
            Answer.FAILS,
        ),
        Claim(
            "Three channels pay from about 8 MB",
            88,
            below(0, "N = M = 3", "N = M = 1", xs=(10,)),
            WHY_CHANNELS,
            Answer.FAILS,
        ),
    ),
    setting="ES.",
)


def _es_ss(x: int) -> tuple[Series, ...]:
    return tuple(
        Series(name, (), tuple((p, Time(many(x, p, "sieve", 2, split))) for p in PROPORTIONS), secure=split == "es")
        for name, split in (("ES", "es"), ("SS", "ss"))
    )


FIGURE_5_12 = Exhibit(
    "Figure 5.12",
    "ES and SS over two channels of each kind: response time when P is varied",
    90,
    (Panel("1 MB", P_AXIS, RESPONSE_MS, _es_ss(1)), Panel("10 MB", P_AXIS, RESPONSE_MS, _es_ss(10))),
    (
        Claim(
            "ES is the faster one for P above 0.6",
            89,
            below(1, "ES", "SS", xs=(0.75, 0.9, 1.0)),
            WHY_SPLIT,
            Answer.FAILS,
        ),
        Claim(
            "SS is the faster one for P below 0.6",
            89,
            below(1, "SS", "ES", xs=(0.1, 0.25, 0.5)),
            WHY_SPLIT,
            Answer.FAILS,
        ),
    ),
    setting="The thesis prints neither x nor a value of this figure: both sizes are here.",
)


def _steps(split: str) -> Points:
    taken = many(10, P, "sieve", 2, split)
    return tuple((x, Time(taken, step)) for x, step in enumerate(("split", "combine", "split_and_combine"), 1))


TABLE_5_2 = Exhibit(
    "Table 5.2",
    "Split and combine of 10MB-50 over two channels (ms)",
    90,
    (
        Panel(
            "",
            "split;combine;both",
            "ms",
            (
                Series(
                    "ES",
                    (Printed(1, 0.24, 90), Printed(2, 13.5, 90), Printed(3, 13.74, 90, "0.24 + 13.5")),
                    _steps("es"),
                ),
                Series(
                    "SS", (Printed(1, 0.36, 90), Printed(2, 0.14, 90), Printed(3, 0.5, 90, "0.36 + 0.14")), _steps("ss")
                ),
                Series("range", (), _steps("range")),
            ),
        ),
    ),
    (Claim("SS splits and combines in less time than ES", 90, below(0, "SS", "ES", xs=(3,)), WHY_SPLIT, Answer.FAILS),),
    setting="Combine is working out where the channels' pieces belong; they are written there as they come, which is "
    "part of the data transfer. The thesis's ES joined them afterwards.",
    is_table=True,
)

FIGURE_5_13 = Exhibit(
    "Figure 5.13",
    "Improvement in total time by the number of channels",
    91,
    (
        Panel(
            "P = 0.5",
            N_AXIS,
            TOTAL,
            (
                Series("1 MB, ES", (), gains_by_n(1, "es")),
                Series("1 MB, SS", (), gains_by_n(1, "ss"), secure=False),
                Series("10 MB, ES", (), gains_by_n(10, "es")),
                Series("10 MB, SS", (), gains_by_n(10, "ss"), secure=False),
                Series("10 MB, range", (), gains_by_n(10, "range"), secure=False),
            ),
        ),
    ),
    (
        Claim("For any number of channels the sieve wins", 91, gains(0, "10 MB, ES", "10 MB, SS", until=5), ""),
        Claim(
            "SS gains more than ES",
            91,
            below(0, "10 MB, ES", "10 MB, SS", xs=(2, 3, 5)),
            WHY_SPLIT,
            Answer.FAILS,
        ),
    ),
    setting="The thesis prints no value of this figure.",
)

EXHIBITS = (FIGURE_5_8, FIGURE_5_9, FIGURE_5_10, FIGURE_5_11, FIGURE_5_12, TABLE_5_2, FIGURE_5_13)
