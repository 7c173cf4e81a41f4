"""Errors of commands; the text of each is the line to show.

SieveError
└── CommandError
    ├── BadInput     the input cannot be used: exit status 2
    └── Failed       the command failed: exit status 1
"""

from sieve.core.errors import SieveError


class CommandError(SieveError):
    """Base of the command line's own errors."""


class BadInput(CommandError):
    """The input cannot be used."""


class Failed(CommandError):
    """The command failed."""
