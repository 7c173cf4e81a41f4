"""What can come of asking a reading process.

GatewayError
└── ReadingError
    ├── Unreadable     the file, the marks or the policy: what is wrong with it, in the words of who found it
    │   └── HasNone    the file has not what was asked for: a redacted edition, rows, pages
    ├── ReadingFailed  the process had to be ended, or ended: too slow, too much memory, or a defect
    └── ReadingBusy    nobody can read just now, whatever the file: too many wait already, or the gateway stops
"""

from sieve.gateway.errors import GatewayError


class ReadingError(GatewayError):
    """Root of the family."""


class Unreadable(ReadingError):
    """`kind`: the name of the error that the format, the marks or the policy gave, such as "Damaged"."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


class HasNone(Unreadable):
    """The file, or this kind of file, has not what was asked for: a redacted edition, rows, pages."""


class ReadingFailed(ReadingError):
    """Reading took more than it may."""


class ReadingBusy(ReadingError):
    """Nobody is free to read. Trying again helps."""
