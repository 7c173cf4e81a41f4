"""The environment of processes that face strangers: the plain listener, the reading processes, the laboratory.

Invariant: variables are named here one by one, or by a prefix that holds no secret. A gateway's environment may hold
its own settings (`SIEVE_*`), a password for PostgreSQL (`PGPASSWORD`), keys for S3 (`AWS_*`), and what else its admin
put there.
"""

import os
from typing import Final

_NAMES: Final = frozenset({"PATH", "HOME", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR"})
_PREFIXES: Final = ("LC_", "LD_", "MALLOC_", "OPENSSL_", "PYTHON")


def child_environment() -> dict[str, str]:
    """What this process passes on of its environment."""
    return {name: value for name, value in os.environ.items() if name in _NAMES or name.startswith(_PREFIXES)}
