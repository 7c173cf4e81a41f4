"""What can be wrong with a document, whoever brings it.

SieveError                     root of every error that this project raises on purpose
├── MarkupError                a marked text is not well-formed: line, column and reason
│   └── NotUtf8                the text is not UTF-8
├── SpanError                  spans out of order, overlapping, outside the content, or inside a code point
└── StreamMismatch             streams, spans and sizes do not belong together

The sentences are for the person whose document it is. They may tell where in it something stands: show them
to that person, and write them to no log.
"""


class SieveError(Exception):
    """Root of the family; its text is one sentence for people."""


class MarkupError(SieveError):
    """A marked text breaks a rule. Line and column begin at 1; a column is a code point."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(line, column, reason)
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"


class NotUtf8(MarkupError):
    """The text is not UTF-8. It holds no byte of the text, nor does its context."""

    def __init__(self, line: int, column: int, reason: str = "not UTF-8 from here on; save the text as UTF-8") -> None:
        super().__init__(line, column, reason)


class SpanError(SieveError):
    """Spans break their own law, or do not fit the content. It names spans by number, never by position."""


class StreamMismatch(SieveError):
    """A stream is longer or shorter than the spans and the size of the document say."""
