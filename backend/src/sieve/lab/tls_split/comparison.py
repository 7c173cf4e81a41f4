"""Measured designs beside one process, and beside what the thesis concludes from its tables."""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sieve.lab.intervals import Mean, mean_of
from sieve.lab.tls_split.printed_tables import (
    ENCRYPTION_MS,
    HANDSHAKE,
    IDLE_HANDSHAKE_MS,
    INITIATION,
    RESUMPTION,
    TOTAL,
    Printed,
    increase_percent,
)

ONE, THESIS, DIRECT, OWN_RECORDS = "one-process", "through-handler", "direct", "own-records"
"""`OWN_RECORDS` is one process with the worker's records, which tells what they cost apart from the hand-over."""
TABLES: Final = ((HANDSHAKE, "handshake_ms"), (INITIATION, "initiation_ms"), (RESUMPTION, "resumption_ms"),
                 (TOTAL, "total_ms"))  # fmt: skip
"""The thesis's tables by clients and size, and what of ours is beside each."""
AIM_PERCENT: Final = 5.0
AIM_KB: Final = 200
"""At this size, direct routing is meant to cost at most this much more than one process."""
WIDE: Final = 25.0
"""Half an interval, in percent points, from which a printed percentage inside it does not follow from it."""
_ALIKE: Final = 1.25
"""A ratio up to which two times count as the same."""
_BUSY: Final = "other work on the machine is more than the difference"
_OLD: Final = "one core of today and loopback are faster than processors of 2.1 GHz and a network in 2006"
_WAITS: Final = "ours include the wait for all other connections, which are open at the same time"

Answer = Literal["follows", "does not follow", "differs on today's machines", "not decided", "not measured"]


class Measured:
    """The cells of a measurement: in each round, one for each design, number of clients and size."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._cells: Sequence[Mapping[str, Any]] = found["cells"]
        self.sizes_kb = sorted({cell["size_kb"] for cell in self._cells})
        self.loads = sorted({cell["clients"] for cell in self._cells if cell["clients"]})
        self._by_place = {
            (cell["round"], cell["design"], cell["size_kb"], cell["clients"]): cell for cell in self._cells
        }
        self.rounds = sorted({cell["round"] for cell in self._cells})

    def value(self, design: str, figure: str, size_kb: int, *loads: int) -> float | None:
        """A figure's mean over rounds, and over these numbers of clients; without any, over all but the single one."""
        values = [
            cell[figure]
            for cell in self._cells
            if (cell["design"], cell["size_kb"]) == (design, size_kb)
            and cell["clients"] in (loads or self.loads)
            and cell[figure] is not None
        ]
        return sum(values) / len(values) if values else None

    def overhead(self, design: str, figure: str, size_kb: int, *loads: int, base: str = ONE) -> Mean | None:
        """By how many percent a figure, as the mean over these numbers of clients, is more than in `base`.

        Each round is one sample, so the interval is that of rounds, and never of different loads. None if no round has
        all of these loads.
        """
        samples = self._overheads(design, figure, size_kb, loads, base)
        return mean_of(list(samples.values())) if samples else None

    def growth(self, design: str, figure: str, small_kb: int, large_kb: int, *loads: int) -> Mean | None:
        """By how many percent points the overhead is larger for the larger document; each round is one sample."""
        small, large = (self._overheads(design, figure, size, loads) for size in (small_kb, large_kb))
        samples = [large[each] - small[each] for each in small if each in large]
        return mean_of(samples) if samples else None

    def failures(self) -> tuple[int, int, int]:
        """Requests served, those that failed, and resumptions that became full handshakes."""
        served, failed, not_resumed = (
            sum(cell[name] for cell in self._cells) for name in ("served", "failed", "not_resumed")
        )
        return served, failed, not_resumed

    def roles(self, design: str, size_kb: int, *loads: int) -> Mapping[str, float]:
        """The processor time for one request in milliseconds, by the role of the process."""
        found = [
            cell["processor_by_role_ms"]
            for cell in self._cells
            if (cell["design"], cell["size_kb"]) == (design, size_kb) and cell["clients"] in (loads or self.loads)
        ]
        return {role: sum(each[role] for each in found) / len(found) for role in (found[0] if found else ())}

    def _overheads(
        self, design: str, figure: str, size_kb: int, loads: Sequence[int], base: str = ONE
    ) -> dict[int, float]:
        """By round."""
        found = {}
        for each in self.rounds:
            one, other = (self._mean_of_round(each, name, figure, size_kb, loads) for name in (base, design))
            if one and other is not None:
                found[each] = increase_percent(one, other)
        return found

    def _mean_of_round(self, number: int, design: str, figure: str, size_kb: int, loads: Sequence[int]) -> float | None:
        wanted = loads or self.loads
        cells = [self._by_place.get((number, design, size_kb, load)) for load in wanted]
        values = [cell[figure] for cell in cells if cell and cell[figure] is not None]
        return sum(values) / len(values) if values and len(values) == len(wanted) else None


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """A printed cell has two times. `printed`: by how many percent the second one is longer. `ours`: the same,
    measured."""

    clients: int
    size_kb: int
    printed: float
    ours: Mean | None
    answer: Answer


