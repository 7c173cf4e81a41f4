"""Precision and recall of the detectors on lists: `make bench-detectors`.

A line of `detector_lists/NAME.txt` is a language and a text: `en | Call ⟦416-555-0123⟧`. A text without brackets has
nothing to find. The lists were written before the patterns that pass them, so change a pattern, not a line.
`detector_held_out` has lists of the same form by an author who had not read the patterns.

`--presidio` compares Presidio's recognisers, in an environment that has presidio-analyzer:
`uv run --with presidio-analyzer python -m benchmarks.detectors --presidio`. Each runs alone, without a language model
and in its default country, and each of its hits counts whatever its score.

A value is found if one hit covers it and no other letter or digit. Every other hit is a false alarm.
"""

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sieve.marking.detectors.registry import DETECTORS, Detector
from sieve.marking.ranges import Ranges

LISTS = Path(__file__).parent / "detector_lists"
HELD_OUT = Path(__file__).parent / "detector_held_out"
"""Lists whose author had not read the patterns, which were changed later for what they had missed."""
Span = tuple[int, int]
Hits = Sequence[Span] | Ranges
Find = Callable[[str], Hits]


PRESIDIO = {
    "email": "EmailRecognizer",
    "phone": "PhoneRecognizer",
    "payment-card": "CreditCardRecognizer",
    "iban": "IbanRecognizer",
    "canadian-sin": "CaSinRecognizer",
    "us-ssn": "UsSsnRecognizer",
    "birth-date": "DateRecognizer",
    "ip-address": "IpRecognizer",
}
"""Its recogniser for each of these detectors. It has none for coordinates, and one for dates of any kind."""


class Line(NamedTuple):
    """A text of a list, with the ranges of its values."""

    language: str
    text: str
    values: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one detector: values, those found, and hits that are no value."""

    values: int = 0
    found: int = 0
    false: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.values + other.values, self.found + other.found, self.false + other.false)

    @property
    def recall(self) -> float:
        """Share of the values that were found."""
        return self.found / self.values if self.values else 1.0

    @property
    def precision(self) -> float:
        """Share of the hits that are values."""
        hits = self.found + self.false
        return self.found / hits if hits else 1.0


def lines(name: str, folder: Path = LISTS) -> Iterator[Line]:
    """The list of one detector."""
    for written in (folder / f"{name}.txt").read_text("utf-8").splitlines():
        language, _, marked = written.partition(" | ")
        text, values = "", []
        for piece in marked.replace("\\n", "\n").split("⟦"):
            value, bracket, rest = piece.partition("⟧")
            if bracket:
                values.append((len(text), len(text) + len(value)))
            text += value + rest
        yield Line(language, text, tuple(values))


def score(line: Line, hits: Hits) -> Score:
    """How one line was searched."""
    found = [value for value in line.values if any(_is_same(line.text, value, hit) for hit in hits)]
    right = [hit for hit in hits if any(_is_same(line.text, value, hit) for value in line.values)]
    return Score(len(line.values), len(found), len(hits) - len(right))


def _is_same(text: str, value: Span, hit: Span) -> bool:
    beyond = text[hit[0] : value[0]] + text[value[1] : hit[1]]
    return hit[0] <= value[0] and value[1] <= hit[1] and not any(character.isalnum() for character in beyond)


def total(name: str, find: Find, language: str | None = None, folder: Path = LISTS) -> Score:
    """The score of one list, or of its lines in one language."""
    counted = Score()
    for line in lines(name, folder):
        if language in (None, line.language):
            counted += score(line, find(line.text))
    return counted


def presidio(recogniser: str) -> Find:
    """Finds what one of Presidio's recognisers finds."""
    package = importlib.import_module("presidio_analyzer.predefined_recognizers")
    made = getattr(package, recogniser)()

    def find(text: str) -> list[Span]:
        return sorted({(hit.start, hit.end) for hit in made.analyze(text, made.supported_entities, None) or []})

    return find


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="list what was missed and each false alarm")
    parser.add_argument("--presidio", action="store_true", help="measure Presidio's recognisers instead")
    options = parser.parse_args()
    if options.presidio:
        print("| detector | recall | precision |\n|---|--:|--:|")
        for name, recogniser in PRESIDIO.items():
            counted = total(name, presidio(recogniser))
            print(f"| `{name}` | {counted.recall:.3f} | {counted.precision:.3f} |")
        return 0
    names = [name for name in DETECTORS if (LISTS / f"{name}.txt").exists()]
    for folder, title in ((LISTS, "Lists"), (HELD_OUT, "Held-out lists")):
        print(f"{title}:\n\n| detector | values | near misses | recall | precision |\n|---|--:|--:|--:|--:|")
        for name in names:
            counted = total(name, Detector(name).find, folder=folder)
            near = sum(not line.values for line in lines(name, folder))
            print(f"| `{name}` | {counted.values} | {near} | {counted.recall:.3f} | {counted.precision:.3f} |")
        print()
    print("Recall by language:\n\n| language | values | recall | precision |\n|---|--:|--:|--:|")
    for language in sorted({line.language for name in names for line in lines(name)}):
        counted = Score()
        for name in names:
            counted += total(name, Detector(name).find, language)
        print(f"| {language} | {counted.values} | {counted.recall:.3f} | {counted.precision:.3f} |")
    if options.missed:
        for name in names:
            find = Detector(name).find
            for line in (*lines(name), *lines(name, HELD_OUT)):
                hits = find(line.text)
                counted = score(line, hits)
                if counted.found < counted.values or counted.false:
                    print(f"{name}: {line.text!r}: {[line.text[start:end] for start, end in hits]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
