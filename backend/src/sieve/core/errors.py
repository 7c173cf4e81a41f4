"""Errors in documents.

SieveError                     root of every error that this project raises on purpose
├── MarkupError                a marked text is not well-formed: line, column and reason
│   └── NotUtf8                the text is not UTF-8
├── SpanError                  spans out of order, overlapping, outside the content, or inside a code point
└── StreamMismatch             streams, spans and sizes do not match

Messages are for the document's owner. They may reveal positions in the document: show them to the owner, and never log
them.
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
    """The text is not UTF-8. Neither the error nor its context contains a byte of the text."""

    def __init__(self, line: int, column: int, reason: str = "not UTF-8 from here on; save the text as UTF-8") -> None:
        super().__init__(line, column, reason)


class SpanError(SieveError):
    """Spans are invalid or do not fit the content. The message names spans by number, never by position."""


class StreamMismatch(SieveError):
    """The length of a stream does not match the spans and the size of the document."""
