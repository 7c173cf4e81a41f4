"""An author's marks in a file as they travel to the receiver.

Addresses, positions and labels go. Rules and reasons stay, which are about policies of the author, not the document.

Invariant: the same marks give the same bytes in every version of this program: a manifest has their digest. The size is
a power of two, so that the size of what travels over TLS shows only roughly how many marks there are.
"""

import json
from typing import Any, Final

LEAST: Final = 1024
"""Bytes of the fewest marks."""
_FIELDS: Final = ("address", "start", "end", "label")


def sent_marks(kept: bytes) -> bytes:
    """The JSON list that travels, made from the stored marks. Spaces at its end pad it."""
    marks: list[dict[str, Any]] = json.loads(kept)
    written = json.dumps([{name: mark[name] for name in _FIELDS} for mark in marks], separators=(",", ":")).encode()
    return written.ljust(max(LEAST, 1 << (len(written) - 1).bit_length()))
