"""A chain: each entry has a link, the digest of what it says and of the link before it.

The law: whoever knows a link knows all that stands before it. An entry that is changed, taken out, put in or moved
makes every later link another one. Only entries that are cut off at the end leave no trace in what is left, so links
are told to others.

    link(n) = BLAKE3("sieve chain v1\\0" | link(n - 1) | JSON of entry n: members sorted, no spaces, UTF-8)
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from blake3 import blake3

HEAD: Final = re.compile("([0-9]{1,18}):([0-9a-f]{64})")
"""Where a chain ends, as others are told it: the number of its last entry, and that one's link."""

BEGINNING: Final = bytes(32)
"""What stands before the first entry."""

_PURPOSE: Final = b"sieve chain v1\0"


def link(before: bytes, entry: Mapping[str, str | int | None]) -> bytes:
    """The link of an entry, 32 bytes; `before`: that of the one before it."""
    told = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return blake3(_PURPOSE + before + told.encode("utf-8", "surrogatepass")).digest()
