"""The redacted edition of a web page: a new page with what a reader sees, and markers for what is classified.

Invariant: every tag is a new one from `plain_tags`, every text from its unit. Left out, marked or not: scripts, style
sheets, comments, links, hidden text, and pictures, except those within the page of which every byte is known, without
their metadata. A block with a mark loses the formatting and the pictures within it, and these are nowhere else.
"""

import base64
import binascii
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sieve.core.units import Mark
from sieve.formats.html.plain_tags import SHOWN, PlainTags
from sieve.formats.html.reading import HtmlReading, Placed
from sieve.formats.html.tokens import Kind, Token
from sieve.formats.marked_units import require_gone
from sieve.formats.marker import MARKER
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import is_fully_known, without_metadata
from sieve.formats.text_ranges import with_markers

_PICTURE: Final = re.compile(r"data:image/(png|jpeg|jpg);base64,", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^>]*>")
_SPACE: Final = re.compile(r"[\t\n\f\r ]+")


def redact_html(reading: HtmlReading, marks: Sequence[Mark]) -> bytes:
    """A new page with what a reader sees and nothing that is classified; the page itself without marks.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return rebuilt_html(reading, marks) if marks else reading.data


def rebuilt_html(reading: HtmlReading, marks: Sequence[Mark]) -> bytes:
    """`redact_html`, but also without marks a new page with only what a reader sees."""
    edition = _Edition(reading, marks)
    made = edition.to_bytes()
    require_gone(HtmlReading(made).units(), edition.marked.texts)
    return made


class _Edition:
    def __init__(self, reading: HtmlReading, marks: Sequence[Mark]) -> None:
        self._reading = reading
        self.marked, self._phrases, _, self._split = reading.resolved(marks)
        self._distinctive = Phrases(self.marked.texts, distinctive=True)
        self._plain_tags = PlainTags(self.marked.texts)
        self._withheld_pictures = {*self._pictures_in(reading.marked_blocks(self.marked))}
        self._title = ""

    def to_bytes(self) -> bytes:
        body = "".join(self._body())
        head = f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{self._title}</title>\n</head>\n'
        return f"{head}<body>\n{body}\n</body>\n</html>\n".encode("utf-8", "replace")

    def _body(self) -> Iterator[str]:
        for part in self._reading.parts:
            if isinstance(part, Token):
                yield self._tag(part)
            elif part.block.kind == "title":
                self._title = self._title or html.escape(self._withheld(part) or part.block.text, quote=False)
            else:
                withheld = self._withheld(part)
                if withheld is None:
                    yield from (self._token(token) for token in part.block.tokens)
                else:
                    text = html.escape(withheld, quote=False)
                    yield text if part.block.keeps_space else text.replace("\n", "<br>\n")

    def _withheld(self, part: Placed) -> str | None:
        """The text of a block with markers; None if nothing in it is withheld."""
        if not part.block.text:
            return None
        if part.address in self._split:
            return MARKER
        unit = self._reading.unit(part.address)
        ranges = self.marked.withheld(unit, self._distinctive)
        return with_markers(unit.text, ranges) if ranges else None

    def _token(self, token: Token) -> str:
        source = self._reading.source[token.start : token.end]
        if token.kind in (Kind.START, Kind.END):
            return self._tag(token)
        if token.hidden or token.kind not in (Kind.TEXT, Kind.RAW):
            return ""
        if token.kind is Kind.RAW and self._distinctive.in_text(html.unescape(_TAG.sub("", source))):
            return MARKER
        return html.escape(html.unescape(source) if token.kind is Kind.TEXT else source, quote=False)

    def _tag(self, token: Token) -> str:
        if token.hidden:
            return ""
        if token.name == "img" and token.kind is Kind.START:
            return self._picture(dict(token.attributes).get("src", ""))
        if token.name not in SHOWN:
            # A row of a form or a field stays apart from the next.
            return " " if token.name in ("option", "button", "textarea", "select") else ""
        if token.kind is Kind.END:
            return f"</{token.name}>"
        kept = "".join(f' {name}="{html.escape(value)}"' for name, value in self._plain_tags.kept(token))
        return f"<{token.name}{kept}>"

    def _picture(self, source: str) -> str:
        begins, kept = self._kept(source)
        if not kept or kept in self._withheld_pictures:
            return ""
        return f'<img alt="" src="{begins}{base64.b64encode(kept).decode()}">'

    def _pictures_in(self, blocks: Iterable[Placed]) -> Iterator[bytes]:
        for block in blocks:
            for token in block.block.tokens:
                if token.name == "img":
                    yield self._kept(dict(token.attributes).get("src", ""))[1]

    def _kept(self, source: str) -> tuple[str, bytes]:
        """A picture within the page without its metadata, and what precedes it; both empty for anything else."""
        found = _PICTURE.match(source)
        if found is None:
            return "", b""
        try:
            data = base64.b64decode(_SPACE.sub("", source[found.end() :]), validate=True)
        except binascii.Error:
            return "", b""
        kept = without_metadata(data) if is_fully_known(data, self._phrases.in_text) else None
        return found[0].lower(), kept or b""
