"""Makes the samples that the tests of formats read: `make samples`.

Files by programs that people use, and what those made of each other's: LibreOffice, pandoc, Ghostscript, qpdf, poppler
and Chromium, if they are installed, and libraries. `manifest.json` beside the samples says which version made which,
the secret that it contains, and where. What cannot be made here stays as it is, with what was written
of it.

Samples are documents, not results: make them again only for a reason, and look at what has changed.
"""

import base64
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from platform import python_version

import odf_files
import office_files
import pdf_files
import picture_files
import pptx_files
from made_samples import FOLDER, MANIFEST, Sample, samples
from mail_files import attachments, mail
from scripts import workbooks
from scripts.producers import CAIRO, CHROMIUM, DRAWER, GHOSTSCRIPT, GIT, OFFICE, PANDOC, QPDF, UNITE, Missing, converted

SOURCES = Path(__file__).parent / "sample_sources"
SECRET, OTHER = "ORION VEGA", "KASTOR LYNX PYXIS"
ONE_WORD = "ORION"
OFFICE_SECRET = "XQZVK PLMRT"
PAGES = ("The green hills lie open.", "The harbour code is ORION.", "A river bed, and fields of oats.")
PUBLIC = ("The green hills lie open.", "Nothing to see.", "A river bed, and fields of oats.")

_PHRASE = re.compile(r"@SECRET@ in (?:the |an? )?[a-z]+(?: of (?:its own|a picture))?")
# What does not come over: LibreOffice's own pages show no comments, no deleted and no hidden text.
_NOT_ON_PAGES = ("comment", "deleted", "hidden", "description", "property of its own", "alternative", "of a picture")
_NOT_FROM_PANDOC = ("keywords",)
_NOT_IN_TABLES = ("title", "comment", "hidden sheet")


@dataclass(frozen=True)
class Made:
    """A file, and by what."""

    data: bytes
    made_by: str
    secret: str = SECRET
    phrases: tuple[str, ...] = ()
    other: str = ""
    other_secret: str = ""


