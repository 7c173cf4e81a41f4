"""The leak guard: finds what an author forgot to mark. `scanner.check` is the way in."""

from sieve.marking.leaks.finding import Finding, Findings
from sieve.marking.leaks.scanner import check, sent_before

__all__ = ["Finding", "Findings", "check", "sent_before"]
