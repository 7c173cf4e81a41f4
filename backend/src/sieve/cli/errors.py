"""How a command ends when it does not end well.

SieveError
└── CommandError
    ├── BadInput     what was given cannot be used: exit status 2
    └── Failed       it could not be done: exit status 1
"""

from sieve.core.errors import SieveError


class CommandError(SieveError):
    """Root of the command line's own errors; the text is the line to show."""


class BadInput(CommandError):
    """What was given cannot be used."""


class Failed(CommandError):
    """It could not be done."""
