"""How much of a file travels plain if one page, paragraph, cell or the like of it is marked: `make bench-files`.

Measures files that `benchmarks.file_samples` makes, or every file of these formats in a folder (`--folder`). It
marks what is in the middle. `--into` replaces the tables of a page between its marks.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple
from zipfile import ZipFile

from benchmarks.file_samples import PAGES, Sample, samples
from sieve.core.units import Mark
from sieve.formats.errors import FormatError
from sieve.formats.pdf import why_classified as pdf
from sieve.formats.reading import Reading, read
from sieve.formats.why_classified import why_classified

SIZES: Final = ((1, 1), (2, 4), (5, 19), (20, 10**9))
_PICTURES: Final = "word/media/"
_FORMATS: Final = frozenset(
    {".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".html", ".rtf", ".eml", ".zip"},
)
_WHOLE: Final = {"pdf": "page", "pptx": "slide", "eml": "attachment", "zip": "file"}
"""Formats of which a numbered part is marked: how its address begins."""
_BEGIN: Final = "<!-- measured: begin -->\n"
_END: Final = "<!-- measured: end -->\n"


class Share(NamedTuple):
    """What travelled plain of one file. `fonts`: the share of the fonts of the marked page; `fixed`: that of these, the
    marked page itself and what is beside the pages. Both are 0 for other formats than PDF.
    """

    sample: Sample
    plain: float
    fonts: float = 0
    fixed: float = 0


class Aim(NamedTuple):
    """What the median of these files should reach."""

    files: str
    least: float
    counts: Callable[[Sample], bool]


AIMS: Final = (
    Aim("PDF of 5 to 19 pages", 0.6, lambda sample: sample.format == ".pdf" and 5 <= sample.pages <= 19),
    Aim("PDF of 20 pages and more", 0.8, lambda sample: sample.format == ".pdf" and sample.pages >= 20),
    Aim("Word with pictures", 0.6, lambda sample: sample.format == ".docx" and _has_pictures(sample.data)),
    Aim("Excel with 2 sheets and more", 0.6, lambda sample: sample.format == ".xlsx" and sample.pages >= 2),
)


def _has_pictures(data: bytes) -> bool:
    with ZipFile(BytesIO(data)) as file:
        return any(name.startswith(_PICTURES) for name in file.namelist())


def measured(files: Iterable[Sample]) -> Iterator[Share]:
    """The share of each file that can be read and has something to mark."""
    for sample in files:
        try:
            reading = read(f"sample{sample.format}", sample.data)
            mark = _middle(reading)
            if mark is not None:
                size = len(sample.data)
                found = {one.why: one.size / size for one in why_classified(reading, [mark])}
                fonts, fixed = (
                    sum(found.get(why, 0) for why in kinds) if sample.format == ".pdf" else 0
                    for kinds in ((pdf.FONTS,), (pdf.FONTS, pdf.MARKED, pdf.PICTURES, pdf.REST))
                )
                yield Share(sample, 1 - reading.spans([mark]).classified_size / size, fonts, fixed)
        except FormatError as refused:
            print(f"{sample.producer}: {refused}", file=sys.stderr)


def _middle(reading: Reading) -> Mark | None:
    """Covers the page, slide, attachment or file in the middle, or the paragraph or cell in the middle of what readers
    see."""
    if part := _WHOLE.get(reading.name):
        found = _numbered(reading, part)
    else:
        found = [unit.address for unit in reading.units() if not unit.hidden and unit.text.strip()]
    return Mark(found[len(found) // 2]) if found else None


def _numbered(reading: Reading, *parts: str) -> list[str]:
    """The addresses of the pages, slides, sheets and so on that are called like one of these, in their order."""
    begins = ("/".join(unit.address.split("/")[:2]) for unit in reading.units())
    return list(dict.fromkeys(address for address in begins if address.split("/")[0] in parts and "/" in address))


def in_folder(folder: Path) -> Iterator[Sample]:
    """The files in the folder and those below it."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _FORMATS and path.is_file():
            data = path.read_bytes()
            yield Sample(path.suffix.lower(), path.name, _pages(path.name, data), data)


def _pages(name: str, data: bytes) -> int:
    """Pages of a PDF, slides, sheets, attachments and files; 1 for anything else."""
    try:
        return max(1, len(_numbered(read(name, data), "sheet", *_WHOLE.values())))
    except FormatError:
        return 1


def tables(shares: list[Share], by_producer: bool) -> str:
    """The medians by format and size, and by producer."""
    lines = [
        "| format | pages, sections, sheets, slides, attachments or files | files | plain, median | least | most |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for form in sorted({share.sample.format for share in shares}):
        for low, high in SIZES:
            found = [
                share.plain for share in shares if share.sample.format == form and low <= share.sample.pages <= high
            ]
            if found:
                size = str(low) if low == high else f"{low} and more" if high > 10**6 else f"{low}-{high}"
                lines.append(f"| {form} | {size} | {len(found)} | {_numbers(found)} |")
    lines += ["", *_aims(shares)]
    lines += ["", *_bounds([share for share in shares if share.sample.format == ".pdf"])]
    if by_producer:
        lines += ["", "| producer | " + " | ".join(map(str, PAGES)) + " |", "|---|" + "--:|" * len(PAGES)]
        for form, producer in dict.fromkeys((share.sample.format, share.sample.producer) for share in shares):
            row = {
                share.sample.pages: share.plain
                for share in shares
                if (share.sample.format, share.sample.producer) == (form, producer)
            }
            cells = (f"{row[pages]:.2f}" if pages in row else "" for pages in PAGES)
            lines.append(f"| {form}: {producer} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _aims(shares: list[Share]) -> Iterator[str]:
    """What should be reached, and whether it is."""
    yield "| aim | files | plain, median | at least | reached |"
    yield "|---|--:|--:|--:|---|"
    for aim in AIMS:
        found = [share.plain for share in shares if aim.counts(share.sample)]
        if found:
            reached = "yes" if median(found) >= aim.least else "no"
            yield f"| {aim.files} | {len(found)} | {median(found):.2f} | {aim.least} | {reached} |"


def _bounds(shares: list[Share]) -> Iterator[str]:
    """What other rules could reach for PDFs, as medians."""
    yield "| pages of a PDF | plain | all but fonts of the marked page | all but these, it and what is beside pages |"
    yield "|---|--:|--:|--:|"
    for low, high in SIZES:
        found = [share for share in shares if low <= share.sample.pages <= high]
        if found:
            size = str(low) if low == high else f"{low} and more" if high > 10**6 else f"{low}-{high}"
            columns = ([one.plain for one in found], [1 - one.fonts for one in found], [1 - one.fixed for one in found])
            yield f"| {size} | " + " | ".join(f"{median(column):.2f}" for column in columns) + " |"


def _numbers(found: list[float]) -> str:
    return " | ".join(f"{number:.2f}" for number in (median(found), min(found), max(found)))


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="make bench-files", description=__doc__)
    parser.add_argument("--folder", type=Path, help="measure the files in this folder")
    parser.add_argument("--most", type=int, default=max(PAGES), help="pages of the largest file that is made")
    parser.add_argument("--into", type=Path, help="the page to write to")
    asked = parser.parse_args()
    shares = list(measured(in_folder(asked.folder) if asked.folder else samples(asked.most)))
    said = tables(shares, by_producer=not asked.folder)
    print(said)
    if asked.into:
        before, _, rest = asked.into.read_text().partition(_BEGIN)
        asked.into.write_text(f"{before}{_BEGIN}\n{said}\n{_END}{rest.partition(_END)[2]}")


if __name__ == "__main__":
    main()
