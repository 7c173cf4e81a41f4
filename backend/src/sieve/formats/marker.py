"""The marker that replaces each run of touching marks in a redacted edition.

Invariant: it always has the same width, since its width must not reveal how much it replaces.
"""

from typing import Final

MARKER: Final = "█████"
