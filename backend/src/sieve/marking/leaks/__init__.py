"""The leak scanner: finds what an author forgot to mark. Call `check`."""

from sieve.marking.leaks.finding import Finding, Findings
from sieve.marking.leaks.scanner import check, sent_before

__all__ = ["Finding", "Findings", "check", "sent_before"]
