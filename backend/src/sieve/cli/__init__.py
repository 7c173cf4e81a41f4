"""The command line. Data goes to stdout, everything else to stderr; an error is one line.

Exit status: 0 success, 1 failure, 2 unusable input.
"""

from sieve.cli.app import main

__all__ = ["main"]
