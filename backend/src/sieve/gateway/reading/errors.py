"""Errors of reading files.

GatewayError
└── ReadingError
    ├── Unreadable        the file, the marks or the policy has a fault; the message is that of the parser
    │   └── NotAvailable  the file does not have the requested part: a redacted edition, rows, pages
    ├── ReadingFailed     the process ended or was ended: too slow, too much memory, or a defect
    └── ReadingBusy       no process is available, whatever the file: too many requests, or the gateway stops
"""

from sieve.gateway.errors import GatewayError


class ReadingError(GatewayError):
    """Root of the family."""


class Unreadable(ReadingError):
    """`kind`: the name of the error that the format, the marks or the policy raised, such as "Damaged"."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class NotAvailable(Unreadable):
    """The file, or its format, does not have the requested part: a redacted edition, rows, pages."""


class ReadingFailed(ReadingError):
    """Reading took too much time or memory, or met a defect."""


class ReadingBusy(ReadingError):
    """No process is available. Trying again helps."""
