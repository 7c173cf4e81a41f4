"""Holds redacted editions against programs that are no part of this project: `make check-office`.

For each sample an edition is made in which its secret is marked, and one with a few units that a seed draws.
LibreOffice opens those of office documents, prints them and writes them again; qpdf checks those in PDF, and poppler
reads and draws them. What comes out of these programs must not say the secret, and must say what is not secret, as far
as LibreOffice itself brings that over from the file before. Ends with 1 if something does not hold, and with 2 if a
program is missing.
"""

import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from made_samples import Sample, marks_of, samples
from scripts.producers import DRAWER, OFFICE, POPPLER, QPDF, Missing, converted
from sieve.core.units import Mark
from sieve.formats.errors import RedactionFailed
from sieve.formats.reading import read, redact

_PRINTED = {kind: kind for kind in ("docx", "xlsx", "pptx", "odt", "ods", "rtf")}


@dataclass
class Edition:
    """A redacted edition, what it must not say, and what it must."""

    sample: Sample
    kind: str
    marked: str
    path: Path
    secret: list[str]
    public: list[str]
    faults: list[str] = field(default_factory=list)


def main() -> int:
    """Makes the editions, has them opened, prints what was found."""
    try:
        print(f"{OFFICE.version()}, {QPDF.version()}, {POPPLER.version()}\n")
        with tempfile.TemporaryDirectory() as folder:
            editions = [*_editions(Path(folder))]
            _by_libreoffice(Path(folder) / "printed", [e for e in editions if e.kind in _PRINTED])
            for edition in editions:
                if edition.kind == "pdf":
                    _by_pdf_readers(edition)
    except Missing as missing:
        print(f"check-office: {missing}", file=sys.stderr)
        return 2
    for edition in editions:
        for fault in edition.faults:
            print(f"{edition.sample.file}, {edition.marked}: {fault}")
    print("| editions | made | opened and found as they should be |\n|---|--:|--:|")
    for kind in (*_PRINTED, "pdf"):
        of_kind = [edition for edition in editions if edition.kind == kind]
        print(f"| .{kind} | {len(of_kind)} | {sum(not edition.faults for edition in of_kind)} |")
    return int(any(edition.faults for edition in editions))


def _editions(folder: Path) -> Iterator[Edition]:
    for number, sample in enumerate(samples()):
        reading = read(sample.file, sample.data)
        if reading.name not in (*_PRINTED, "pdf"):
            continue
        units = [*reading.units()]
        texts = [unit for unit in units if len(_flat(unit.text)) >= 5 and not _flat(unit.text).isnumeric()]
        chosen = Random(sample.file).sample(texts, min(3, len(texts)))
        drawn = [Mark(unit.address) for unit in chosen]
        for marked, marks, secret in (
            ("its secret", marks_of(reading, sample.secret), sample.secret.split()),
            ("drawn units", drawn, [unit.text for unit in chosen]),
        ):
            path = folder / f"{number}-{len(marked)}.{reading.name}"
            try:
                path.write_bytes(redact(reading, marks))
            except RedactionFailed:
                continue  # a page that says what is marked elsewhere: the author learns to mark it, too
            left = read(sample.file, path.read_bytes())
            public = [unit.text for unit in left.units() if not unit.hidden and unit.kind != "sheet"]
            yield Edition(sample, reading.name, marked, path, secret, [text for text in public if text])


def _by_libreoffice(folder: Path, editions: list[Edition]) -> None:
    """Opens all of them in one run, writes each as pages and once more as what it is, and reads both."""
    (folder / "before").mkdir(parents=True)
    converted(folder, [edition.path for edition in editions], "pdf")
    for kind in {edition.kind for edition in editions}:
        of_kind = [edition for edition in editions if edition.kind == kind]
        converted(folder, [edition.path for edition in of_kind], kind)
        converted(folder / "before", sorted({edition.sample.path for edition in of_kind}), kind)
    for edition in editions:
        pages, again = folder / f"{edition.path.stem}.pdf", folder / edition.path.name
        if not pages.exists() or not again.exists():
            edition.faults.append("LibreOffice does not open it")
            continue
        printed = POPPLER.run(["-layout", str(pages), "-"], folder)
        _compare(edition, "its pages in LibreOffice", printed, within=0.7)
        before = _flat(_shown(folder / "before" / edition.sample.path.name))
        edition.public = [word for text in edition.public for word in _flat(text).split() if word in before]
        _compare(edition, "what LibreOffice writes of it", _shown(again), within=1)


def _shown(path: Path) -> str:
    """What shows in a file; what hides in it is LibreOffice's own, such as its name."""
    units = read(path.name, path.read_bytes()).units()
    return "\n".join(unit.text for unit in units if not unit.hidden)


def _by_pdf_readers(edition: Edition) -> None:
    try:
        QPDF.run(["--check", str(edition.path)], edition.path.parent)
    except subprocess.CalledProcessError as failed:
        edition.faults.append(f"qpdf --check: {failed.stdout.strip().splitlines()[-1]}")
    printed = POPPLER.run([str(edition.path), "-"], edition.path.parent)
    _compare(edition, "its text in poppler", printed, within=0.9)
    said = DRAWER.run(["-r", "30", "-png", str(edition.path), str(edition.path.with_suffix(""))], edition.path.parent)
    if said.strip():
        edition.faults.append(f"poppler complains: {said.strip().splitlines()[0]}")


def _compare(edition: Edition, where: str, said: str, within: float) -> None:
    """`within`: how much of the words that show must be there; pages break words and leave out what does not fit."""
    flat = _flat(said)
    if any(_flat(text) in flat for text in edition.secret):
        edition.faults.append(f"{where} tells what is marked")
    words = {word for text in edition.public for word in _flat(text).split()}
    missing = {word for word in words if word not in flat}
    if len(words) - len(missing) < within * len(words):
        edition.faults.append(
            f"{where}: {len(missing)} of {len(words)} words are missing, {sorted(missing)[0]!r} first"
        )


def _flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


if __name__ == "__main__":
    sys.exit(main())
