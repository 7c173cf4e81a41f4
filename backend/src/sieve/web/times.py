"""Times as the API shows them: ISO 8601 in UTC, to the microsecond."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def shown(at_ns: int) -> datetime:
    """The time of a row, in nanoseconds."""
    # Not fromtimestamp: a float has no room for microseconds of today.
    return _EPOCH + timedelta(microseconds=at_ns // 1000)


def shown_if(at_ns: int | None) -> datetime | None:
    """The same for a time that may be missing."""
    return None if at_ns is None else shown(at_ns)


def kept(at: datetime) -> int:
    """The time as rows store it, in nanoseconds, or the nearest that fits. Without a zone, it is UTC."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(-(2**63), min(2**63 - 1, (aware - _EPOCH) // timedelta(microseconds=1) * 1000))
