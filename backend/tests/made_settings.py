"""Settings of the gateways of tests.

`Settings(...)` looks each setting up in the environment first, which takes longer than some tests of the web API do.
"""

from typing import Any

from pydantic import BaseModel

from sieve.config import Settings


def made_settings(**values: Any) -> Settings:
    """Settings of these values alone, checked."""
    settings = Settings.__new__(Settings)
    BaseModel.__init__(settings, **values)
    return settings
