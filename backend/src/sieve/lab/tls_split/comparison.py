"""Measured designs beside one process, and beside what the thesis concludes from its tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sieve.lab.intervals import Mean, mean_of
from sieve.lab.tls_split.printed_tables import INITIATION, RESUMPTION, increase_percent

ONE, THESIS, DIRECT = "one-process", "through-handler", "direct"
AIM_PERCENT: Final = 5.0
"""At 200 KB, direct routing is meant to cost at most this much more than one process."""
_ALIKE: Final = 1.25
"""A ratio up to which two times count as the same."""
_BUSY: Final = "other work on the machine is more than the difference"

Answer = Literal["follows", "does not follow", "differs on today's machines", "not decided", "not measured"]


class Measured:
    """The cells of a measurement: runs with the same load and size are one cell."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._cells: Sequence[Mapping[str, Any]] = found["cells"]
        self.sizes_kb = sorted({cell["size_kb"] for cell in self._cells})
        self.loads = sorted({cell["clients"] for cell in self._cells if cell["clients"]})

    def value(self, design: str, figure: str, size_kb: int, *loads: int) -> float | None:
        """A figure's mean over runs, and over these numbers of clients; without any, over all but the single one."""
        values = [
            cell[figure]
            for cell in self._cells
            if (cell["design"], cell["size_kb"]) == (design, size_kb)
            and cell["clients"] in (loads or self.loads)
            and cell[figure] is not None
        ]
        return sum(values) / len(values) if values else None

    def overhead(self, design: str, figure: str, size_kb: int, *loads: int) -> Mean | None:
        """By how many percent a figure is more than in one process: the mean over runs, each compared with the one
        process's run of the same round. None if nothing was measured."""
        pairs = zip(self._runs(ONE, size_kb, loads), self._runs(design, size_kb, loads), strict=True)
        ratios = [
            increase_percent(one[figure], other[figure])
            for one, other in pairs
            if one[figure] is not None and other[figure] is not None
        ]
        return mean_of(ratios) if ratios else None

    def failures(self) -> tuple[int, int, int]:
        """Requests served, those that failed, and resumptions that became full handshakes."""
        served, failed, not_resumed = (
            sum(cell[name] for cell in self._cells) for name in ("served", "failed", "not_resumed")
        )
        return served, failed, not_resumed

    def _runs(self, design: str, size_kb: int, loads: Sequence[int]) -> list[Mapping[str, Any]]:
        return [
            cell
            for cell in self._cells
            if (cell["design"], cell["size_kb"]) == (design, size_kb) and cell["clients"] in (loads or self.loads)
        ]


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
    yield from _handshakes(found)
    yield from _records(found)
    for table, figure in ((INITIATION, "initiation_ms"), (RESUMPTION, "resumption_ms")):
        yield _through_handler(found, table.title, table.page, figure, [increase_percent(*p) for p in table.averages])
    yield _direct(found)


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
    says = (
        f"{title.lower()} through the handler costs {printed[0]:.1f} % more at 2 KB and {printed[-1]:.1f} % at 200 KB "
        f"(as corrected)"
    )
    small, large = found.overhead(THESIS, figure, 2, 0), found.overhead(THESIS, figure, 200, 0)
    if small is None or large is None:
        return Verdict(says, page, "not measured", "")
    ours = f"{interval(small)} and {interval(large)}, one client at a time"
    is_more = _is_more(large)
    if is_more is None and (work := found.overhead(THESIS, "processor_ms", 200, 0, *found.loads)):
        ours += f"; {interval(work)} processor time at 200 KB"
        is_more = _is_more(work)
    if is_more is None:
        return _holds(says, page, False, ours, _BUSY, "not decided")
    return _holds(says, page, is_more, ours, "the worker works while the handler shakes hands with others")


def _is_more(overhead: Mean) -> bool | None:
    """Whether an overhead is above zero; None if its interval includes zero, or there is only one run."""
    if overhead.ci95 is None or abs(overhead.value) <= overhead.ci95:
        return None
    return overhead.value > 0


def _direct(found: Measured) -> Verdict:
    says = "direct routing removes the overhead"
    times = found.overhead(DIRECT, "resumption_ms", 200, 0)
    work = found.overhead(DIRECT, "processor_ms", 200, 0, *found.loads)
    if times is None or work is None:
        return Verdict(says, 51, "not measured", "")
    one, direct = (found.value(design, "processor_ms", 200, 0, *found.loads) or 0 for design in (ONE, DIRECT))
    ours = (
        f"at 200 KB {interval(times)} response of a resumption, one client at a time; {interval(work)} processor time"
    )
    if work.ci95 is None or abs(work.value - AIM_PERCENT) <= work.ci95:
        return _holds(says, 51, False, ours, _BUSY, "not decided")
    why = (
        f"a hand-over costs {direct - one:.2f} ms of processor time whatever the size: two more processes wake up, "
        "two descriptors are passed, keys are derived again"
    )
    return _holds(says, 51, work.value <= AIM_PERCENT, ours, why)


def interval(mean: Mean) -> str:
    """A percentage with its sign, and the 95 % interval if it is known."""
    return f"{mean.value:+.1f} %" + (f" ± {mean.ci95:.1f}" if mean.ci95 is not None else "")
