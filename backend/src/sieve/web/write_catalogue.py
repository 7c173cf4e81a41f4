"""Writes what the web interface shares with the gateway besides the API: `python -m sieve.web.write_catalogue OUT.ts`.

These are the formats, which media types are text, the detectors and the marker of redacted editions. `make api` writes
the file, and `make check` compares it.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from sieve.formats.marker import MARKER
from sieve.formats.registry import FORMATS
from sieve.formats.text.separation import TEXT_SUFFIXES, TEXT_TYPES, UTF8_CHARSETS
from sieve.marking.detectors.registry import DETECTORS
from sieve.web.typographic import typographic

_TEXT = re.compile(r'("(?:label|hint)": )"([^"\\`]*)"')
"""What people read, for the macro that translates it."""

_EXAMPLE = re.compile(r'("example": ".*")$', re.MULTILINE)
"""What stays as it is in every language."""


def typescript() -> str:
    """The module's source."""
    formats = {
        name: {
            "label": row.label,
            "view": row.view,
            "mediaType": row.media_type,
            "endings": row.endings,
        }
        for name, row in FORMATS.items()
    }
    detectors = [
        {"value": name, "label": row.label, "hint": typographic(row.hint), "example": row.example}
        for name, row in DETECTORS.items()
    ]
    text = {"types": sorted(TEXT_TYPES), "suffixes": TEXT_SUFFIXES, "charsets": sorted(UTF8_CHARSETS)}
    return "\n".join(
        (
            "/** Written by `make api` from the gateway's tables (sieve/web/write_catalogue.py). Do not edit. */",
            'import { t } from "@lingui/core/macro";',
            "",
            "/** Replaces each withheld run in a redacted edition. */",
            _constant("MARKER", MARKER),
            "/** The formats that the gateway reads. `view`: how a file of it is shown. */",
            _constant("FORMATS", formats),
            "/** Which media types are text in UTF-8. */",
            _constant("TEXT", text),
            "/** The detectors that a policy's rule may name. */",
            _constant("DETECTORS", detectors),
        )
    )


def _constant(name: str, value: Any) -> str:
    source = _TEXT.sub(r"\1t`\2`", json.dumps(value, indent=2, ensure_ascii=False))
    source = _EXAMPLE.sub(r"\1 // not a text", source)
    return f"export const {name} = {source} as const;\n"


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m sieve.web.write_catalogue OUT.ts", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(typescript(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
