"""Opens a PDF, under limits that hold for every PDF in this process.

Invariant: the unpacked size of streams and the number of objects and pages are bounded before anything is read.
"""

import warnings
from collections.abc import Sequence
from io import BytesIO
from typing import Final

import pikepdf
from pikepdf import Object, settings

from sieve.formats.errors import Damaged, Protected, TooLarge

MAX_DECODED: Final = 128 << 20
"""Bytes that one stream may unpack to."""
MAX_OBJECTS: Final = 300_000
MAX_PAGES: Final = 20_000

_NEEDED_BY_PAGES: Final = frozenset({"/Type", "/Version", "/Pages", "/OCProperties", "/AcroForm"})

# Process-wide, and never changed again: qpdf does not synchronise access to them.
settings.set_qpdf_limits(
    doc_max_warnings=1_000,
    flate_max_memory=MAX_DECODED,
    png_max_memory=MAX_DECODED,
    tiff_max_memory=MAX_DECODED,
    run_length_max_memory=MAX_DECODED,
    dct_max_memory=MAX_DECODED,
    dct_max_progressive_scans=100,
)

# What pikepdf raises for a file that is at fault: its own errors, and Python's where a value is of another type.
# `instructions` raises warnings.
FAULTS: Final = (
    pikepdf.PikepdfError,
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    UserWarning,
)


def instructions(
    scope: Object, operators: str
) -> Sequence[pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage]:
    """The instructions of a page or form with these operators.

    Raises:
        FAULTS: they are broken. pikepdf only warns if a stream ends too early, and other programs may show more of it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return pikepdf.parse_content_stream(scope, operators)


def open_pdf(data: bytes) -> pikepdf.Pdf:
    """The PDF `data`; tries the empty password if there is one.

    Raises:
        Protected: it needs a password, or its encryption is unknown.
        Damaged: it is not a PDF, or cannot be repaired.
        TooLarge: it has too many objects or pages.
    """
    if not data:
        raise Damaged("this PDF is empty; download it again")
    try:
        pdf = pikepdf.open(BytesIO(data))
        objects = len(pdf.get_xref_table())
        if objects > MAX_OBJECTS:
            raise TooLarge(f"this PDF has more than {MAX_OBJECTS:,} objects; split it into several files")
        pages = len(pdf.pages)
    except pikepdf.PasswordError:
        raise Protected("this PDF needs a password; remove the password and import it again") from None
    except FAULTS as fault:
        if "encrypt" in str(fault).lower():
            raise Protected("the encryption of this PDF is not supported; save it without encryption") from None
        raise Damaged("this is not a PDF, or it is damaged beyond repair; save it again in its program") from None
    if pages > MAX_PAGES:
        raise TooLarge(f"this PDF has more than {MAX_PAGES:,} pages; split it into several files")
    if not pages:
        raise Damaged("this PDF has no page that can be read; save it again in its program")
    return pdf


def opens_as_it_is(data: bytes) -> bool:
    """Whether `data` is a PDF that need not be repaired to be read."""
    try:
        with pikepdf.open(BytesIO(data), attempt_recovery=False) as pdf:
            return len(pdf.pages) > 0 and not pdf.get_warnings()
    except FAULTS:
        return False


def normalised(pdf: pikepdf.Pdf) -> bytes:
    """The same pages as qpdf writes them, in clear.

    It is what pdfium reads: two libraries may see different pages in one hostile file, but hardly in this. What pages
    do not need stays behind, for pdfium reads metadata of any size when it opens a file.
    """
    written = BytesIO()
    kept = dict(pdf.Root.items())
    try:
        for key in kept:
            if key not in _NEEDED_BY_PAGES:
                del pdf.Root[key]
        pdf.save(
            written,
            static_id=True,
            preserve_pdfa=False,  # neither this nor the next: both read the metadata
            fix_metadata_version=False,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            encryption=False,
        )
        for key, value in kept.items():
            pdf.Root[key] = value
    except FAULTS:
        raise Damaged("this PDF is damaged beyond repair; save it again in its program") from None
    return written.getvalue()