def main() -> None:
    """Writes every sample that can be made here, and the manifest of all."""
    written = {sample.file: sample for sample in samples()} if MANIFEST.exists() else {}
    for making in (
        *(
            _libraries,
            _office,
            _slides,
            _archives,
            _web_pages,
            _rich_text,
            _mails,
            _pandoc,
            _pages,
            _chromium,
            _pictures,
        ),
    ):
        with tempfile.TemporaryDirectory() as folder:
            try:
                for name, made in making(Path(folder)):
                    path = FOLDER / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(made.data)
                    told = {key: value for key, value in vars(made).items() if key != "data"}
                    written[name] = Sample(name, **told)
            except Missing as missing:
                print(f"{missing}. Its samples stay as they are.", file=sys.stderr)
    listed = [
        {key: value for key, value in asdict(written[name]).items() if value}
        for name in sorted(written)
        if (FOLDER / name).exists()
    ]
    MANIFEST.write_text(json.dumps({"samples": listed}, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(listed)} samples, {sum((FOLDER / entry['file']).stat().st_size for entry in listed):,} bytes")


def _library(name: str) -> str:
    return f"{name} {version(name)}"


def _libraries(_: Path) -> Iterator[tuple[str, Made]]:
    """By Python's libraries, and files of our own with every place in use."""
    ours = "this project"
    for name, made in {
        f"python-docx-{version('python-docx')}.docx": (office_files.python_docx, _library("python-docx")),
        f"openpyxl-{version('openpyxl')}.xlsx": (office_files.openpyxl_workbook, _library("openpyxl")),
        "every-place.docx": (lambda s: office_files.docx(s, set(office_files.DOCX_PLACES) - {"prefix"}), ours),
        "every-place.xlsx": (lambda s: office_files.xlsx(s, office_files.XLSX_PLACES), ours),
        "every-place.pptx": (lambda s: pptx_files.pptx(s, set(pptx_files.PPTX_PLACES) - {"prefix"}), ours),
        "every-place.ods": (lambda s: odf_files.ods(s, set(odf_files.ODS_PLACES) - {"prefix", "shown"}), ours),
        "every-place.odt": (lambda s: odf_files.odt(s, set(odf_files.ODT_PLACES) - {"prefix"}), ours),
    }.items():
        yield f"office/{name}", Made(made[0](OFFICE_SECRET), made[1], OFFICE_SECRET)
    yield "producers/openpyxl-much.xlsx", Made(workbooks.much(SECRET), _library("openpyxl"))
    python = f"Python {python_version()}"
    yield "producers/python-excel.csv", Made(workbooks.by_csv(SECRET, "excel"), python)
    yield "producers/python-unix.csv", Made(workbooks.by_csv(SECRET, "unix"), python)
    yield "producers/python.jsonl", Made(workbooks.by_json(SECRET), python)
    plain = pdf_files.by_reportlab(PAGES)
    by_reportlab, by_pikepdf = _library("reportlab"), _library("pikepdf")
    for name, data, by in (
        ("reportlab", plain, by_reportlab),
        ("reportlab-embedded-font", pdf_files.by_reportlab_subset(PAGES), by_reportlab),
        ("matplotlib", pdf_files.by_matplotlib(PAGES), _library("matplotlib")),
        ("pypdf", pdf_files.by_pypdf(PAGES), _library("pypdf")),
        ("pikepdf", pdf_files.by_pikepdf(PAGES), by_pikepdf),
        ("qpdf-linearised", pdf_files.linearised(plain), by_pikepdf),
        ("qpdf-object-streams", pdf_files.packed(pdf_files.by_pikepdf(PAGES)), by_pikepdf),
        ("qpdf-encrypted-empty-password", pdf_files.encrypted(plain), by_pikepdf),
        ("earlier-revision", pdf_files.continued(plain, "Nothing to see.", page=2), by_reportlab),
        ("hidden-everywhere", pdf_files.with_hidden(PUBLIC, ONE_WORD), by_pikepdf),
    ):
        yield f"pdf/{name}.pdf", Made(data, by, ONE_WORD)
    yield (
        "producers/pypdf-incremental.pdf",
        Made(workbooks.page_of_notes(pdf_files.by_reportlab(PAGES), ONE_WORD), _library("pypdf"), ONE_WORD),
    )


def _source(folder: Path, name: str, secret: str = SECRET, called: str = "") -> Path:
    """A source with `secret` in it, ready to be converted."""
    picture = office_files.png(packed=b"a small picture")
    (folder / "picture.png").write_bytes(picture)
    first, rest = secret[:3], secret[3:]
    text = (SOURCES / name).read_text()
    for sign, meant in {
        "@SECRET@": secret,
        "@WORD@": secret.split()[0],
        "@FIRST@": first,
        "@REST@": rest,
        "@PICTURE@": base64.b64encode(picture).decode(),
        "@PICTURE_FILE@": str(folder / "picture.png"),
    }.items():
        text = text.replace(sign, meant)
    path = folder / (called or name)
    path.write_text(text)
    return path


def _phrases(name: str, without: tuple[str, ...] = (), secret: str = SECRET) -> tuple[str, ...]:
    """What the source says of the secret, but for places that a format has not."""
    found = (phrase.replace("@SECRET@", secret) for phrase in _PHRASE.findall((SOURCES / name).read_text()))
    return tuple(phrase for phrase in found if not any(word in phrase for word in without))


def _office(folder: Path) -> Iterator[tuple[str, Made]]:
    """By LibreOffice: of its own sources, and of what others made."""
    by = OFFICE.version()
    files = {
        "libreoffice.docx": _source(folder, "report.fodt"),
        "libreoffice-note.docx": _source(folder, "note.fodt"),
        "libreoffice-note-other.docx": _source(folder, "note.fodt", OTHER, "other.fodt"),
        "libreoffice-of-python-docx.docx": folder / "by-python.docx",
    }
    (folder / "by-python.docx").write_bytes(office_files.python_docx(SECRET))
    for name, source in files.items():
        made = _by_office(folder, source, "docx")
        phrases = {"report": _phrases("report.fodt", ("of a picture", "alternative")), "note": _phrases("note.fodt")}
        pair = ("producers/libreoffice-note-other.docx", OTHER) if name == "libreoffice-note.docx" else ("", "")
        secret = OTHER if source.stem == "other" else SECRET
        yield f"producers/{name}", Made(made, by, secret, phrases.get(source.stem, ()), *pair)
    for name, source in files.items():
        pair = ("producers/libreoffice-note-other.odt", OTHER) if name == "libreoffice-note.docx" else ("", "")
        secret = OTHER if source.stem == "other" else SECRET
        phrases = {"report": _phrases("report.fodt"), "note": _phrases("note.fodt")}
        text = Made(_by_office(folder, source, "odt"), by, secret, phrases.get(source.stem, ()), *pair)
        yield f"producers/{name.replace('.docx', '.odt')}", text
    pay, other = _source(folder, "pay.fods"), _source(folder, "pay.fods", OTHER, "other.fods")
    yield (
        "producers/libreoffice.xlsx",
        Made(
            _by_office(folder, pay, "xlsx"), by, SECRET, _phrases("pay.fods"), "producers/libreoffice-other.xlsx", OTHER
        ),
    )
    yield "producers/libreoffice-other.xlsx", Made(_by_office(folder, other, "xlsx"), by, OTHER)
    for source, secret, pair in ((pay, SECRET, ("producers/libreoffice-other.ods", OTHER)), (other, OTHER, ("", ""))):
        sheets = Made(_by_office(folder, source, "ods"), by, secret, _phrases("pay.fods") if pair[0] else (), *pair)
        yield f"producers/libreoffice{'' if pair[0] else '-other'}.ods", sheets
    (folder / "much.xlsx").write_bytes(workbooks.much(SECRET))
    again = folder / "again"
    again.mkdir()
    yield "producers/libreoffice-of-openpyxl.xlsx", Made(_by_office(again, folder / "much.xlsx", "xlsx"), by)
    yield "producers/libreoffice-of-openpyxl.ods", Made(_by_office(again, folder / "much.xlsx", "ods"), by)
    shown = _phrases("pay.fods", _NOT_IN_TABLES)
    for name, ending, delimiter in (
        ("libreoffice", "csv", 44),
        ("libreoffice-semicolon", "csv", 59),
        ("libreoffice", "tsv", 9),
    ):
        # Delimiter, quote, UTF-8, from line 1; then that texts alone are quoted, and values are as they are shown.
        form = f"{ending}:Text - txt - csv (StarCalc):{delimiter},34,76,1,,0,false,true,false,false,false,1"
        made = _by_office(folder, pay, form, f"pay-Pay.{ending}")
        yield f"producers/{name}.{ending}", Made(made, by, SECRET, shown)
    on_pages = _phrases("report.fodt", _NOT_ON_PAGES)
    report = _source(folder, "report.fodt")
    yield "producers/libreoffice-writer.pdf", Made(_by_office(folder, report, "pdf"), by, SECRET, on_pages)
    options = '{"SelectPdfVersion":{"type":"long","value":"2"},"ExportNotes":{"type":"boolean","value":"true"}}'
    tagged = _by_office(folder, report, f"pdf:writer_pdf_Export:{options}")
    yield "producers/libreoffice-tagged.pdf", Made(tagged, by, SECRET, on_pages)
    yield "producers/libreoffice-calc.pdf", Made(_by_office(folder, pay, "pdf"), by)


def _slides(folder: Path) -> Iterator[tuple[str, Made]]:
    """By LibreOffice, of its own source."""
    made = _by_office(folder, _source(folder, "slides.fodp"), "pptx")
    yield "producers/libreoffice.pptx", Made(made, OFFICE.version(), SECRET, _phrases("slides.fodp"))


def _archives(_: Path) -> Iterator[tuple[str, Made]]:
    """By Python, of what others made."""
    by, other = f"Python {python_version()}", "producers/python-other.zip"
    phrases = (f"{SECRET} in the header", f"The code is {SECRET}")
    yield "producers/python.zip", Made(_archive(SECRET, ""), by, SECRET, phrases, other, OTHER)
    yield other, Made(_archive(OTHER, "-other"), by, OTHER)


def _archive(secret: str, other: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {
            f"{secret}.txt": f"The code is {secret}.\n".encode(),
            "ports.csv": b"port,ships\n" + b"".join(b"%d,%d\n" % (row, row**5 % 9973) for row in range(150)),
            "notes/note.docx": (FOLDER / f"producers/libreoffice-note{other}.docx").read_bytes(),
            "notes/hills.txt": b"The green hills lie open.\n",
        }.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 24, 9, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _web_pages(folder: Path) -> Iterator[tuple[str, Made]]:
    """By LibreOffice, of its own sources."""
    by = OFFICE.version()
    shown = _phrases("report.fodt", ("of a picture", "alternative"))
    yield (
        "producers/libreoffice.html",
        Made(_by_office(folder, _source(folder, "report.fodt"), "html"), by, SECRET, shown),
    )
    other = "producers/libreoffice-note-other.html"
    note, its_other = _source(folder, "note.fodt"), _source(folder, "note.fodt", OTHER, "other.fodt")
    phrases = _phrases("note.fodt")
    yield "producers/libreoffice-note.html", Made(_by_office(folder, note, "html"), by, SECRET, phrases, other, OTHER)
    yield other, Made(_by_office(folder, its_other, "html"), by, OTHER)
    pay = _source(folder, "pay.fods")
    shown = _phrases("pay.fods", (*_NOT_IN_TABLES, "hidden"))
    yield "producers/libreoffice-calc.html", Made(_by_office(folder, pay, "html"), by, SECRET, shown)


def _rich_text(folder: Path) -> Iterator[tuple[str, Made]]:
    """By LibreOffice, of its own sources; and files as Word, WordPad and TextEdit write them, by hand."""
    by = OFFICE.version()
    # RTF of LibreOffice has no alternative texts and no names of pictures.
    phrases = _phrases("report.fodt", ("of a picture", "alternative"))
    report = _by_office(folder, _source(folder, "report.fodt"), "rtf")
    yield "producers/libreoffice.rtf", Made(report, by, SECRET, phrases)
    other = "producers/libreoffice-note-other.rtf"
    note, its_other = _source(folder, "note.fodt"), _source(folder, "note.fodt", OTHER, "other.fodt")
    yield (
        "producers/libreoffice-note.rtf",
        Made(_by_office(folder, note, "rtf"), by, SECRET, _phrases("note.fodt"), other, OTHER),
    )
    yield other, Made(_by_office(folder, its_other, "rtf"), by, OTHER)
    for name in ("word", "wordpad", "textedit"):
        ours, others = (_source(folder, f"{name}.rtf", secret).read_bytes() for secret in (SECRET, OTHER))
        other = f"rtf/like-{name}-other.rtf"
        yield f"rtf/like-{name}.rtf", Made(ours, "this project", SECRET, (), other, OTHER)
        yield other, Made(others, "this project", OTHER)


def _mails(folder: Path) -> Iterator[tuple[str, Made]]:
    """By Python, with attachments of all kinds, and by Git."""
    by, other = f"Python {python_version()}", "producers/python-other.eml"
    phrases = (f"The code is {SECRET}",)
    made, its_other = (
        mail(secret, is_page=True, attached={"ports.csv": b"name,ships\nHamburg,12\n"}) for secret in (SECRET, OTHER)
    )
    yield "producers/python.eml", Made(made, by, SECRET, phrases, other, OTHER)
    yield other, Made(its_other, by, OTHER)
    attached = {**attachments(SECRET), "inner.eml": mail(SECRET)}
    attached.pop("film.bin")  # which no edition has
    whole = mail(SECRET, encoding="base64", attached=attached)
    yield "producers/python-attachments.eml", Made(whole, by, SECRET, phrases)
    yield "producers/git.eml", Made(_patch(folder), GIT.version(), SECRET, (f"Find {SECRET}", f"+The code is {SECRET}"))


def _patch(folder: Path) -> bytes:
    """A commit as Git mails it."""
    whose = ("-c", "user.name=Ann Lee", "-c", "user.email=ann@example.org")
    GIT.run(["init", "-q"], folder)
    (folder / "codes.txt").write_text(f"The code is {SECRET}\n")
    GIT.run(["add", "codes.txt"], folder)
    date = "2026-11-23T09:00:00Z"
    GIT.run([*whose, "commit", "-q", f"--date={date}", "-m", f"Find {SECRET}\n\nNobody else knows."], folder)
    GIT.run(["format-patch", "-q", "--root", "HEAD"], folder)
    return next(folder.glob("*.patch")).read_bytes()


def _by_office(folder: Path, source: Path, to: str, called: str = "") -> bytes:
    out = folder / "out"
    out.mkdir(exist_ok=True)
    converted(out, [source], to)
    return (out / (called or f"{source.stem}.{to.partition(':')[0]}")).read_bytes()


def _pandoc(folder: Path) -> Iterator[tuple[str, Made]]:
    """By pandoc from Markdown: Word, and by way of LibreOffice pages."""
    by = PANDOC.version()
    phrases = _phrases("report.md", _NOT_FROM_PANDOC)

    def docx(source: Path) -> bytes:
        PANDOC.run([str(source), "-f", "markdown", "-o", "out.docx"], folder)
        return (folder / "out.docx").read_bytes()

    yield "producers/pandoc.docx", Made(docx(_source(folder, "report.md")), by, SECRET, phrases)
    other = "producers/pandoc-note-other.docx"
    yield "producers/pandoc-note.docx", Made(docx(_source(folder, "note.md")), by, SECRET, (), other, OTHER)
    yield other, Made(docx(_source(folder, "note.md", OTHER)), by, OTHER)
    source = _source(folder, "report.md")
    PANDOC.run([str(source), "-f", "markdown", "-o", "report.odt"], folder)
    yield "producers/pandoc.odt", Made((folder / "report.odt").read_bytes(), by, SECRET, phrases)
    data = _by_office(folder, folder / "report.odt", "pdf")
    yield "producers/pandoc-libreoffice.pdf", Made(data, f"{by}, {OFFICE.version()}")


def _pictures(folder: Path) -> Iterator[tuple[str, Made]]:
    """By matplotlib, Ghostscript, poppler and Pillow: of a few lines and words, with what each writes beside pixels."""
    yield "producers/matplotlib.png", Made(picture_files.by_matplotlib(SECRET), _library("matplotlib"))
    made = picture_files.jpeg(picture_files.drawn(), SECRET, orientation=6)
    yield "producers/pillow.jpeg", Made(made, _library("pillow"))
    made = picture_files.tiff([picture_files.drawn(), picture_files.drawn(1, "L")], SECRET, compression="tiff_lzw")
    yield "producers/pillow.tiff", Made(made, _library("pillow"))
    (folder / "pages.pdf").write_bytes(pdf_files.by_reportlab(PAGES))
    gs = ("-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-r40", "-o")
    for device, ending in (("tiffg4", "tiff"), ("png16m", "png"), ("jpeg", "jpeg")):
        GHOSTSCRIPT.run([*gs, f"out.{ending}", f"-sDEVICE={device}", "pages.pdf"], folder)
        made = (folder / f"out.{ending}").read_bytes()
        yield f"producers/ghostscript-{device}.{ending}", Made(made, GHOSTSCRIPT.version())
    for kind, ending in ((("-jpeg",), "jpg"), (("-tiff", "-tiffcompression", "jpeg"), "tif")):
        DRAWER.run([*kind, "-r", "40", "-singlefile", "pages.pdf", "page"], folder)
        made = (folder / f"page.{ending}").read_bytes()
        yield f"producers/poppler.{ {'jpg': 'jpeg', 'tif': 'tiff'}[ending] }", Made(made, DRAWER.version())


def _pages(folder: Path) -> Iterator[tuple[str, Made]]:
    """By Ghostscript, qpdf and poppler, of a page description and of what others made."""
    for name, data in {
        "reportlab": pdf_files.by_reportlab(PAGES),
        "embedded": pdf_files.by_reportlab_subset(PAGES),
        "matplotlib": pdf_files.by_matplotlib(PAGES),
        "forms": pdf_files.by_pikepdf(PAGES),
        "hidden": pdf_files.with_hidden(PUBLIC, ONE_WORD),
    }.items():
        (folder / f"{name}.pdf").write_bytes(data)
    _source(folder, "pages.ps", ONE_WORD)

    def out(program: Callable[[list[str], Path], str], *arguments: str) -> bytes:
        program([*arguments], folder)
        return (folder / "out.pdf").read_bytes()

    by = GHOSTSCRIPT.version()
    gs = ("-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-o", "out.pdf")
    for name, arguments in {
        "pdf/ghostscript-reportlab-embedded-font": ("embedded.pdf",),
        "pdf/ghostscript-matplotlib": ("matplotlib.pdf",),
        "producers/ghostscript-postscript": ("pages.ps",),
        "producers/ghostscript-1.3": ("-dCompatibilityLevel=1.3", "reportlab.pdf"),
        "producers/ghostscript-web": ("-dFastWebView", "-dPDFSETTINGS=/prepress", "forms.pdf"),
        "producers/ghostscript-hidden": ("hidden.pdf",),
    }.items():
        # Without its pages' secret, what Ghostscript keeps of what hides is for the reader to find.
        yield f"{name}.pdf", Made(out(GHOSTSCRIPT.run, *gs, *arguments), by, ONE_WORD)
    by = QPDF.version()
    for name, options in {
        "linearised-object-streams": ("--linearize", "--object-streams=generate", "forms.pdf"),
        "linearised-embedded-font": ("--linearize", "embedded.pdf"),
        "uncompressed": ("--stream-data=uncompress", "--object-streams=disable", "forms.pdf"),
        "qdf": ("--qdf", "hidden.pdf"),
        "recompressed": ("--recompress-flate", "--compression-level=9", "--object-streams=generate", "hidden.pdf"),
        "old-version": ("--force-version=1.2", "--object-streams=disable", "--preserve-unreferenced", "reportlab.pdf"),
        "normalised": ("--normalize-content=y", "--coalesce-contents", "forms.pdf"),
        "encrypted-40": ("--allow-weak-crypto", "--encrypt", "", "owner", "40", "--", "reportlab.pdf"),
        "encrypted-128": ("--encrypt", "", "owner", "128", "--use-aes=y", "--cleartext-metadata", "--", "hidden.pdf"),
        "encrypted-256-linearised": ("--linearize", "--encrypt", "", "owner", "256", "--", "forms.pdf"),
    }.items():
        arguments = ("--deterministic-id", *options) if "--encrypt" not in options else options
        yield f"producers/qpdf-{name}.pdf", Made(out(QPDF.run, *arguments, "out.pdf"), by, ONE_WORD)
    cairo = out(CAIRO.run, "-pdf", "reportlab.pdf", "out.pdf")
    yield "producers/cairo.pdf", Made(cairo, CAIRO.version(), ONE_WORD)
    united = out(UNITE.run, "reportlab.pdf", "hidden.pdf", "out.pdf")
    yield "producers/poppler-united.pdf", Made(united, UNITE.version(), ONE_WORD)


def _chromium(folder: Path) -> Iterator[tuple[str, Made]]:
    """By Chromium, from a web page."""
    by = CHROMIUM.version()
    paragraphs = "".join(f"<p style='break-after:page'>{text}</p>" for text in PAGES[:-1]) + f"<p>{PAGES[-1]}</p>"
    (folder / "in.html").write_text(f"<title>Harbour</title>{paragraphs}")
    CHROMIUM.run(
        [
            *("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"),
            *(f"--user-data-dir={folder}/profile", f"--print-to-pdf={folder}/out.pdf", f"{folder}/in.html"),
        ],
        folder,
    )
    yield "pdf/chromium.pdf", Made((folder / "out.pdf").read_bytes(), by, ONE_WORD)


if __name__ == "__main__":
    main()
