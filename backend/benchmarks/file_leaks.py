"""What becomes of secrets planted in files of every format: `make bench-leaks` prints it for docs/benchmarks.

The benchmark reads each file, marks its marked pieces and runs the leak check. A planted secret is then *found*, if all
its letters are in findings; or *kept*, if it needs no finding: with these marks it travels classified anyway, and the
redacted edition, if there is one, does not contain it; or it *leaks* without a warning. `--missed` lists those.
"""

import base64
import html
import quopri
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from benchmarks import planted
from benchmarks.leaks import Covered, letters_of
from benchmarks.planted_files import Aside, PlantedFile, files, locate
from office_files import flat, readings
from pdf_files import holds
from rtf_files import rtf_says
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import RedactionFailed
from sieve.formats.images.reading import ImageReading
from sieve.formats.reading import Reading, read, read_as, redact
from sieve.formats.registry import PICTURES
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN, NAME_ADDRESS

SEED = 11
_SEARCHED = frozenset({"docx", "xlsx", "pptx", "odt", "ods", "pdf", "html", "rtf", "eml", "zip", *PICTURES})
"""Formats that classify what nobody marked, too."""
FILES = 1080


@dataclass
class Row:
    """Counted over the secrets of one format, place or form."""

    planted: int = 0
    found: int = 0
    kept: int = 0

    @property
    def leaked(self) -> int:
        """Those that would be sent plain, or shown to people without clearance, without a warning."""
        return self.planted - self.found - self.kept


@dataclass
class Tally:
    """Rows by format; by format and place; and by form, of what no rule is made for."""

    files: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    formats: dict[str, Row] = field(default_factory=dict)
    places: dict[tuple[str, str], Row] = field(default_factory=dict)
    beyond: dict[str, Row] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)

    @property
    def leaked(self) -> int:
        """Secrets in forms with a rule that leaked without a warning."""
        return sum(row.leaked for row in self.formats.values())


def tally(seed: int, count: int) -> Tally:
    """Looks through `count` files."""
    result = Tally()
    for made in files(seed, count):
        _look(result, made)
    return result


def _look(result: Tally, made: PlantedFile) -> None:
    reading = read(made.name, made.data)
    units = [*reading.units()]
    laid, lost = locate(made, units)
    if isinstance(reading, ImageReading):
        laid.marks.extend(reading.initial_marks)
    findings = check(units, laid.marks, name=made.name, may_be_plain=reading.plain_places(laid.marks))
    covered = Covered(laid, findings)
    result.files[made.format] += 1
    result.characters[made.format] += sum(len(unit.text) for unit in units)
    secret = letters_of(laid.places)
    for finding in findings:
        if finding.address == NAME_ADDRESS:
            hit = bool(made.planted.name_form)
        else:
            hit = not secret.get(finding.address, set()).isdisjoint(covered.of(finding))
        if not hit:
            (result.notes if finding.kind == HIDDEN else result.alarms)[made.format] += 1
    is_kept = _kept(reading, made.data, laid.marks)
    # A sentence of an aside is in no other place.
    sentences = {aside.where: aside.text for aside in made.asides}
    for place in laid.places:
        text = covered.texts[place.address][place.start : place.end]
        found = covered.whole(place)
        kept = not found and is_kept(sentences.get(place.where, text))
        _count(result, made.format, place.where, place.form, text, found=found, kept=kept)
    for one in lost:
        where = one.where if isinstance(one, Aside) else "body"
        text = one.text[one.start : one.end] if isinstance(one, Aside) else one.text
        _count(result, made.format, where, one.form, text, found=False, kept=is_kept(one.text))
    if made.planted.name_form:
        found = any(finding.address == NAME_ADDRESS for finding in findings)
        _count(result, made.format, "name of the file", made.planted.name_form, made.name, found=found, kept=False)


def _count(result: Tally, kind: str, where: str, form: str, text: str, *, found: bool, kept: bool) -> None:
    if form.startswith(planted.BEYOND):
        rows = [result.beyond.setdefault(form, Row())]
    else:
        rows = [result.formats.setdefault(kind, Row()), result.places.setdefault((kind, where), Row())]
        if not found and not kept:
            result.silent.append(f"{kind}, {where}, {form}: {text!r}")
    for row in rows:
        row.planted += 1
        row.found += found
        row.kept += kept


def _kept(reading: Reading, data: bytes, marks: list[Mark]) -> Callable[[str], bool]:
    """Whether neither the plain stream nor the redacted edition says a text, which is worked out when it is asked."""
    said: list[Callable[[str], bool]] = []

    def kept(text: str) -> bool:
        if reading.name not in _SEARCHED:
            return False
        if not said:
            said.append(_teller(reading.name, separate(Document(data, reading.spans(marks))).plain))
            try:
                edition = redact(reading, marks)
            except RedactionFailed:
                edition = b""
            if edition:
                left = read_as(reading.name, edition)
                units = flat("\n".join(unit.text for unit in left.units()))
                said.append(lambda text: flat(text) in units)
        return not any(tells(text) for tells in said)

    return kept


def _teller(kind: str, plain: bytes) -> Callable[[str], bool]:
    if kind == "pdf":
        return lambda text: holds(plain, text)
    if kind == "rtf":
        return lambda text: rtf_says(plain, text)
    if kind in ("html", "eml"):
        unpacked = (base64.b64decode(found + b"==") for found in re.findall(rb"[A-Za-z0-9+/\r\n]{60,}", plain))
        decoded = [
            html.unescape(one.decode("utf-8", "replace")) for one in (plain, quopri.decodestring(plain), *unpacked)
        ]
        return lambda text: any(flat(text) in flat(one) for one in decoded)
    texts = readings(plain)
    return lambda text: any(flat(text) in one for one in texts)


def main() -> None:
    """Measures and prints."""
    result = tally(SEED, FILES)
    if "--missed" in sys.argv:
        print("\n".join([*result.silent, ""]))
    print(f"{result.files.total()} files, {result.characters.total():,} characters, seed {SEED}\n")
    print("| format | files | planted | found | kept anyway | leaked | recall | false alarms for 100,000 characters |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for kind, row in result.formats.items():
        alarms = result.alarms[kind] / result.characters[kind] * 1e5
        print(f"| .{kind} | {result.files[kind]} | {_cells(row)} | {alarms:.2f} |")
    whole = _sum(result.formats.values())
    alarms = result.alarms.total() / result.characters.total() * 1e5
    print(f"| **all** | {result.files.total()} | {_cells(whole)} | {alarms:.2f} |\n")
    print("| place | planted | found | kept anyway | leaked | recall |\n|---|--:|--:|--:|--:|--:|")
    for (kind, where), row in sorted(result.places.items()):
        print(f"| .{kind}, {where} | {_cells(row)} |")
    print("\n| beyond its rules | planted | found | kept anyway | leaked | recall |\n|---|--:|--:|--:|--:|--:|")
    for form, row in sorted(result.beyond.items()):
        print(f"| {form.removeprefix(planted.BEYOND)} | {_cells(row)} |")
    print(f"| **all of these** | {_cells(_sum(result.beyond.values()))} |")


def _cells(row: Row) -> str:
    exposed = row.planted - row.kept
    recall = f"{row.found / exposed:.1%}" if exposed else "–"
    return f"{row.planted} | {row.found} | {row.kept} | {row.leaked} | {recall}"


def _sum(rows: Iterable[Row]) -> Row:
    total = Row()
    for row in rows:
        total = Row(total.planted + row.planted, total.found + row.found, total.kept + row.kept)
    return total


if __name__ == "__main__":
    main()
