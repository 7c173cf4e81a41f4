"""Names that a peer chose, made safe to show and to store: no paths, no controls, no bidirectional tricks."""

import re
import unicodedata

MAX_NAME_LENGTH = 300
MAX_UNIT = 100
"""Characters of a person's unit (department)."""
# What is looked at of a text: a peer may have said megabytes.
_LOOKED_AT = 16 * MAX_NAME_LENGTH

# Cc: controls; Cf: formats, the bidirectional overrides among them; Cs, Co, Cn: not characters that a person can read;
# Zl, Zp: line and paragraph separators.
_UNWANTED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Line feeds and tabs; the two joiners, which some scripts and emoji need.
_KEPT_IN_TEXT = "\n\t\u200c\u200d"
# Dots and white space by turns, too: what is left must not begin with a dot.
_HIDING = re.compile(r"^[\s.]+")


def clean_name(name: str) -> str:
    """`name` as a bare file name: its last path component, without what cannot be seen, at most 300 characters."""
    last = name[-_LOOKED_AT:].replace("\\", "/").rsplit("/", 1)[-1]
    return clean_line(_HIDING.sub("", _visible(last))) or "document"


def clean_line(text: str) -> str:
    """`text`, such as a person's name, without what cannot be seen, at most 300 characters; may be empty."""
    return _visible(text[:_LOOKED_AT]).strip()[:MAX_NAME_LENGTH].rstrip()


def clean_text(text: str) -> str:
    """`text` of several lines without what cannot be seen. Line feeds and tabs stay, and what joins letters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(ch for ch in lines if ch in _KEPT_IN_TEXT or unicodedata.category(ch) not in _UNWANTED).strip()


def _visible(text: str) -> str:
    return "".join(ch for ch in text if unicodedata.category(ch) not in _UNWANTED)
