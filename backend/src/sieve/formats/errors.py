"""Errors in a file, or in the marks for it.

SieveError
└── FormatError
    ├── Damaged           the file is not of the format that it claims, or breaks the rules of its format
    ├── Protected         the file is encrypted or under a password
    ├── TooLarge          reading the file would take too much time or memory
    ├── Unsupported       a sound file, of a kind that is not supported
    ├── UnknownPlace      a mark names an address that the file does not have, or characters outside it
    └── RedactionFailed   the finished redacted edition still contained a marked text, and was discarded

Each message says what is wrong, where, and what to do. It contains no text of the document, only addresses.
"""

from sieve.core.errors import SieveError


class FormatError(SieveError):
    """Root of the family."""


class Damaged(FormatError):
    """The file breaks the rules of its format."""


class Protected(FormatError):
    """The file can only be read with a password."""


class TooLarge(FormatError):
    """Reading the file would take too much time or memory."""


class Unsupported(FormatError):
    """The file is of a kind that is not supported."""


class UnknownPlace(FormatError):
    """A mark does not fit the file. The message names the address."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address = address
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.address}: {self.reason}; correct or remove this mark"


class RedactionFailed(FormatError):
    """A redacted edition failed its check and was discarded."""
