"""Writes the descriptions of the settings for the web interface: `python -m sieve.web.write_setting_notes OUT.ts`.

`make api` writes the file, and `make check` compares it. So a description without a translation fails
`make check`.
"""

import re
import sys
from pathlib import Path

from sieve.web.settings.table import descriptions
from sieve.web.typographic import typographic

_HEAD = """\
/** Written by `make api` from the gateway's settings (sieve/web/write_setting_notes.py). Do not edit. */
import { t } from "@lingui/core/macro";

/** What each setting is for, by its name. */
export const SETTING_NOTES: Readonly<Record<string, string>> = {
"""


def typescript() -> str:
    """The module's source."""
    rows = (f"  {name}: t`{_template(text)}`,\n" for name, text in descriptions().items())
    return f"{_HEAD}{''.join(rows)}}};\n"


def _template(text: str) -> str:
    """The inside of a template literal."""
    return re.sub(r"[`\\$]", r"\\\g<0>", typographic(text))


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m sieve.web.write_setting_notes OUT.ts", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(typescript(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
