"""What the process that gateways are forked from does once, so that no gateway has to: see `forked`."""

import gc
from importlib import import_module

from sqlalchemy.orm import configure_mappers

from sieve.web.app import described

# A gateway imports these after its start began.
for name in (
    "cheap_hasher",
    "aiosqlite",
    "anyio._backends._asyncio",
    "cryptography.hazmat.backends.openssl.backend",
    "encodings.idna",
    "sieve.cli.app",
    "sieve.gateway.plain.process",
    "sieve.load_config",
    "sieve.main",
    "sieve.serving",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "stories.forked_children",
    "uvloop",
):
    import_module(name)
configure_mappers()
# Prepares the routes, which otherwise the first requests do.
described().openapi()
# Else the first collection of each gateway would copy all memory that it shares with this process.
gc.collect()
gc.freeze()
