"""Limits of requests that change or download several rows of a list."""

from typing import Final

MOST_CHANGED: Final = 5000
"""Rows in one request: so many ids fit into the largest request body."""
MOST_IN_ARCHIVE: Final = 1000
AT_ONCE: Final = 50
"""Rows that one transaction changes, if each takes several statements. It blocks all other writers."""
