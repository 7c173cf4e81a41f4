"""Figures 5.5 to 5.7, a slower link, a slower sender, additional processing; and ours: a slow protected link beside a
faster plain one."""

from benchmarks.cases import PROPORTIONS, Case, Link, case
from benchmarks.thesis.claims import about, all_of, below, gains
from benchmarks.thesis.decisions import Answer
from benchmarks.thesis.figures import Claim, Exhibit, Panel, Printed, Series
from benchmarks.thesis.one_channel import P_AXIS, RESPONSE, TOTAL, X_AXIS, Of, by_p, by_x
from benchmarks.thesis.readings import Known, Time

WIRED, WIFI = Link(100, 100), Link(54, 54)
PROTECTED = Link(10, 100)
PROTECTED_PS = (0.1, 0.25, 0.75)
POWER_SAVING = 0.2
"""So much of the processor the client lost (page 77)."""
AP_MS_PER_MB = 500.0


def over(link: Link, *, slowed: float = 0.0, is_warm: bool = True) -> Of:
    """Cases over a link that both channels share."""
    return lambda x, p, mode: case("wireless", x, p, mode, link=link, slowed=slowed, warm=is_warm)


def with_ap(x: int, p: float, mode: str) -> Case:
    """54 Mbit/s and 500 ms for each MB of secure data, counted on top as the thesis slept after each transfer."""
    return case("wireless", x, p, mode, link=WIFI, emulated="added", ap_ms_per_mb=AP_MS_PER_MB)


WHY_LINK = (
    "Both channels share one link, which is the scarce thing: every byte crosses it, whichever channel it takes, so "
    "the sieve has next to nothing to save. Where the link is slow, encryption is free."
)
WHY_BOTH = "100 Mbit/s are a scarce link today, too: on either one waits for the line, not for the cipher."
WHY_SLOWED = (
    "The thesis's client spent two thirds of its time on 3DES, so that less processor made the sieve gain more. A "
    "processor of today that lost a fifth still waits for the link."
)

FIGURE_5_5 = Exhibit(
    "Figure 5.5",
    "Wired and wireless: improvement in response time when P is varied",
    78,
    (
        Panel(
            "1 MB",
            P_AXIS,
            RESPONSE,
            (
                Series("wired, 100 Mbit/s", (Printed(0.1, 67, 78),), by_p(over(WIRED), 1)),
                Series("wireless, 54 Mbit/s", (Printed(0.1, 8, 78),), by_p(over(WIFI), 1), secure=False),
                Series(
                    "wireless, slowed client",
                    (Printed(0.1, 15, 79),),
                    by_p(over(WIFI, slowed=POWER_SAVING), 1),
                    secure=False,
                ),
            ),
        ),
    ),
    (
        about("Wireless gains about 8 % at P = 0.1", 78, 0, "wireless, 54 Mbit/s", 0.1, 3, 15),
        Claim(
            "Wireless gains much less than wired",
            78,
            below(0, "wireless, 54 Mbit/s", "wired, 100 Mbit/s"),
            WHY_BOTH,
            explains=Answer.FAILS,
        ),
        Claim(
            "A slowed client gains more",
            79,
            below(0, "wireless, 54 Mbit/s", "wireless, slowed client", xs=(0.1,)),
            WHY_SLOWED,
            explains=Answer.FAILS,
        ),
    ),
    setting="AES-256-GCM where the thesis had 3DES. The slowed client is stopped for 1 ms of every 5.",
)

FIGURE_5_6 = Exhibit(
    "Figure 5.6",
    "Wired and wireless: improvement in total time when x is varied",
    80,
    (
        Panel(
            "P = 0.5",
            X_AXIS,
            TOTAL,
            (
                Series("wired, 100 Mbit/s", (), by_x(over(WIRED, is_warm=False), 0.5, "total", (0.5,))),
                Series("wireless, 54 Mbit/s", (), by_x(over(WIFI, is_warm=False), 0.5, "total", (0.5,)), secure=False),
                Series(
                    "wireless, slowed client",
                    (),
                    by_x(over(WIFI, slowed=POWER_SAVING, is_warm=False), 0.5, "total", (0.5,)),
                    secure=False,
                ),
            ),
        ),
    ),
    (
        Claim("The sieve wins at every x", 79, gains(0, until=10), WHY_LINK, explains=Answer.FAILS),
        Claim(
            "Wireless gains less than wired",
            79,
            below(0, "wireless, 54 Mbit/s", "wired, 100 Mbit/s"),
            WHY_BOTH,
            explains=Answer.FAILS,
        ),
    ),
    setting="The thesis prints no value of this figure.",
)

FIGURE_5_7 = Exhibit(
    "Figure 5.7",
    "Wireless, with and without additional processing: improvement in response time when P is varied",
    82,
    (
        Panel(
            "1 MB",
            P_AXIS,
            RESPONSE,
            (
                Series("AP = 0", (Printed(0.1, 8, 82),), by_p(over(WIFI), 1), secure=False),
                Series("AP = 500 ms", (Printed(0.1, 49, 82),), by_p(with_ap, 1)),
            ),
        ),
    ),
    (
        about(
            "AP = 500 ms makes the sieve gain about 49 % at P = 0.1",
            82,
            0,
            "AP = 500 ms",
            0.1,
            40,
            75,
            "By the definition of AP: it falls on secure bytes alone, so the sieve is spared the part 1 - P of it. The "
            "link's share is smaller than it was for the thesis, so the gain is larger.",
        ),
        Claim("AP = 500 ms gains more than AP = 0", 82, below(0, "AP = 0", "AP = 500 ms", xs=PROPORTIONS[:-1]), ""),
    ),
    setting="AP is counted on top of what was measured over 54 Mbit/s, which is what the thesis's sleep did.",
)


def protected(p: float, mode: str) -> Case:
    """10 MB with a link of 10 Mbit/s for the secure channel and one of 100 for the plain one."""
    return case("protected", 10, p, mode, link=PROTECTED)


def floor_ms(c: Case) -> float:
    """What the slower of the two links takes for its bytes alone."""
    if c.link is None:
        return 0.0
    plain_mb = sum(x for x, _ in c.documents) - c.secure_mb
    return 8000 * max(c.secure_mb / c.link.secure_mbit, plain_mb / c.link.plain_mbit)


PROTECTED_LINK = Exhibit(
    "Ours 1",
    "A protected link of 10 Mbit/s beside a plain one of 100 Mbit/s: 10 MB",
    0,
    (
        Panel(
            "10 MB",
            P_AXIS,
            "response (ms)",
            (
                # All of it crosses the slow link, whatever P.
                Series("secure-only", (), tuple((p, Time(protected(0.1, "secure-only"))) for p in PROTECTED_PS)),
                Series("sieve", (), tuple((p, Time(protected(p, "sieve"))) for p in PROTECTED_PS), secure=False),
                Series("auto", (), tuple((p, Time(protected(p, "auto"))) for p in PROTECTED_PS), secure=False),
                Series("floor", (), tuple((p, Known(floor_ms(protected(p, "sieve")))) for p in PROTECTED_PS)),
            ),
        ),
    ),
    (
        Claim(
            "Where the protected link is the scarce thing, the sieve is faster by what it does not carry",
            0,
            all_of(below(0, "sieve", "secure-only")),
            "Only classified bytes cross the slow link; the others cross the fast one at the same time.",
        ),
    ),
    setting="Not in the thesis. The floor is the slower link's time for its bytes alone.",
)

EXHIBITS = (FIGURE_5_5, FIGURE_5_6, FIGURE_5_7, PROTECTED_LINK)
