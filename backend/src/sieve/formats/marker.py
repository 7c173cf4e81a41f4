"""The marker that replaces each run of touching marks in a redacted edition.

Invariant: it always has the same width, since its width must not reveal how much it replaces.
A page shows it as a box: `.withheld` in the web interface's `styles/document.css` and, for long texts, in
`text/long/engine/theme.ts`. `make api` writes the marker into the interface's catalogue.
"""

from typing import Final

MARKER: Final = "█████"
