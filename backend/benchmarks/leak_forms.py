"""What the leak check finds of other forms of a marked text, kind by kind: `python -m benchmarks.leak_forms`.

A line of `leak_lists/KIND.txt` is a language, a marked text and a text: `de | Karl Müller | Gesehen von ⟦Mueller⟧.`
The brackets enclose what a person expects to be found; a text without brackets is a near miss. After `=` are words of a
keyword rule. The lists were written before the rules that pass them, so change a rule, not a line.

A value is found if findings cover all its letters and digits, and suggested if suggestions have to help. A near miss
is a text with a finding, or with a suggestion, where nothing is expected.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Final, NamedTuple

from sieve.core.units import Mark, Unit
from sieve.marking.leaks import Finding, check
from sieve.marking.leaks.finding import HIDDEN, NAME_ADDRESS
from sieve.marking.policy import Rule, no_keywords_files, parse

LISTS: Final = Path(__file__).parent / "leak_lists"
KINDS: Final = sorted(path.stem for path in LISTS.glob("*.txt"))
FILE_NAME: Final = "file-name"
"""The kind whose texts are names of documents."""
_PLAIN: Final = (
    "The committee met as usual and adopted the minutes. Nobody asked for the floor, and lunch was served. " * 3
)


class Line(NamedTuple):
    """A line of a list, with the ranges of its values."""

    kind: str
    language: str
    marked: str
    keywords: tuple[str, ...]
    text: str
    values: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Values, found ones, those that suggestions help to find; near misses, those with findings or suggestions."""

    values: int = 0
    found: int = 0
    suggested: int = 0
    near: int = 0
    false: int = 0
    false_suggestions: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.values + other.values,
            self.found + other.found,
            self.suggested + other.suggested,
            self.near + other.near,
            self.false + other.false,
            self.false_suggestions + other.false_suggestions,
        )

    @property
    def recall(self) -> float:
        """Share of the values that were found or suggested."""
        return (self.found + self.suggested) / self.values


def lines(kind: str) -> Iterator[Line]:
    """The list of one kind."""
    for written in (LISTS / f"{kind}.txt").read_text("utf-8").splitlines():
        language, marked, bracketed = written.split(" | ")
        marked, _, keywords = marked.partition(" = ")
        text, values = "", []
        for piece in bracketed.replace("\\n", "\n").split("⟦"):
            value, bracket, rest = piece.partition("⟧")
            if bracket:
                values.append((len(text), len(text) + len(value)))
            text += value + rest
        yield Line(kind, language, marked, tuple(filter(None, keywords.split(", "))), text, tuple(values))


def findings(line: Line) -> list[Finding]:
    """The findings in the text of a line, in a document that marks what the line says."""
    units = [Unit("text/0", line.marked, "paragraph"), Unit("text/1", _PLAIN, "paragraph")]
    is_name = line.kind == FILE_NAME
    if not is_name:
        units.append(Unit("text/2", line.text, "paragraph"))
    at = NAME_ADDRESS if is_name else "text/2"
    found = check(
        units, [Mark("text/0", 0, len(line.marked))], name=line.text if is_name else "", rules=_rules(line.keywords)
    )
    return [one for one in found if one.address == at and one.kind != HIDDEN]


def score(line: Line) -> Score:
    """How the text of one line was checked."""
    found = findings(line)
    if not line.values:
        suggestions = [one for one in found if one.kind == "suggestion"]
        return Score(near=1, false=int(len(found) > len(suggestions)), false_suggestions=int(bool(suggestions)))
    exact = _letters(line.text, [one for one in found if one.kind != "suggestion"])
    both = _letters(line.text, found)
    right = suggested = 0
    for start, end in line.values:
        value = {at for at in range(start, end) if line.text[at].isalnum()}
        right += value <= exact
        suggested += value <= both and not value <= exact
    return Score(values=len(line.values), found=right, suggested=suggested)


def total(kind: str) -> Score:
    """The score of one list."""
    return reduce(add, map(score, lines(kind)))


def _rules(keywords: Sequence[str]) -> Sequence[Rule]:
    if not keywords:
        return ()
    words = json.dumps(keywords, ensure_ascii=False)
    text = f'name = "nicknames"\nversion = 1\n[[rules]]\nkind = "keywords"\nkeywords = {words}\n'
    return parse(text, no_keywords_files).rules


def _letters(text: str, found: Sequence[Finding]) -> set[int]:
    whole = 0, len(text)
    ranges = [whole if one.start is None or one.end is None else (one.start, one.end) for one in found]
    return {at for start, end in ranges for at in range(start, end)}


def main() -> None:
    """Measures and prints."""
    print("| kind | expected | found | suggested | recall | near misses | false findings | false suggestions |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    totals = {kind: total(kind) for kind in KINDS}
    for kind, counted in {**totals, "**all**": reduce(add, totals.values())}.items():
        print(
            f"| {kind} | {counted.values} | {counted.found} | {counted.suggested} | {counted.recall:.0%} | "
            f"{counted.near} | {counted.false} | {counted.false_suggestions} |"
        )
    if "--missed" in sys.argv:
        for line in (line for kind in KINDS for line in lines(kind)):
            one = score(line)
            if one.found + one.suggested < one.values or one.false or one.false_suggestions:
                shown = [f"{hit.kind} {line.text[hit.start : hit.end]!r}" for hit in findings(line)]
                print(f"{line.kind}: {line.marked!r}: {line.text!r}: {shown}")


if __name__ == "__main__":
    main()
