"""Figures 5.1 to 5.4: one channel of each kind; P, x and the cipher are varied."""

from collections.abc import Callable, Iterable

from benchmarks.cases import CBC, PROPORTIONS, SIZES_MB, Case, case
from benchmarks.thesis.claims import (
    about,
    below,
    below_at_every_x,
    below_in,
    falls,
    gains,
    less_in_the_second,
    loses,
    rises,
)
from benchmarks.thesis.decisions import Answer
from benchmarks.thesis.figures import Claim, Exhibit, Panel, Printed, Series
from benchmarks.thesis.readings import Improvement, Mean, Reading, Time

CHACHA20 = "TLS_CHACHA20_POLY1305_SHA256"
AES_128 = "TLS_AES_128_GCM_SHA256"
FEW = (0.1, 0.5, 0.9)

P_AXIS = "P, proportion classified"
X_AXIS = "x (MB)"
RESPONSE = "improvement in response (%)"
TOTAL = "improvement in total (%)"

Of = Callable[[int, float, str], Case]
"""A case by x, P and mode."""
Points = tuple[tuple[float, Reading], ...]


def warm(x: int, p: float, mode: str) -> Case:
    """Over kept-open channels, today's cipher."""
    return case("channels", x, p, mode)


def cold(x: int, p: float, mode: str) -> Case:
    """Each transfer on new channels, as the thesis did."""
    return case("cold", x, p, mode, warm=False)


def triple_des(x: int, p: float, mode: str) -> Case:
    """3DES emulated."""
    return case("3des", x, p, mode, emulated="3des")


def triple_des_cold(x: int, p: float, mode: str) -> Case:
    """The same on new channels."""
    return case("3des", x, p, mode, emulated="3des", warm=False)


def suite(cipher: str, *, is_warm: bool = True) -> Of:
    """Cases of one more suite."""
    return lambda x, p, mode: case("suites", x, p, mode, cipher=cipher, warm=is_warm)


def gain(of: Of, x: int, p: float, field: str, base_ps: Iterable[float] = FEW) -> Improvement:
    """Of sieve over secure-only, which sends every byte of a size in the same way whatever P is: its time is the mean
    of those of documents with `base_ps`."""
    base = Mean(tuple(Time(of(x, base_p, "secure-only"), field) for base_p in base_ps))
    return Improvement(base, Time(of(x, p, "sieve"), field))


def by_p(of: Of, x: int, field: str = "response", ps: Iterable[float] = PROPORTIONS) -> Points:
    """Improvements by P."""
    return tuple((p, gain(of, x, p, field)) for p in ps)


def by_x(of: Of, p: float, field: str = "response", base_ps: Iterable[float] = FEW) -> Points:
    """Improvements by x."""
    return tuple((x, gain(of, x, p, field, base_ps)) for x in SIZES_MB)


_HALF = Printed(0.5, 44.7, 75, "162 ms against 293 ms")
_BREAK_EVEN = Printed(0.95, 0, 70)

WHY_3DES = (
    "Where encryption is the cost, as with 3DES, the sieve saves what it does not encrypt, and the thesis's curve "
    "comes back."
)
WHY_AES = (
    "Today's processors encrypt AES-GCM about as fast as they copy: what is left to save is the cost of the secure way "
    "around the cipher (TLS records, more copies, one process that does it all), and the plain way runs beside it on a "
    "core of its own."
)

