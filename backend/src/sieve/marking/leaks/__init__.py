"""The leak scanner: finds what an author forgot to mark. Call `check`."""

from sieve.marking.leaks.finding import Finding, Findings
from sieve.marking.leaks.scanner import check

__all__ = ["Finding", "Findings", "check"]
