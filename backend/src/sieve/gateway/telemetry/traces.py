"""Timing marks of a channel, from httpcore's trace events."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from sieve.gateway.telemetry.timing_marks import TimingMarks

Trace: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[None]]


def channel_trace(marks: TimingMarks, channel: str) -> Trace:
    """A trace that marks the set-up of a connection, and its first and last byte."""
    connection = connection_trace(marks, channel)

    async def trace(name: str, info: dict[str, Any]) -> None:
        match name:
            case "http11.send_request_headers.started":
                if marks.first("first-byte", channel) is None:
                    marks.at("first-byte", channel)
            case "http11.send_request_body.complete":
                marks.move("last-byte", channel)
            case _:
                await connection(name, info)

    return trace


def connection_trace(marks: TimingMarks, channel: str) -> Trace:
    """A trace that marks only the set-up of a connection."""

    async def trace(name: str, _info: dict[str, Any]) -> None:
        match name:
            case "connection.connect_tcp.started":
                marks.at("connecting", channel)
            case "connection.connect_tcp.complete":
                marks.at("connected", channel)
            case "connection.start_tls.complete":
                marks.at("handshaken", channel)

    return trace