FIGURE_5_1 = Exhibit(
    "Figure 5.1",
    "The effect of P on the improvement in (a) response time and (b) total time",
    71,
    (
        Panel(
            "(a) response",
            P_AXIS,
            RESPONSE,
            (
                Series(
                    "1 MB, 3DES", (Printed(0.1, 67, 72), _HALF, Printed(0.9, 7, 72), _BREAK_EVEN), by_p(triple_des, 1)
                ),
                Series("10 MB, 3DES", (Printed(0.1, 68, 72), Printed(0.9, 8, 72), _BREAK_EVEN), by_p(triple_des, 10)),
                Series("1 MB, AES-256-GCM", (), by_p(warm, 1), secure=False),
                Series("10 MB, AES-256-GCM", (), by_p(warm, 10), secure=False),
            ),
        ),
        Panel(
            "(b) total",
            P_AXIS,
            TOTAL,
            (
                Series("1 MB, 3DES", (Printed(0.1, 18, 72), Printed(0.9, 0.8, 72)), by_p(triple_des_cold, 1, "total")),
                Series("10 MB, 3DES", (Printed(0.1, 54, 72), Printed(0.9, 6, 72)), by_p(triple_des_cold, 10, "total")),
                Series("1 MB, AES-256-GCM", (), by_p(cold, 1, "total"), secure=False),
                Series("10 MB, AES-256-GCM", (), by_p(cold, 10, "total"), secure=False),
            ),
        ),
    ),
    (
        Claim("With 3DES the improvement falls as P grows", 70, falls(0, "1 MB, 3DES", "10 MB, 3DES"), WHY_3DES),
        Claim("With 3DES the sieve wins up to P = 0.9", 70, gains(0, "1 MB, 3DES", "10 MB, 3DES"), WHY_3DES),
        about("With 3DES, 10MB-10 gains about 68 %", 72, 0, "10 MB, 3DES", 0.1, 60, 90, WHY_3DES),
        Claim("The same with AES-256-GCM: it falls", 70, falls(0, "1 MB, AES-256-GCM", "10 MB, AES-256-GCM"), WHY_AES),
        Claim(
            "The same with AES-256-GCM: wins up to P = 0.9",
            70,
            gains(0, "1 MB, AES-256-GCM", "10 MB, AES-256-GCM"),
            WHY_AES,
        ),
        Claim(
            "At P = 1 secure-only is the faster one",
            72,
            loses(0, 1.0),
            "With nothing plain there is nothing to save, and the sieve still runs once over the document.",
        ),
        Claim(
            "Total improves less than response",
            72,
            less_in_the_second("1 MB, 3DES", "10 MB, 3DES", "1 MB, AES-256-GCM", "10 MB, AES-256-GCM"),
            "Setting up channels costs both alike, and weighs the more the smaller the document is. A handshake took "
            "755 ms then, and takes a few today, so this matters less than it did.",
        ),
    ),
    setting="3DES is emulated. Response over kept-open channels, total over new ones.",
)

FIGURE_5_2 = Exhibit(
    "Figure 5.2",
    "The effect of x on the improvement in (a) response time and (b) total time",
    74,
    (
        Panel(
            "(a) response",
            X_AXIS,
            RESPONSE,
            (
                Series("P = 0.1, 3DES", (Printed(1, 67, 72), Printed(10, 68, 72)), by_x(triple_des, 0.1)),
                Series("P = 0.5, 3DES", (Printed(1, 44.7, 75, "162 ms against 293 ms"),), by_x(triple_des, 0.5)),
                Series("P = 0.9, 3DES", (Printed(1, 7, 72), Printed(10, 8, 72)), by_x(triple_des, 0.9)),
                Series("P = 0.1, AES-256-GCM", (), by_x(warm, 0.1), secure=False),
                Series("P = 0.5, AES-256-GCM", (), by_x(warm, 0.5), secure=False),
                Series("P = 0.9, AES-256-GCM", (), by_x(warm, 0.9), secure=False),
            ),
        ),
        Panel(
            "(b) total",
            X_AXIS,
            TOTAL,
            (
                Series("P = 0.1, 3DES", (Printed(1, 18, 72), Printed(10, 54, 72)), by_x(triple_des_cold, 0.1, "total")),
                Series("P = 0.5, 3DES", (), by_x(triple_des_cold, 0.5, "total")),
                Series("P = 0.9, 3DES", (Printed(1, 0.8, 72), Printed(10, 6, 72)), by_x(triple_des_cold, 0.9, "total")),
                Series("P = 0.1, AES-256-GCM", (), by_x(cold, 0.1, "total"), secure=False),
                Series("P = 0.5, AES-256-GCM", (), by_x(cold, 0.5, "total"), secure=False),
                Series("P = 0.9, AES-256-GCM", (), by_x(cold, 0.9, "total"), secure=False),
            ),
        ),
    ),
    (
        Claim(
            "With 3DES the sieve wins at every x",
            73,
            gains(0, "P = 0.1, 3DES", "P = 0.5, 3DES", "P = 0.9, 3DES", until=10),
            WHY_3DES,
        ),
        Claim(
            "With AES-256-GCM the sieve wins at every x, P up to 0.5",
            73,
            gains(0, "P = 0.1, AES-256-GCM", "P = 0.5, AES-256-GCM", until=10),
            WHY_AES,
        ),
        Claim(
            "The improvement in total grows with x (3DES, P = 0.1)",
            73,
            rises(1, "P = 0.1, 3DES"),
            "A larger document makes the handshake matter less; today's handshake is a hundred times shorter, so the "
            "curve is flat from the start.",
            explains=Answer.FAILS,
        ),
    ),
    setting="As figure 5.1.",
)

