"""The redacted edition of a mail: a new mail with what mail programs show, and markers for what is classified.

Invariant: nothing is kept unchecked. The header has only the fields that mail programs show. Texts are written again;
attachments are redacted editions of their own formats, pictures without metadata. An attachment of which this is not
possible is left out, and the edition says so. Of the alternatives of a text, only those with a mark of the author are
kept, if there is one.
"""

import base64
import re
from collections.abc import Iterator, Sequence
from email.header import Header
from email.utils import formataddr, getaddresses
from quopri import encodestring
from typing import Final
from urllib.parse import quote

from sieve.core.units import Mark, Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import FormatError
from sieve.formats.html.reading import HtmlReading
from sieve.formats.html.redaction import rebuilt_html
from sieve.formats.mail.leaves import Leaf, PlainText
from sieve.formats.mail.reading import SHOWN_FIELDS, MailReading
from sieve.formats.marked_units import marked_units, require_gone, with_copies
from sieve.formats.office.reading import OfficeReading
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import without_metadata
from sieve.formats.reading import redact
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.rtf.redaction import rebuilt_rtf
from sieve.formats.text_ranges import with_markers

_LISTINGS: Final = ("[Content_Types].xml", "META-INF/manifest.xml")
"""Parts of office documents that contain nothing but the names and types of the others."""
_MEDIA_TYPE: Final = re.compile(r"(?!message/|multipart/)[\w.+-]{1,60}/[\w.+-]{1,60}", re.ASCII)
_ADDRESS: Final = re.compile(r"[!-~]+@[!-~]+")
_ADDRESSES: Final = frozenset({"From", "To", "Cc", "Reply-To"})


