"""The advisory locks that gateways take in a PostgreSQL database. Two numbers name each."""

from typing import Final

CLASS: Final = 0x53494556
"""The first number of each: "SIEV"."""
_WRITING, GATEWAY_OBJECT, _LEADER, _NAMES = 1, 2, 3, 4

WRITING: Final = f"{CLASS}, {_WRITING}"
"""Whose turn it is to write."""
GATEWAY: Final = f"{CLASS}, {GATEWAY_OBJECT}"
"""Which gateway has the database: one alone, or its replicas together."""
LEADER: Final = f"{CLASS}, {_LEADER}"
"""Which replica does the work that only one does."""
NAMES: Final = f"{CLASS}, {_NAMES}"
"""Who makes the index of parts of names."""