FIGURE_5_3 = Exhibit(
    "Figure 5.3",
    "3DES and AES-256: improvement in response time when P is varied",
    76,
    (
        Panel(
            "1 MB",
            P_AXIS,
            RESPONSE,
            (
                Series("3DES", (Printed(0.1, 67, 75), _HALF, Printed(0.9, 7, 72)), by_p(triple_des, 1)),
                Series(
                    "AES-256-CBC",
                    (Printed(0.1, 30, 75), Printed(0.5, 26.6, 75, "102 ms against 139 ms")),
                    by_p(suite(CBC), 1),
                ),
                Series("AES-256-GCM", (), by_p(warm, 1), secure=False),
            ),
        ),
        Panel(
            "10 MB",
            P_AXIS,
            RESPONSE,
            (
                Series("3DES", (Printed(0.1, 68, 72), Printed(0.9, 8, 72)), by_p(triple_des, 10)),
                Series("AES-256-CBC", (), by_p(suite(CBC), 10)),
                Series("AES-256-GCM", (), by_p(warm, 10), secure=False),
                Series("ChaCha20-Poly1305", (), by_p(suite(CHACHA20), 10, ps=FEW), secure=False),
                Series("AES-128-GCM", (), by_p(suite(AES_128), 10, ps=FEW), secure=False),
            ),
        ),
    ),
    (
        Claim("AES-256 gains less than 3DES", 75, below(1, "AES-256-CBC", "3DES", xs=(0.1, 0.25, 0.5)), WHY_3DES),
        about("AES-256 peaks at about 30 % for P = 0.1", 75, 0, "AES-256-CBC", 0.1, 20, 40),
        Claim(
            "The cheaper the cipher, the less the sieve gains: AES-256-GCM below AES-256-CBC",
            75,
            below_in((0, 1), "AES-256-GCM", "AES-256-CBC", xs=PROPORTIONS[:-1]),
            "CBC with SHA-1 takes two passes, GCM one that the processor has instructions for.",
        ),
    ),
    setting="AES-256-CBC with SHA is the thesis's suite, in TLS 1.2 with an ECDHE exchange, on this machine only.",
)

FIGURE_5_4 = Exhibit(
    "Figure 5.4",
    "3DES and AES-256: improvement in total time when x is varied",
    77,
    (
        Panel(
            "P = 0.5",
            X_AXIS,
            TOTAL,
            (
                Series("3DES", (), by_x(triple_des_cold, 0.5, "total")),
                Series("AES-256-CBC", (), by_x(suite(CBC, is_warm=False), 0.5, "total", (0.5,))),
                Series("AES-256-GCM", (), by_x(cold, 0.5, "total"), secure=False),
            ),
        ),
    ),
    (
        Claim("AES-256 gains less than 3DES at every x", 77, below_at_every_x(0, "AES-256-CBC", "3DES"), WHY_3DES),
        Claim(
            "The improvement grows with x for both",
            77,
            rises(0, "3DES", "AES-256-CBC"),
            "It grew because a slow handshake weighed on small documents; today's does not.",
            explains=Answer.FAILS,
        ),
    ),
    setting="The thesis prints no value of this figure; P is its default, 0.5.",
)

EXHIBITS = (FIGURE_5_1, FIGURE_5_2, FIGURE_5_3, FIGURE_5_4)
