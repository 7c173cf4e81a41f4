"""What a figure is: the thesis's values beside the readings of ours, and what the thesis concludes from it.

Invariant: a value of the thesis is typed in only if its text or a table prints it, with the page; the curves of its
figures are pictures, and nothing is guessed off a picture. A conclusion is a claim that our rows can be asked: so the
page cannot say that something holds which does not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.cases import Case
from benchmarks.thesis.readings import Read, Reading, Rows


@dataclass(frozen=True, slots=True)
class Printed:
    """A value that the thesis prints. `follows`: from which printed values it was worked out, if it is not there."""

    x: float
    value: float
    page: int
    follows: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a panel: the thesis's values and ours, at the same x. `secure`: drawn in the colour of the secure
    channel, else of the plain one; of one colour, the later are lighter."""

    name: str
    printed: tuple[Printed, ...] = ()
    ours: tuple[tuple[float, Reading], ...] = ()
    secure: bool = True

    def read(self, rows: Rows) -> list[tuple[float, Read]]:
        """What was measured of ours, by x."""
        return [(x, found) for x, reading in self.ours if (found := reading.read(rows)) is not None]

    def at(self, x: float, rows: Rows) -> Read | None:
        """Ours at x."""
        return next((read for at, read in self.read(rows) if at == x), None)


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph: (a) or (b)."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]

    @property
    def is_percentage(self) -> bool:
        """Whether it shows improvements, which may be negative."""
        return self.y_label.endswith("(%)")

    def named(self, name: str) -> Series:
        return next(series for series in self.series if series.name == name)


class Answer(StrEnum):
    """Of our rows to a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"
    MISSING = "not measured"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer, and at how many points of how many that the claim speaks of it was asked."""

    answer: Answer
    points: int
    of: int

    def __str__(self) -> str:
        partly = f" at {self.points} of {self.of} points" if 0 < self.points < self.of else ""
        clear = self.answer in (Answer.HOLDS, Answer.FAILS)
        return f"**{self.answer}**{partly}" if clear else f"{self.answer}{partly}"


Check = Callable[["Exhibit", Rows], Verdict]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the thesis concludes. `check` asks our rows. `why` is what explains the answer `explains`, and is said only
    beside that one."""

    says: str
    page: int
    check: Check
    why: str
    explains: Answer = Answer.HOLDS


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A figure or a table. `setting`: how ours differs from the thesis's, in a sentence."""

    name: str
    title: str
    page: int
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...] = ()
    setting: str = ""
    is_table: bool = False

    @property
    def file_name(self) -> str:
        """figure-5-1.svg"""
        return self.name.lower().replace(" ", "-").replace(".", "-") + ".svg"

    def cases(self) -> Iterator[Case]:
        """All that it is read from."""
        for panel in self.panels:
            for series in panel.series:
                for _, reading in series.ours:
                    yield from reading.cases
