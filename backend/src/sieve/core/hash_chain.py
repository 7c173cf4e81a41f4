"""A hash chain: each entry has a link, the digest of its contents and of the previous link.

Invariant: a link determines all entries before it. Changing, removing, inserting or moving an entry changes every later
link. Only entries that are cut off at the end leave no trace in the rest, so links are also given to others.

    link(n) = BLAKE3("sieve chain v1\\0" | link(n - 1) | JSON of entry n: members sorted, no spaces, UTF-8)
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from blake3 import blake3

HEAD: Final = re.compile("([0-9]{1,18}):([0-9a-f]{64})")
"""The end of a chain as given to others: the number of its last entry, and its link."""

BEGINNING: Final = bytes(32)
"""The link before the first entry."""

_PURPOSE: Final = b"sieve chain v1\0"


def link(before: bytes, entry: Mapping[str, str | int | None]) -> bytes:
    """The link of an entry, 32 bytes. `before`: the previous link."""
    written = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return blake3(_PURPOSE + before + written.encode("utf-8", "surrogatepass")).digest()
