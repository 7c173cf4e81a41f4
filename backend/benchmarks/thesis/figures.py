"""What a figure is: the thesis's values beside the readings of ours, and what the thesis concludes from it.

Invariant: a value of the thesis is typed in only if its text or a table prints it, with the page; the curves of its
figures are pictures, and nothing is guessed off a picture. A conclusion is a claim that our rows can be asked: so the
page cannot say that something holds which does not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.cases import Case
from benchmarks.thesis.decisions import Answer, Evidence, Verdict, verdict
from benchmarks.thesis.estimates import Estimate
from benchmarks.thesis.readings import Reading, Rows


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

    def read(self, rows: Rows) -> list[tuple[float, Estimate]]:
        """What was measured of ours, by x."""
        return [(x, found) for x, reading in self.ours if (found := reading.read(rows)) is not None]

    def reading(self, x: float) -> Reading | None:
        """Ours at x."""
        return next((reading for at, reading in self.ours if at == x), None)


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


Check = Callable[["Exhibit", Rows], Evidence]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the thesis concludes. `check` asks our rows. `why` is what explains the answer `explains`, and is said only
    beside that one."""

    says: str
    page: int
    check: Check
    why: str
    explains: Answer = Answer.HOLDS

    def verdict(self, exhibit: "Exhibit", looks: Sequence[Rows]) -> Verdict:
        """`looks`: the rows at each early look of a run, and at last those of all of it."""
        return verdict([self.check(exhibit, rows) for rows in looks])


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
