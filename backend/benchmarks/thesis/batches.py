"""Figures 5.14 to 5.16, A.1 and A.2, tables B.1 to B.3: three documents in one transfer."""

from benchmarks.cases import SIZES_MB, Case, case
from benchmarks.thesis.claims import all_of, below, gains, rises
from benchmarks.thesis.decisions import Answer
from benchmarks.thesis.figures import Claim, Exhibit, Panel, Printed, Series
from benchmarks.thesis.many_channels import TOTAL_MS
from benchmarks.thesis.one_channel import TOTAL, X_AXIS, Points
from benchmarks.thesis.readings import Best, Improvement, Time

SIEVE_SPLITS = ("bfs", "bes", "bss", "range")
SECURE_ONLY_SPLITS = ("bfs", "bes", "range")


def batch(files: str, x: int, mode: str, n: int, split: str | None) -> Case:
    """A file set as one batch, on new channels."""
    return case("batches", x, 0.5, mode, n, split=split, files=files, warm=False)


def _totals(files: str, mode: str, n: int, split: str | None) -> Points:
    return tuple((x, Time(batch(files, x, mode, n, split), "total")) for x in SIZES_MB)


def _series(files: str, mode: str, splits: tuple[str, ...]) -> tuple[Series, ...]:
    secure = mode == "secure-only"
    two = (Series(f"two channels, {_name(split)}", (), _totals(files, mode, 2, split), secure) for split in splits)
    return (Series("one channel", (), _totals(files, mode, 1, None), secure), *two)


def _name(split: str) -> str:
    return split if split == "range" else split.upper()


def _shortest(files: str, x: int, mode: str, splits: tuple[str, ...]) -> Best:
    cases = (batch(files, x, mode, 1, None), *(batch(files, x, mode, 2, split) for split in splits))
    return Best(tuple(Time(case, "total") for case in cases))


def _best(files: str) -> Points:
    return tuple(
        (
            x,
            Improvement(
                _shortest(files, x, "secure-only", SECURE_ONLY_SPLITS), _shortest(files, x, "sieve", SIEVE_SPLITS)
            ),
        )
        for x in SIZES_MB
    )


WHY_EVEN = (
    "BFS deals whole documents, so that one of 10 MB beside two of 1 MB leaves one channel idle; what is shared evenly "
    "matters only as far as two channels are faster than one, and on two processors they are hardly."
)
NOTHING_PRINTED = "The thesis prints no value of this figure."


def _figure(name: str, title: str, page: int, files: str, mode: str, *claims: Claim) -> Exhibit:
    splits = SECURE_ONLY_SPLITS if mode == "secure-only" else SIEVE_SPLITS
    return Exhibit(
        name,
        title,
        page,
        (Panel(files, X_AXIS, TOTAL_MS, _series(files, mode, splits)),),
        (Claim("The total grows with x", page, rises(0), "More bytes take longer."), *claims),
        setting=NOTHING_PRINTED,
    )


_BFS_BEHIND = Claim(
    "BFS is the slowest split from 5 MB on",
    93,
    all_of(
        below(0, "two channels, BES", "two channels, BFS", xs=(5, 7, 10)),
        below(0, "two channels, BSS", "two channels, BFS", xs=(5, 7, 10)),
    ),
    WHY_EVEN,
    Answer.FAILS,
)
_BES_AHEAD = Claim(
    "BES is faster than BFS", 95, below(0, "two channels, BES", "two channels, BFS"), WHY_EVEN, Answer.FAILS
)

FIGURE_5_14 = _figure("Figure 5.14", "Total time of UFS, sieve", 94, "UFS", "sieve", _BFS_BEHIND)
FIGURE_5_15 = _figure("Figure 5.15", "Total time of UFS, secure-only", 96, "UFS", "secure-only", _BES_AHEAD)
FIGURE_A_1 = _figure("Figure A.1", "Total time of EFS, sieve", 115, "EFS", "sieve")
FIGURE_A_2 = _figure("Figure A.2", "Total time of EFS, secure-only", 115, "EFS", "secure-only")

FIGURE_5_16 = Exhibit(
    "Figure 5.16",
    "Improvement in total time of file sets, each system at its best",
    97,
    (Panel("", X_AXIS, TOTAL, (Series("EFS", (), _best("EFS")), Series("UFS", (), _best("UFS"), secure=False))),),
    (
        Claim("With batches the sieve still wins", 97, gains(0, until=10), ""),
        Claim(
            "The improvement grows with x",
            97,
            rises(0),
            "It grew because a slow handshake weighed on small documents; today's does not.",
            explains=Answer.FAILS,
        ),
    ),
    setting=NOTHING_PRINTED,
)


def _table(name: str, split: str, printed: tuple[tuple[int, float, float], ...]) -> Exhibit:
    def of(n: int) -> Points:
        taken = batch("UFS", 10, "sieve", n, split)
        return ((1, Time(taken, "split")), (2, Time(taken, "combine")))

    return Exhibit(
        name,
        f"{split.upper()}: split and combine of UFS, x = 10 MB (ms)",
        116,
        (
            Panel(
                "",
                "split;combine",
                "ms",
                tuple(
                    Series(f"N = M = {n}", (Printed(1, cut, 116), Printed(2, joined, 116)), of(n))
                    for n, cut, joined in printed
                ),
            ),
        ),
        setting="Both streams together, as in the thesis; combine is working out where pieces belong, as in table 5.2.",
        is_table=True,
    )


TABLE_B_1 = _table("Table B.1", "bfs", ((2, 0.14, 0.05), (3, 0.12, 0.07), (5, 0.12, 0.07)))
TABLE_B_2 = _table("Table B.2", "bss", ((2, 0.38, 0.14), (3, 0.39, 0.19), (5, 0.39, 0.26)))
TABLE_B_3 = _table("Table B.3", "bes", ((2, 0.18, 18.94), (3, 0.21, 20.23), (5, 0.28, 22.58)))

EXHIBITS = (
    FIGURE_5_14,
    FIGURE_5_15,
    FIGURE_5_16,
    FIGURE_A_1,
    FIGURE_A_2,
    TABLE_B_1,
    TABLE_B_2,
    TABLE_B_3,
)