def cell_verdicts(found: Measured, table: Printed, figure: str) -> Iterator[CellVerdict]:
    """One for each cell. It differs if the printed percentage is outside the 95 % interval of ours, and follows if it
    is inside one of at most `WIDE` to each side."""
    for (clients, size_kb), pair in table.cells.items():
        printed = increase_percent(*pair)
        ours = found.overhead(THESIS, figure, size_kb, clients)
        answer: Answer
        if ours is None:
            answer = "not measured"
        elif ours.ci95 is None:
            answer = "not decided"
        elif abs(printed - ours.value) > ours.ci95:
            answer = "differs on today's machines"
        else:
            # Nearly everything would be within a wide interval.
            answer = "follows" if ours.ci95 <= WIDE else "not decided"
        yield CellVerdict(clients, size_kb, printed, ours, answer)


def counted(cells: Iterable[CellVerdict]) -> str:
    """How many follow, and so on, as a phrase."""
    answers = [cell.answer for cell in cells]
    return ", ".join(f"{answers.count(each)} {each}" for each in dict.fromkeys(answers))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A conclusion of the thesis, its page, and whether it holds in a measurement."""

    says: str
    page: int
    answer: Answer
    ours: str


def verdicts(found: Measured) -> Iterator[Verdict]:
    """What holds of the thesis's conclusions."""
    if not {2, 200} <= set(found.sizes_kb):
        return
    yield from _idle(found)
    yield from _handshakes(found)
    yield from _records(found)
    for table, figure in TABLES:
        yield from _seconds(found, table, figure)
    for table, figure in ((INITIATION, "initiation_ms"), (RESUMPTION, "resumption_ms")):
        yield _through_handler(found, table.title, table.page, figure, [increase_percent(*p) for p in table.averages])
    for loads in ([0], found.loads):
        if loads:
            yield _direct(found, loads)


def _idle(found: Measured) -> Iterator[Verdict]:
    times = [found.value(THESIS, "handshake_ms", size, 0) for size in found.sizes_kb]
    known = [time for time in times if time is not None]
    if known:
        ours = sum(known) / len(known)
        says = f"a full handshake takes {IDLE_HANDSHAKE_MS} ms on an idle machine"
        yield _times(says, 39, [IDLE_HANDSHAKE_MS / ours], f"{ours:.2f} ms with one client at a time")


def _seconds(found: Measured, table: Printed, figure: str) -> Iterator[Verdict]:
    """The absolute times of a table, all of them together."""
    factors = [
        printed * table.unit_s * 1000 / taken
        for (clients, size_kb), pair in table.cells.items()
        for design, printed in zip((ONE, THESIS), pair, strict=True)
        if (taken := found.value(design, figure, size_kb, clients))
    ]
    if factors:
        says = f"the {2 * len(table.cells)} times of table {table.name} ({table.title.lower()})"
        yield _times(says, table.page, factors, "at the same numbers of clients")


def _times(says: str, page: int, factors: Sequence[float], ours: str) -> Verdict:
    low, high = min(factors), max(factors)
    factor = f"{low:.1f}" if high - low < 0.1 else f"{low:.1f} to {high:.1f}"
    holds = low >= 1 / _ALIKE and high <= _ALIKE
    why = _OLD if statistics.median(factors) >= 1 else _WAITS
    return _holds(says, page, holds, f"{ours}, theirs are {factor} times ours", why, "differs on today's machines")


