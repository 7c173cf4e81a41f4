"""The command line. Data goes to stdout, everything else to stderr; an error is one line there.

Exit status: 0 done, 1 it failed, 2 what was given cannot be used.
"""

from sieve.cli.app import main

__all__ = ["main"]
