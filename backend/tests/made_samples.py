"""The committed samples: what `scripts/make_samples.py` wrote down of each, and the marks that cover its secret."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sieve.core.units import Mark
from sieve.formats.reading import Reading

FOLDER = Path(__file__).parent / "formats" / "samples"
MANIFEST = FOLDER / "manifest.json"


@dataclass(frozen=True)
class Sample:
    """A file as a program made it. Its units contain `phrases`; `other` is the same file with another secret."""

    file: str
    made_by: str
    secret: str
    phrases: tuple[str, ...] = ()
    other: str = ""
    other_secret: str = ""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return FOLDER / self.file

    @property
    def data(self) -> bytes:
        """What it is."""
        return self.path.read_bytes()

    def __str__(self) -> str:
        return self.file


def samples() -> list[Sample]:
    """All of them, in the order of the manifest."""
    written: list[dict[str, Any]] = json.loads(MANIFEST.read_bytes())["samples"]
    return [Sample(**{**fields, "phrases": tuple(fields.get("phrases", ()))}) for fields in written]


def marks_of(reading: Reading, secret: str) -> list[Mark]:
    """Each unit with a word of the secret, with anything between its letters: those words of it.

    A link's address and a name have one word of the secret only, and it is searched for by itself.
    """
    found: list[Mark] = []
    words = "|".join(map(re.escape, secret.split()))
    for unit in reading.units():
        places = [*re.finditer(rf"(?:{words})(?:[\W_]+(?:{words}))*", unit.text, re.IGNORECASE)]
        found += [Mark(unit.address, place.start(), place.end()) for place in places]
    return found
