"""Files of several sizes as several programs make them, for `benchmarks.file_shares`: the same each time."""

import html
import importlib
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks import text_samples
from benchmarks.text_samples import Make

PAGES: Final = (1, 3, 6, 10, 15, 20, 30, 50)
SEED: Final = 17
_LINES: Final = 38
_BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_STYLE: Final = """
@page { size: A4; margin: 15mm }
body { font: 9pt/1.4 Sans }
section { break-after: page }
h1 { font-size: 14pt }
p { margin: 0 }
"""
_TEXT: Final = """
the of and to in is for on with as by at from it an be this that are was which have not or one all their has been would
when there more if will its other than into some could them then time these may first such over also new any only after
budget report project contract supplier delivery invoice account quarter market price volume average increase decline
region branch office staff manager board meeting decision proposal schedule deadline measure result figure table annex
Berlin Paris Ottawa Smith Garcia Novak Q3 2026 12.5% 1,480 (draft) net gross total January Thursday quick jazz exam
Zurich's "pilot" phase; risk: low, next step - review & sign-off Kyoto vendor value equipment license unit
"""


@dataclass(frozen=True)
class Sample:
    """A file. `pages`: how many it has, or sections, sheets, slides, attachments or files."""

    format: str
    producer: str
    pages: int
    data: bytes


def samples(most: int) -> Iterator[Sample]:
    """Each producer that is installed, in each size up to `most` pages."""
    for (form, producer), make in _producers().items():
        for pages in PAGES:
            if pages <= most:
                random = Random(f"{SEED} {producer} {pages}")
                texts = [prose(random) for _ in range(pages)]
                yield Sample(form, producer, pages, make(texts, random))


def prose(random: Random) -> str:
    """A page of text."""
    words = _TEXT.split()
    lines = (" ".join(random.choice(words) for _ in range(12)).capitalize() + "." for _ in range(_LINES))
    return "\n".join(lines)


def _producers() -> dict[tuple[str, str], Make]:
    found: dict[tuple[str, str], Make] = {
        (".pdf", "reportlab, fonts of every reader"): _by_reportlab,
        (".pdf", "reportlab, embedded font"): lambda texts, random: _by_reportlab(texts, random, embedded=True),
        (".pdf", "reportlab, embedded font and pictures"): lambda texts, random: _by_reportlab(
            texts, random, embedded=True, pictures=True
        ),
        (".pdf", "matplotlib, Type 3"): _by_matplotlib,
        (".docx", "python-docx, text"): _by_docx,
        (".docx", "python-docx, pictures"): lambda texts, random: _by_docx(texts, random, pictures=True),
        (".xlsx", "openpyxl, numbers and text"): _by_openpyxl,
        (".xlsx", "openpyxl, numbers"): lambda texts, random: _by_openpyxl(texts, random, text=False),
        **text_samples.producers(_jpeg),
    }
    if importlib.util.find_spec("fpdf"):
        found[".pdf", "fpdf2"] = _by_fpdf
    if importlib.util.find_spec("weasyprint"):
        found[".pdf", "WeasyPrint"] = _by_weasyprint
    if importlib.util.find_spec("typst"):
        found[".pdf", "Typst"] = _by_typst
    cairo = [name for name in ("cairo", "cairocffi") if importlib.util.find_spec(name)]
    if cairo:
        found[".pdf", "cairo"] = lambda texts, random: _by_cairo(texts, cairo[0])
    if shutil.which("gs"):
        found[".pdf", "Ghostscript, fonts of every reader"] = _by_ghostscript
    browsers = list(filter(None, map(shutil.which, _BROWSERS)))
    if browsers:
        found[".pdf", "Chromium, tagged"] = lambda texts, random: _by_chromium(texts, browsers[0])
    return found


def _by_reportlab(texts: list[str], random: Random, embedded: bool = False, pictures: bool = False) -> bytes:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen import canvas

    fonts = ("Helvetica", "Helvetica-Bold")
    if embedded:
        fonts = ("Sans", "SansBold")
        for name, file in zip(fonts, (_font(), _font("bold")), strict=True):
            pdfmetrics.registerFont(TTFont(name, file))
    written = BytesIO()
    drawn = canvas.Canvas(written, invariant=1, pageCompression=1)
    logo = ImageReader(BytesIO(_jpeg(random, 160)))
    for number, text in enumerate(texts, 1):
        drawn.drawImage(logo, 480, 780, 60, 40)
        drawn.setFont(fonts[1], 14)
        drawn.drawString(50, 790, f"Section {number}")
        at = drawn.beginText(50, 760)
        at.setFont(fonts[0], 10)
        at.textLines(text)
        drawn.drawText(at)
        if pictures and number % 2:
            drawn.drawImage(ImageReader(BytesIO(_jpeg(random, 400))), 50, 60, 300, 200)
        drawn.showPage()
    drawn.save()
    return written.getvalue()