def _handshakes(found: Measured) -> Iterator[Verdict]:
    says = "handshakes take as long for any size of the document, but for 200 KB"
    times = [found.value(ONE, "handshake_ms", size, 0) for size in found.sizes_kb if size < 200]
    known = [time for time in times if time is not None]
    if known:
        ours = f"one client at a time: {min(known):.2f} to {max(known):.2f} ms below 200 KB"
        yield _holds(says, 40, max(known) <= _ALIKE * min(known), ours, _BUSY, "not decided")
    one, two = found.value(ONE, "handshake_ms", 200), found.value(THESIS, "handshake_ms", 200)
    if one and two:
        says = "at 200 KB handshakes are shorter with separation: 74 instead of 82 ms"
        ours = f"{one:.1f} ms in one process, {two:.1f} through the handler, under load"
        why = "on one processor the handler copies every byte of other connections between the steps of a handshake"
        more = found.overhead(THESIS, "handshake_ms", 200)
        if more is None or _is_more(more) is None:
            yield _holds(says, 40, False, ours, _BUSY, "not decided")
        else:
            yield _holds(says, 40, two < one, ours, why)


def _records(found: Measured) -> Iterator[Verdict]:
    compared = max(size for size in found.sizes_kb if size < 200)
    small, large = (found.value(DIRECT, "record_ms", size, 0) for size in (compared, 200))
    if small and large:
        ours = f"one client at a time: {small:.3f} ms for {compared} KB, {large:.3f} ms for 200 KB"
        yield _holds("encryption time grows with the document", 41, large > 3 * small, ours, _BUSY, "not decided")
    factors = [
        float(printed) / taken
        for size_kb, row in ENCRYPTION_MS.items()
        for clients, printed in row.items()
        if "<" not in printed and (taken := found.value(DIRECT, "record_ms", size_kb, clients))
    ]
    if factors:
        yield _times(
            "the 19 times of table 6.2 (encryption); <1 is none", 41, factors, "at the same numbers of clients"
        )
    most = max(found.loads, default=0)
    loaded = found.value(DIRECT, "record_ms", 200, most)
    if most and large and loaded:
        says = "at 200 KB encryption takes 19.8 ms on an idle machine and 108.7 with 900 workers"
        ours = f"{large:.2f} ms with one client, {loaded:.2f} ms with {most}"
        why = "one worker with an event loop seals one answer at a time; in the thesis 900 workers shared a processor"
        yield _holds(says, 41, loaded > 2 * large, ours, why, "differs on today's machines")


def _holds(says: str, page: int, holds: bool, ours: str, why: str, otherwise: Answer = "does not follow") -> Verdict:
    return Verdict(says, page, "follows", ours) if holds else Verdict(says, page, otherwise, f"{ours}, because {why}")


def _through_handler(found: Measured, title: str, page: int, figure: str, printed: Sequence[float]) -> Verdict:
    """The thesis says two things: there is an overhead, and it grows with the document. Both must hold."""
    says = (
        f"{title.lower()} through the handler costs {printed[0]:.1f} % more at 2 KB and {printed[-1]:.1f} % at 200 KB "
        f"(as corrected)"
    )
    loads = found.loads or [0]
    small, large = (found.overhead(THESIS, figure, size, *loads) for size in (2, 200))
    growth = found.growth(THESIS, figure, 2, 200, *loads)
    if small is None or large is None or growth is None:
        return Verdict(says, page, "not measured", "")
    points = interval(growth).replace(" %", " points")
    ours = f"{interval(small)} at 2 KB and {interval(large)} at 200 KB, a growth of {points}, {_in_words(loads)}"
    # A growth that is surely another one than printed needs no sign.
    is_another = growth.ci95 is not None and abs(printed[-1] - printed[0] - growth.value) > growth.ci95
    if not is_another and (_is_more(large) is None or _is_more(growth) is None):
        return _holds(says, page, False, ours, _BUSY, "not decided")
    grows = bool(_is_more(large) and _is_more(growth))
    return _holds(says, page, grows, ours, cause(found), "differs on today's machines")