def redact_mail(reading: MailReading, marks: Sequence[Mark]) -> bytes:
    """A new mail with what mail programs show and nothing that is classified; the mail itself without marks.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return rebuilt_mail(reading, marks) if marks else reading.data


def rebuilt_mail(reading: MailReading, marks: Sequence[Mark]) -> bytes:
    """`redact_mail`, but also without marks a new mail with only what mail programs show."""
    edition = _Edition(reading, marks)
    made = edition.to_bytes()
    require_gone(MailReading(made).units(), edition.texts)
    return made


class _Edition:
    def __init__(self, reading: MailReading, marks: Sequence[Mark]) -> None:
        self._reading = reading
        self._resolved = reading.resolved(marks)
        self.texts = self._resolved.marked.texts
        self._distinctive = Phrases(self.texts, distinctive=True)
        self._left_out: list[str] = []

    def to_bytes(self) -> bytes:
        leaves = [leaf for leaf in self._reading.leaves if leaf.address not in self._resolved.left_out]
        for leaf in [leaf for leaf in leaves if leaf.is_body and not leaf.is_read_as_shown]:
            leaves.remove(leaf)
            self._left_out.append(f"Text {leaf.address.partition('/')[2]} is left out")
        bodies = [self._body(leaf) for leaf in leaves if leaf.is_body]
        others = [made for leaf in leaves if not leaf.is_body for made in self._attachment(leaf)]
        if self._left_out:
            others.append(_text("\n".join(self._left_out), "plain"))
        groups = [leaf.part.branches[:1] for leaf in leaves if leaf.is_body]
        same = len(bodies) > 1 and len({group[0][0] if group else None for group in groups}) == 1 and groups[0]
        texts = [self._container("alternative", bodies)] if same else bodies
        parts = [*texts, *others]
        whole = parts[0] if len(parts) == 1 else self._container("mixed", parts)
        header = "".join(f"{name}: {value}\r\n" for name, value in self._header())
        return f"{header}MIME-Version: 1.0\r\n".encode() + whole

    def _container(self, subtype: str, parts: Sequence[bytes]) -> bytes:
        # "=_" is in no encoded body, and a mail within has another depth.
        boundary = f"=_{subtype}_{self._reading.depth}"
        whole = b"".join(b"--%b\r\n%b\r\n" % (boundary.encode(), part) for part in parts)
        return (
            f'Content-Type: multipart/{subtype}; boundary="{boundary}"\r\n\r\n'.encode()
            + whole
            + (f"--{boundary}--\r\n".encode())
        )

    def _header(self) -> Iterator[tuple[str, str]]:
        for address, (name, text) in self._reading.fields:
            if name not in SHOWN_FIELDS:
                continue
            said = self._withheld(Unit(address, text, name))
            if name in _ADDRESSES:
                said = _as_addresses(said)
            yield name, Header(said, None if said.isascii() else "utf-8", header_name=name).encode(linesep="\r\n")

    def _withheld(self, unit: Unit) -> str:
        return with_markers(unit.text, self._resolved.marked.withheld(unit, self._distinctive))

    def _body(self, leaf: Leaf) -> bytes:
        marks = self._nested(leaf)
        if isinstance(leaf.inside, HtmlReading):
            return _text(rebuilt_html(leaf.inside, marks).decode(), "html")
        paragraphs = leaf.inside.units() if isinstance(leaf.inside, PlainText) else []
        ranges = marked_units(paragraphs, marks).ranges
        return _text("\n\n".join(with_markers(unit.text, ranges.get(unit.address, [])) for unit in paragraphs), "plain")

    def _nested(self, leaf: Leaf) -> list[Mark]:
        """The marks in a leaf, and copies of marked texts that are distinctive."""
        units = leaf.inside.units() if leaf.inside is not None else ()
        return [
            *with_copies(units, self._resolved.given[leaf.address], self._distinctive),
            *leaf.quoted_copies(self._distinctive),
            *leaf.encoded_files(),
        ]

    def _attachment(self, leaf: Leaf) -> Iterator[bytes]:
        name = self._withheld(Unit(f"{leaf.address}/name", leaf.part.file_name, "file name"))
        is_withheld = leaf.address in self._resolved.marked.ranges or leaf.address in self._resolved.shown
        data = None if is_withheld else self._redacted(leaf)
        if data is None:
            kind, _, number = leaf.address.partition("/")
            what = "Text" if kind == "body" else "Attachment"
            self._left_out.append(f"{what} {number} is left out{name and ': '}{name}")
            return
        kind = leaf.part.media_type
        is_mail = isinstance(leaf.inside, MailReading)
        if not _MEDIA_TYPE.fullmatch(kind) or self._distinctive.in_text(kind):
            kind = "application/octet-stream"
        disposition = f"attachment; filename*=utf-8''{quote(name or 'attachment', safe='')}"
        # A mail in a mail must not be encoded again.
        yield _part(
            "message/rfc822" if is_mail else kind,
            "7bit" if is_mail else "base64",
            data if is_mail else base64.encodebytes(data).replace(b"\n", b"\r\n"),
            disposition,
        )

    def _redacted(self, leaf: Leaf) -> bytes | None:
        """The redacted edition of an attachment; None if there is none."""
        if leaf.body is None:
            return None
        if leaf.inside is None or isinstance(leaf.inside, BytesReading | PlainText):
            return without_metadata(leaf.body.data) if leaf.is_understood(self._resolved.phrases) else None
        marks = self._nested(leaf)
        if not marks and self._reading.is_plain_attachment(leaf, self._resolved):
            return leaf.body.data
        try:
            match leaf.inside:
                case MailReading():
                    return rebuilt_mail(leaf.inside, marks)
                case HtmlReading():
                    return rebuilt_html(leaf.inside, marks)
                case RtfReading():
                    return rebuilt_rtf(leaf.inside, marks)
                case OfficeReading():
                    # Its edition leaves out what was not read only if something is marked.
                    listing = next(part for part in _LISTINGS if part in leaf.inside.container.entries)
                    return redact(leaf.inside, marks or [Mark(listing)])
            is_pdf = leaf.inside.name == "pdf"
            return redact(leaf.inside, marks) if marks or is_pdf else None
        except FormatError:
            return None


def _part(kind: str, encoding: str, encoded: bytes, disposition: str = "inline") -> bytes:
    header = (
        f"Content-Type: {kind}",
        f"Content-Transfer-Encoding: {encoding}",
        f"Content-Disposition: {disposition}",
        "\r\n",
    )
    return "\r\n".join(header).encode() + encoded


def _text(text: str, subtype: str) -> bytes:
    encoded = encodestring(text.replace("\r\n", "\n").encode("utf-8", "replace")).replace(b"\n", b"\r\n")
    return _part(f"text/{subtype}; charset=utf-8", "quoted-printable", encoded)


def _as_addresses(text: str) -> str:
    """A list of addresses with only its names encoded; the same text if it is not just that."""
    pairs = getaddresses([text])
    said = "".join(f"{name}{address}" for name, address in pairs)
    if text.isascii() or not all(_ADDRESS.fullmatch(address) for _, address in pairs) or _bare(said) != _bare(text):
        return text
    return ", ".join(formataddr(pair, "utf-8") for pair in pairs)


def _bare(text: str) -> str:
    return re.sub(r"[\s,;<>\"()]", "", text)
