"""Canonical JSON: one text for one value, so that both gateways sign and hash the same bytes.

The subset of RFC 8785 that needs no number formatting: objects with ASCII keys, lists, strings, integers, booleans,
null."""

import json
from typing import Any


def dumps(value: Any) -> bytes:
    """The one UTF-8 text of `value`.

    Raises:
        ValueError: `value` holds something whose text is not unique, such as a float.
    """
    _check(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _check(value: Any) -> None:
    # What most values are comes first: a batch's head holds a thousand of them.
    if value is None or isinstance(value, (str, int)):
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (isinstance(key, str) and key.isascii()):
                raise ValueError("canonical JSON takes ASCII keys only")
            _check(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check(inner)
    else:
        raise ValueError(f"canonical JSON has no place for {type(value).__name__}")
