"""What can be wrong with a file, or with marks that are to be put into it.

SieveError
└── FormatError
    ├── Damaged           the file is not what its name or its first bytes say, or breaks the rules of its format
    ├── Protected         the file is encrypted or under a password
    ├── TooLarge          reading the file would take more time or memory than it may: a bomb, or just too much
    ├── Unsupported       a whole and honest file, of a kind that is not read here
    ├── UnknownPlace      a mark names an address that the file has not, or characters outside of it
    └── RedactionFailed   a redacted edition was made and, read again, still told something; nothing is given out

The sentences say what, where and what to do, and hold no text of the document. An address is no text.
"""

from sieve.core.errors import SieveError


class FormatError(SieveError):
    """Root of the family."""


class Damaged(FormatError):
    """The file breaks the rules of its format."""


class Protected(FormatError):
    """The file can only be read with a password."""


class TooLarge(FormatError):
    """The file would take more time or memory than a file may."""


class Unsupported(FormatError):
    """The file is of a kind that is not read here."""


class UnknownPlace(FormatError):
    """A mark does not fit the file. Its text names the address."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address = address
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.address}: {self.reason}"


class RedactionFailed(FormatError):
    """A redacted edition did not stand the check; it is not given out."""
