"""No other reader of PDFs finds in a redacted edition what is marked.

pdfium and qpdf's library are always there. poppler, qpdf and mutool are asked where they are installed;
`scripts/pdf_readers.py` installs them in CI.
"""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from scripts.pdf_readers import PROGRAMS
from scripts.producers import MUTOOL, POPPLER, QPDF

from made_samples import Sample, marks_of, samples
from pdf_files import by_reportlab, holds
from sieve.core.units import Mark
from sieve.formats.reading import read, redact

Says = Callable[[Path, str], bool]
"""Whether a reader finds a text in a file."""

SAMPLES = [sample for sample in samples() if sample.path.suffix == ".pdf"]
TWINS = {sample.other for sample in SAMPLES}


def by_pdfium(path: Path, text: str) -> bool:
    with pypdfium2.PdfDocument(path) as pdf:
        return any(text in page.get_textpage().get_text_bounded() for page in pdf)


def by_pikepdf(path: Path, text: str) -> bool:
    written = BytesIO()
    with pikepdf.open(path) as pdf:
        pdf.save(
            written,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.all,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
        )
    return holds(written.getvalue(), text)


def by_poppler(path: Path, text: str) -> bool:
    return any(text in POPPLER.run([order, str(path), "-"], path.parent) for order in ("-layout", "-raw"))


def by_qpdf(path: Path, text: str) -> bool:
    """Fails if qpdf complains of the file."""
    unpacked = path.with_suffix(".qdf")
    QPDF.run(["--qdf", "--object-streams=disable", "--decode-level=all", str(path), str(unpacked)], path.parent)
    return holds(unpacked.read_bytes(), text)


def by_mutool(path: Path, text: str) -> bool:
    return text in MUTOOL.run(["draw", "-q", "-F", "txt", str(path)], path.parent)


BUILT_IN: dict[str, Says] = {"pdfium": by_pdfium, "pikepdf": by_pikepdf}
INSTALLED: dict[str, Says] = {
    program.name: says
    for program, says in ((POPPLER, by_poppler), (QPDF, by_qpdf), (MUTOOL, by_mutool))
    if program.is_here
}
READERS = BUILT_IN | INSTALLED


@pytest.mark.parametrize("name", [*BUILT_IN, *(program.name for program in PROGRAMS)])
def test_each_reader_finds_a_text_that_is_there_and_not_a_marked_one(name: str, tmp_path: Path) -> None:
    if name not in READERS:
        # Three programs are optional on a developer's machine. In CI `make pdf-readers` installs them, or fails.
        pytest.skip(f"{name} is not installed")
    data = by_reportlab(["green hills", "the code is ORION today"])
    before, after = tmp_path / "before.pdf", tmp_path / "after.pdf"
    before.write_bytes(data)
    after.write_bytes(redact(read(before.name, data), [Mark("page/2", 12, 17)]))
    says = READERS[name]
    assert says(before, "ORION")
    assert not says(after, "ORION")
    assert says(after, "green hills")


@pytest.mark.parametrize(
    "sample",
    [pytest.param(sample, marks=pytest.mark.soak if sample.file in TWINS else ()) for sample in SAMPLES],
    ids=str,
)
def test_no_reader_finds_the_secret_of_a_sample_in_its_redacted_edition(sample: Sample, tmp_path: Path) -> None:
    reading = read(sample.file, sample.data)
    edition = tmp_path / "edition.pdf"
    edition.write_bytes(redact(reading, marks_of(reading, sample.secret)))
    words = sample.secret.split()
    assert [(name, word) for name, says in READERS.items() for word in words if says(edition, word)] == []
