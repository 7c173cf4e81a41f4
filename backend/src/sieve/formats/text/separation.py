"""Text with its spans given separately: every byte is content, even a `<$S>`.

Invariant: text is UTF-8 and no span cuts a code point, so that any text can be shown, marked and printed.
"""

from typing import Final

from sieve.core.document import Segment, Spans
from sieve.core.separate import Separator
from sieve.core.utf8 import SpanEdgeCheck, Utf8Check

TEXT_TYPES: Final = frozenset(
    {
        "application/ecmascript",
        "application/javascript",
        "application/json",
        "application/sql",
        "application/toml",
        "application/x-ndjson",
        "application/x-sh",
        "application/xml",
        "application/yaml",
    }
)
TEXT_SUFFIXES: Final = ("+json", "+xml", "+yaml")
UTF8_CHARSETS: Final = frozenset({"utf-8", "utf8", "us-ascii"})


def is_text(media_type: str) -> bool:
    """Whether a document of this media type is text in UTF-8. Text in another charset counts as bytes."""
    essence, *parameters = (part.strip().lower() for part in media_type.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in UTF8_CHARSETS:
            return False
    return essence.startswith("text/") or essence in TEXT_TYPES or essence.endswith(TEXT_SUFFIXES)


class TextReader:
    """Turns content into segments, as `Separator` does, and checks that it is text. Unusable after an error."""

    def __init__(self, spans: Spans = Spans.EMPTY) -> None:
        self._utf8 = Utf8Check()
        self._edges = SpanEdgeCheck(spans)
        self._separator = Separator(spans)
        self.spans = spans

    def feed(self, piece: bytes) -> list[Segment]:
        """The segments of `piece`; their `data` are views of it.

        Raises:
            NotUtf8: with the line and column where the first bad code point begins.
            SpanError: a span begins or ends inside a code point.
        """
        self._utf8.feed(piece)
        self._edges.feed(piece)
        return self._separator.feed(piece)

    def close(self, size: int) -> None:
        """Ends the text.

        Raises:
            NotUtf8: it ends inside a code point.
            StreamMismatch: the number of bytes fed is not `size`.
            SpanError: a span reaches past the end.
        """
        self._utf8.close()
        self._separator.close(size)
