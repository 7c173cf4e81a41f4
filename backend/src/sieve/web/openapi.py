"""Writes the API's schema: `python -m sieve.web.openapi OUT.json`. Starts nothing and reads no settings."""

import json
import sys
from pathlib import Path
from typing import Any

from sieve.web.app import described


def schema() -> dict[str, Any]:
    """The OpenAPI document, as `/api/v1/openapi.json` gives it."""
    return described().openapi()


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m sieve.web.openapi OUT.json", file=sys.stderr)
        return 2
    out = Path(arguments[0])
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        print(f"openapi: {out} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
