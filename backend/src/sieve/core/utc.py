"""How times are written in sentences for people: UTC, to the second."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def utc(at_ns: int) -> str:
    """`at_ns`, nanoseconds since the epoch, for example as `2026-11-22 21:10:05 UTC`."""
    return f"{_EPOCH + timedelta(microseconds=at_ns // 1000):%Y-%m-%d %H:%M:%S} UTC"
