"""Errors of the lab."""

from sieve.core.errors import SieveError


class LabError(SieveError):
    """A model cannot use these values. The message says in one sentence which value, and what it must be."""
