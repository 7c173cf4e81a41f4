"""The error of the settings; apart from `config`, so that a command can catch it without loading pydantic."""

from sieve.core.errors import SieveError


class ConfigError(SieveError):
    """A setting cannot be used; its text is the one line to show."""