def _is_more(overhead: Mean) -> bool | None:
    """Whether an overhead is above zero; None if its interval includes zero, or there is only one run."""
    if overhead.ci95 is None or abs(overhead.value) <= overhead.ci95:
        return None
    return overhead.value > 0


def _direct(found: Measured, loads: Sequence[int]) -> Verdict:
    """Decided by processor time, which other work disturbs the least."""
    says = f"direct routing removes the overhead, {_in_words(loads)}"
    work = found.overhead(DIRECT, "processor_ms", AIM_KB, *loads)
    first, again = (found.overhead(DIRECT, figure, AIM_KB, *loads) for figure in ("initiation_ms", "resumption_ms"))
    if first is None or again is None or work is None:
        return Verdict(says, 51, "not measured", "")
    ours = (
        f"at {AIM_KB} KB {interval(work)} processor time, {interval(first)} response of an initiation and "
        f"{interval(again)} of a resumption"
    )
    shares = _shares(found, loads)
    if work.ci95 is None or abs(work.value - AIM_PERCENT) <= work.ci95:
        return _holds(says, 51, False, ours + shares, _BUSY, "not decided")
    if work.value <= AIM_PERCENT:
        return Verdict(says, 51, "follows", ours + shares)
    return _holds(says, 51, False, ours + shares, _why_not_free(found, loads))


def _shares(found: Measured, loads: Sequence[int]) -> str:
    """By how many percent records in Python, and the hand-over, make direct routing's processor time longer."""
    records = found.overhead(OWN_RECORDS, "processor_ms", AIM_KB, *loads)
    hand_over = found.overhead(DIRECT, "processor_ms", AIM_KB, *loads, base=OWN_RECORDS)
    if records is None or hand_over is None:
        return ""
    return (
        f" (one process with the worker's records: {interval(records)} processor time; the hand-over beside that: "
        f"{interval(hand_over)})"
    )


def _why_not_free(found: Measured, loads: Sequence[int]) -> str:
    """Names the larger part of the difference, if it is known."""
    one, own, direct = (found.value(each, "processor_ms", AIM_KB, *loads) for each in (ONE, OWN_RECORDS, DIRECT))
    roles = {name: ms for name, ms in found.roles(DIRECT, AIM_KB, *loads).items() if ms >= 0.005}
    if one is None or direct is None:
        return "one of the two was not measured"
    more = f"{direct - one:.2f} ms more"
    if own is None:
        why = f"it takes {more}"
    elif own - one > direct - own:
        why = f"the worker makes records in Python, which takes {own - one:.2f} of {more}"
    else:
        why = (
            f"a connection wakes {len(roles)} processes instead of one, each with caches that others have used, which "
            f"takes {direct - own:.2f} of {more}"
        )
    parts = ", ".join(f"{name} {ms:.2f}" for name, ms in roles.items())
    return f"{why} (ms of each: {parts}; one process {one:.2f})"


def _in_words(loads: Sequence[int]) -> str:
    """Numbers of clients, in ascending order; 0 is a single one."""
    if not any(loads):
        return "one client at a time"
    return f"{' to '.join(str(each) for each in dict.fromkeys((loads[0], loads[-1])))} clients at a time"


def cause(found: Measured) -> str:
    """Why the thesis's design costs what it does here, from its processor time."""
    loads = [load for load in (0, *found.loads) if found.value(ONE, "processor_ms", 2, load) is not None]
    one, two, direct = (
        [found.value(design, "processor_ms", size, *loads) or 0 for size in (2, 200)]
        for design in (ONE, THESIS, DIRECT)
    )
    passing = two[1] - direct[1] - (two[0] - direct[0])
    return (
        f"the hand-over costs {two[0] - one[0]:.2f} ms of processor time at 2 KB already, and passing 200 KB twice "
        f"adds {passing:.2f} ms to it, while one process takes {one[1] - one[0]:.2f} ms longer for 200 KB itself"
    )


def interval(mean: Mean) -> str:
    """A percentage with its sign, and the 95 % interval if it is known."""
    return f"{mean.value:+.1f} %" + (f" ± {mean.ci95:.1f}" if mean.ci95 is not None else "")
