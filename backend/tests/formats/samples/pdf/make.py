"""Makes the samples beside it: three pages each, of which the second says ORION, by producers that people use.

    backend/.venv/bin/python backend/tests/formats/samples/pdf/make.py

Ghostscript (`gs`) and Chromium (`chromium`) are asked for theirs if they are installed. README.md tells the versions
that made what is here. The samples are made anew only for a reason: they are documents, not results.
"""

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from shutil import which

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

import pdf_files  # noqa: E402 -- found by the line above

PAGES = ("The green hills lie open.", "The harbour code is ORION.", "A river bed, and fields of oats.")
PUBLIC = ("The green hills lie open.", "Nothing to see.", "A river bed, and fields of oats.")


def main() -> None:
    """Writes every sample that can be made here."""
    plain = pdf_files.by_reportlab(PAGES)
    samples = {
        "reportlab": plain,
        "reportlab-embedded-font": pdf_files.by_reportlab_subset(PAGES),
        "matplotlib": pdf_files.by_matplotlib(PAGES),
        "pypdf": pdf_files.by_pypdf(PAGES),
        "pikepdf": pdf_files.by_pikepdf(PAGES),
        "qpdf-linearised": pdf_files.linearised(plain),
        "qpdf-object-streams": pdf_files.packed(pdf_files.by_pikepdf(PAGES)),
        "qpdf-encrypted-empty-password": pdf_files.encrypted(plain),
        "earlier-revision": pdf_files.continued(plain, "Nothing to see.", page=2),
        "hidden-everywhere": pdf_files.with_hidden(PUBLIC, "ORION"),
    }
    made_by = [f"{name} {version(name)}" for name in ("reportlab", "matplotlib", "pypdf", "pikepdf")]
    with tempfile.TemporaryDirectory() as folder:
        if gs := which("gs"):
            samples |= {
                f"ghostscript-{name}": _by_ghostscript(gs, Path(folder), data)
                for name, data in samples.items()
                if name in ("reportlab-embedded-font", "matplotlib")
            }
            made_by.append("ghostscript " + _said(gs, "--version"))
        if chromium := which("chromium"):
            samples["chromium"] = _by_chromium(chromium, Path(folder))
            made_by.append(_said(chromium, "--version"))
    for name, data in samples.items():
        (HERE / f"{name}.pdf").write_bytes(data)
    (HERE / "README.md").write_text(
        "PDFs for the tests, made by `make.py`. The second page of each, or what hides in it, says ORION.\n\n"
        "Made by " + ", ".join(made_by) + ".\n"
    )


def _by_ghostscript(gs: str, folder: Path, data: bytes) -> bytes:
    (folder / "in.pdf").write_bytes(data)
    options = ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-o", str(folder / "out.pdf")]
    subprocess.run([gs, *options, str(folder / "in.pdf")], check=True)
    return (folder / "out.pdf").read_bytes()


def _by_chromium(chromium: str, folder: Path) -> bytes:
    paragraphs = "".join(f"<p style='break-after:page'>{text}</p>" for text in PAGES[:-1]) + f"<p>{PAGES[-1]}</p>"
    (folder / "in.html").write_text(f"<title>Harbour</title>{paragraphs}")
    subprocess.run(
        [
            *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"),
            *(f"--user-data-dir={folder}/profile", f"--print-to-pdf={folder}/out.pdf", f"{folder}/in.html"),
        ],
        check=True,
        capture_output=True,
    )
    return (folder / "out.pdf").read_bytes()


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
