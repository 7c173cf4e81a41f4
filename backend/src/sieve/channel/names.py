"""Names that a peer chose, made safe to show and to store: no paths, no controls, no bidirectional tricks."""

import unicodedata

MAX_NAME_LENGTH = 300

# Cc: controls; Cf: formats, the bidirectional overrides among them; Cs, Co, Cn: not characters that a person can read;
# Zl, Zp: line and paragraph separators.
_UNWANTED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def clean_name(name: str) -> str:
    """`name` as a bare file name: its last path component, without what cannot be seen, at most 300 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    seen = "".join(ch for ch in last if unicodedata.category(ch) not in _UNWANTED)
    return seen.strip().lstrip(".")[:MAX_NAME_LENGTH] or "document"
