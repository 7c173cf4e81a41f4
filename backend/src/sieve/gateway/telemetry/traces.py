"""Timing marks of a channel, from httpcore's trace events."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from sieve.gateway.telemetry.timing_marks import TimingMarks

Trace: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[None]]


def channel_trace(timing_marks: TimingMarks, channel: str) -> Trace:
    """A trace that marks the set-up of a connection, and its first and last byte."""
    connection = connection_trace(timing_marks, channel)

    async def trace(name: str, info: dict[str, Any]) -> None:
        match name:
            case "http11.send_request_headers.started":
                if timing_marks.first("first-byte", channel) is None:
                    timing_marks.at("first-byte", channel)
            case "http11.send_request_body.complete":
                timing_marks.move("last-byte", channel)
            case _:
                await connection(name, info)

    return trace


def connection_trace(timing_marks: TimingMarks, channel: str) -> Trace:
    """A trace that marks only the set-up of a connection."""

    async def trace(name: str, _info: dict[str, Any]) -> None:
        match name:
            case "connection.connect_tcp.started":
                timing_marks.at("connecting", channel)
            case "connection.connect_tcp.complete":
                timing_marks.at("connected", channel)
            case "connection.start_tls.complete":
                timing_marks.at("handshaken", channel)

    return trace