def _by_matplotlib(texts: list[str], random: Random) -> bytes:
    from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
    from matplotlib.figure import Figure

    written = BytesIO()
    with PdfPages(written, metadata={"CreationDate": None}) as book:
        for text in texts:
            figure = Figure(figsize=(8.3, 11.7))
            FigureCanvasPdf(figure)
            figure.text(0.05, 0.4, text, fontsize=7, parse_math=False)
            axes = figure.add_axes((0.1, 0.05, 0.8, 0.3))
            axes.plot([random.random() for _ in range(400)])
            book.savefig(figure)
    return written.getvalue()


def _by_fpdf(texts: list[str], random: Random) -> bytes:
    fpdf: Any = importlib.import_module("fpdf")
    drawn = fpdf.FPDF()
    drawn.add_font("Sans", "", _font())
    for text in texts:
        drawn.add_page()
        drawn.set_font("Sans", size=9)
        drawn.multi_cell(0, 5, text)
    return bytes(drawn.output())


def _by_cairo(texts: list[str], module: str) -> bytes:
    cairo: Any = importlib.import_module(module)
    written = BytesIO()
    surface = cairo.PDFSurface(written, 595, 842)
    drawn = cairo.Context(surface)
    drawn.select_font_face("DejaVu Sans")
    drawn.set_font_size(8)
    for text in texts:
        for number, line in enumerate(text.split("\n")):
            drawn.move_to(40, 60 + 14 * number)
            drawn.show_text(line)
        drawn.show_page()
    surface.finish()
    return written.getvalue()


def _by_weasyprint(texts: list[str], random: Random) -> bytes:
    weasyprint: Any = importlib.import_module("weasyprint")
    return bytes(weasyprint.HTML(string=_web_page(texts)).write_pdf())


def _by_typst(texts: list[str], random: Random) -> bytes:
    typst: Any = importlib.import_module("typst")
    pages = []
    for number, text in enumerate(texts, 1):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').split("\n")
        pages.append(f"= Section {number}\n" + " \\\n".join(f'#"{line}"' for line in quoted))
    source = '#set page(paper: "a4", margin: 15mm)\n#set text(size: 9pt)\n' + "\n#pagebreak()\n".join(pages)
    return bytes(typst.compile(source.encode(), format="pdf"))


def _by_ghostscript(texts: list[str], random: Random) -> bytes:
    """From a print in PostScript."""
    printed = ["%!PS"]
    for text in texts:
        printed.append("/Helvetica findfont 9 scalefont setfont")
        for number, line in enumerate(text.split("\n")):
            said = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            printed.append(f"50 {780 - 14 * number} moveto ({said}) show")
        printed.append("showpage")
    command = ("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-sOutputFile=-", "-")
    return subprocess.run(  # noqa: S603 -- our own command
        command, input="\n".join(printed).encode(), check=True, capture_output=True
    ).stdout


def _by_chromium(texts: list[str], browser: str) -> bytes:
    """As it prints by default, with tags."""
    with TemporaryDirectory() as folder:
        page, printed = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(_web_page(texts))
        options = ["--headless", "--disable-gpu", f"--user-data-dir={folder}/profile", "--no-pdf-header-footer"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses to start as root with one
        command = [browser, *options, f"--print-to-pdf={printed}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- our own command
        return printed.read_bytes()


def _web_page(texts: list[str]) -> str:
    faces = "".join(
        f"@font-face {{ font-family: Sans; font-weight: {weight}; src: url({Path(_font(weight)).as_uri()}) }}"
        for weight in ("normal", "bold")
    )
    sections = []
    for number, text in enumerate(texts, 1):
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n"))
        sections.append(f"<section><h1>Section {number}</h1>{lines}</section>")
    return f"<meta charset=utf-8><title>Report</title><style>{faces}{_STYLE}</style>{''.join(sections)}"


def _by_docx(texts: list[str], random: Random, pictures: bool = False) -> bytes:
    from docx import Document

    document = Document()
    for number, text in enumerate(texts, 1):
        document.add_heading(f"Section {number}", 1)
        for line in text.split("\n"):
            document.add_paragraph(line)
        if pictures and number % 2:
            document.add_picture(BytesIO(_jpeg(random, 400)))
    written = BytesIO()
    document.save(written)
    return written.getvalue()


def _by_openpyxl(texts: list[str], random: Random, text: bool = True) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, said in enumerate(texts, 1):
        sheet = book.create_sheet(f"Sheet {number}")
        for line in said.split("\n"):
            numbers = [random.randrange(100_000) / 100 for _ in range(10)]
            sheet.append([line, *numbers] if text or number == len(texts) // 2 + 1 else numbers)
    written = BytesIO()
    book.save(written)
    return written.getvalue()


def _font(weight: str = "regular") -> str:
    from matplotlib import font_manager

    return str(font_manager.findfont(font_manager.FontProperties(family="DejaVu Sans", weight=weight)))


def _jpeg(random: Random, side: int) -> bytes:
    """A picture that hardly compresses, like a photograph."""
    from PIL import Image

    noise = bytes(random.randrange(256) for _ in range(side * side // 16))
    small = Image.frombytes("L", (side // 4, side // 4), noise)
    written = BytesIO()
    small.resize((side, side)).convert("RGB").save(written, "JPEG", quality=80)
    return written.getvalue()
