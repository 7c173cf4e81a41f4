"""What marks cover of a file's units: characters, whole units, or everything below an address.

Invariant: a mark whose address or characters the file does not have is refused.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sieve.core.units import Mark, Unit
from sieve.formats.errors import RedactionFailed, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.phrases import Phrases, bare, derived_names
from sieve.formats.text_ranges import characters, united, with_markers

_MAX_NAMED: Final = 5
"""Places that an error names."""


@dataclass(slots=True, repr=False)
class MarkedUnits:
    """`ranges`: marked characters by address, also of units without text; `texts`: what they say."""

    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)

    def withheld(self, unit: Unit, phrases: Phrases) -> list[tuple[int, int]]:
        """The marked characters of a unit, and where it contains one of the phrases."""
        own = self.ranges.get(unit.address, [])
        return united([*own, *phrases.ranges(unit.text)]) if phrases.in_text(unit.text) else own


def marked_units(units: Iterable[Unit], marks: Sequence[Mark]) -> MarkedUnits:
    """What the marks cover of `units`.

    Raises:
        UnknownPlace: an address is not in the file, or characters are outside their unit.
    """
    by_address = {unit.address: unit for unit in units}
    whole = {mark.address for mark in marks if mark.start is None and mark.end is None}
    ranges: dict[str, list[tuple[int, int]]] = {}
    for mark in marks:
        if mark.address not in whole:
            unit = by_address.get(mark.address)
            if unit is None:
                raise UnknownPlace(mark.address, "the file has no such text")
            ranges.setdefault(mark.address, []).append(characters(mark, len(unit.text)))
        elif mark.start is not None or mark.end is not None:
            unit = by_address.get(mark.address)
            characters(mark, len(unit.text) if unit else 0)
    found: set[str] = set()
    for address, unit in by_address.items() if whole else ():
        if covering := _covering(address, whole):
            ranges[address] = [(0, len(unit.text))]
            found.update(covering)
    for missing in whole - found:
        raise UnknownPlace(missing, "the file has no such address")
    marked = MarkedUnits()
    for address, given in ranges.items():
        marked.ranges[address] = united(given)
        text = by_address[address].text
        marked.texts.update(text[start:end] for start, end in (*given, *marked.ranges[address]) if start < end)
    return marked


def texts_at(units: Iterable[Unit], marks: Sequence[Mark]) -> set[str]:
    """What marks that fit say: of characters of units, of everything below an address, of columns."""
    texts: set[str] = set()
    for unit in units:
        for mark in marks:
            if mark.address == unit.address and mark.start is not None:
                texts.add(unit.text[mark.start : mark.end])
            elif mark.start is None and _is_in(unit.address, mark.address):
                texts.add(unit.text)
    return texts


def with_copies(units: Iterable[Unit], marks: Sequence[Mark], phrases: Phrases) -> list[Mark]:
    """The marks, and one for each place where a unit contains one of the phrases."""
    copies = (
        Mark(unit.address, start, end)
        for unit in units
        if phrases.in_text(unit.text)
        for start, end in phrases.ranges(unit.text)
    )
    return [*marks, *copies]


def require_gone(edition: Iterable[Unit], texts: Iterable[str]) -> None:
    """Checks a finished redacted edition.

    Raises:
        RedactionFailed: its units contain a marked text; the error names them.
    """
    texts = set(texts)
    phrases = Phrases(texts, distinctive=True)
    if places := [unit.address for unit in edition if phrases.in_text(unit.text)]:
        raise still_marked_at(places, texts)


def still_marked_at(places: Iterable[str], texts: Iterable[str]) -> RedactionFailed:
    """The error for a redacted edition in which marked `texts` are still at `places`: addresses, or names of parts.

    A marker replaces what a place itself says of a marked text: a sheet or a file may have its name from one.
    """
    texts = set(texts)
    phrases, names = Phrases(texts, distinctive=True), Phrases(derived_names(texts), wordy=True)
    shown = list(dict.fromkeys(_without(place, phrases, names) for place in places))
    which = "this place" if len(shown) == 1 else "these places"
    more = f" and {len(shown) - _MAX_NAMED:,} more" if len(shown) > _MAX_NAMED else ""
    return RedactionFailed(
        f"{', '.join(shown[:_MAX_NAMED])}{more}: the redacted edition would still contain a marked text at {which}, "
        f"where it cannot be withheld by itself; mark {which}, too, or remove the text there"
    )


def _without(place: str, phrases: Phrases, names: Phrases) -> str:
    shown = [with_markers(segment, phrases.ranges(segment)) for segment in place.split("/")]
    return "/".join(MARKER if names.in_text(bare(segment)) else segment for segment in shown)


def _is_in(address: str, place: str) -> bool:
    """Whether the unit at `address` is at a place, below it, or in the column that it names, without its heading."""
    if place.startswith("column/"):
        is_row = address.startswith("row/") and not address.startswith("row/0/")
        return is_row and address.split("/", 2)[2:] == [place.removeprefix("column/")]
    return address == place or address.startswith(f"{place}/")


def _covering(address: str, whole: set[str]) -> list[str]:
    """Those of the addresses that are this one or above it."""
    found: list[str] = []
    while address:
        if address in whole:
            found.append(address)
        address = address.rpartition("/")[0]
    return found
