"""Answers of the secure listener whose lengths do not show how many digits a size in them has."""

from typing import Any, Final

from fastapi.responses import JSONResponse

STEP: Final = 512
"""Answers, and lines of answers, have a multiple of this many bytes."""


def padded(answer: bytes, more: int = 0) -> bytes:
    """A JSON text with spaces behind it, so that it and `more` bytes together have a multiple of `STEP`."""
    return answer.ljust(-(-(len(answer) + more) // STEP) * STEP - more)


class PaddedJSON(JSONResponse):
    """JSON, padded."""

    def render(self, content: Any) -> bytes:
        return padded(super().render(content))
