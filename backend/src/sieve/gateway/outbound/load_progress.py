"""Counts how many bytes of each document were sent over each channel, and whether they were new.

Invariant: only bytes that were not sent this way before are new. A peer that refuses bytes to get them again makes no
progress, and cannot keep an attempt alive. Padding is no document's.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from sieve.channel.held_ranges import Held
from sieve.channel.load import Layout, Part
from sieve.channel.sender import Sender
from sieve.core.split.sub_stream import SubStream
from sieve.gateway.telemetry.progress import ChannelKind, ChannelProgress, Progress


class BytesLeft(NamedTuple):
    """How many bytes of a document left this gateway on each kind of channel, at most: all that may be in a socket."""

    secure: int
    plain: int


class LoadProgress:
    """Records the bytes that were sent, and publishes the progress of each document."""

    def __init__(self, core: Sender, publish: Callable[[Progress], None], *, uses_plain_channel: bool) -> None:
        self._load, self._secure, self._chunks = core.load, core.secure, core.chunks
        self._secure_layout, self._publish = core.secure_layout, publish
        self._reached = [0] * len(core.secure)
        # The chunks sent over the plain channels, and those sent over the secure one.
        self._sent: tuple[set[int], set[int]] = set(), set()
        # What may have left: the end in each secure sub-stream, and the chunks on each kind of channel.
        self._leaving = [0] * len(core.secure)
        self._leaving_chunks: tuple[set[int], set[int]] = set(), set()
        self._ended: set[int] = set()
        plain = core.chunks.sub_streams if uses_plain_channel else ()
        channels: list[tuple[ChannelKind, int, list[int]]] = [
            *(("secure", k, self._shares(part.carried, self._secure_layout)) for k, part in enumerate(core.secure)),
            *(("plain", k, self._shares(part, self._load.plain)) for k, part in enumerate(plain)),
        ]
        self._progress = [
            _at_start(
                transfer_id,
                [ChannelProgress(kind, k, 0, shares[number]) for kind, k, shares in channels],
                self._load.held,
                uses_plain_channel=uses_plain_channel,
            )
            for number, transfer_id in enumerate(self._load.transfer_ids)
        ]

    def begin(self) -> None:
        """Publishes the start. Bytes that the peer holds already count as sent."""
        for progress in self._progress:
            self._publish(progress)

    def secure(self, sub_stream: int, start: int, end: int) -> bool:
        """Counts these bytes of a secure sub-stream. Returns whether they are new."""
        start = max(start, self._reached[sub_stream])
        if start >= end:
            return False
        self._reached[sub_stream] = end
        part = self._secure[sub_stream]
        self._add(sub_stream, part.carries(start, end), _parts(part.ranges(start, end), self._secure_layout))
        return True

    def plain(self, number: int, *, securely: bool = False) -> bool:
        """Counts this chunk, sent on a plain channel or on the secure one. Returns whether it is new."""
        if number in self._sent[securely]:
            return False
        self._sent[securely].add(number)
        if number in self._sent[not securely]:
            return True
        place = self._chunks.place(number)
        parts = _parts(self._chunks.ranges(number), self._load.plain)
        self._add(len(self._secure) + place.sub_stream, place.length, parts)
        return True

    def leaving_secure(self, sub_stream: int, end: int) -> None:
        """Notes, before they are sent, that the bytes of a secure sub-stream up to `end` may leave."""
        self._leaving[sub_stream] = max(self._leaving[sub_stream], end)

    def leaving_chunk(self, number: int, *, securely: bool = False) -> None:
        """Notes, before it is sent, that this chunk may leave on a plain channel, or on the secure one."""
        self._leaving_chunks[securely].add(number)

    def left(self, transfer_id: str) -> BytesLeft:
        """How much of this document left. Call it when nothing is being sent any more."""
        return self._left[self._load.transfer_ids.index(transfer_id)]

    @cached_property
    def _left(self) -> list[BytesLeft]:
        on_plain, on_secure = (
            [range_ for number in numbers for range_ in self._chunks.ranges(number)] for numbers in self._leaving_chunks
        )
        plain, secure = self._sizes(on_plain, self._load.plain), self._sizes(on_secure, self._load.plain)
        for sub_stream, end in zip(self._secure, self._leaving, strict=True):
            more = self._sizes(sub_stream.ranges(0, end), self._secure_layout)
            secure = [one + other for one, other in zip(secure, more, strict=True)]
        return [BytesLeft(*each) for each in zip(secure, plain, strict=True)]

    def ended(self, transfer_id: str) -> None:
        """Publishes no more progress of this document: it has an outcome."""
        self._ended.add(self._load.transfer_ids.index(transfer_id))

    def verified(self) -> None:
        """Publishes that the peer has every byte of the documents that it did not refuse."""
        self._move((number, replace(self._progress[number], verified=True)) for number in range(len(self._progress)))

    def _add(self, channel: int, size: int, parts: Iterable[Part]) -> None:
        more: dict[int, int] = {}
        if self._load.is_batch:
            for part in parts:
                more[part.document] = more.get(part.document, 0) + part.end - part.start
        else:
            more[0] = size
        self._move((number, self._progress[number].carried(channel, each)) for number, each in more.items())

    def _move(self, moved: Iterable[tuple[int, Progress]]) -> None:
        for number, progress in moved:
            self._progress[number] = progress
            if number not in self._ended:
                self._publish(progress)

    def _shares(self, sub_stream: SubStream, layout: Layout) -> list[int]:
        """How many bytes of each document a sub-stream carries."""
        if not self._load.is_batch:
            return [sub_stream.size]
        return self._sizes(sub_stream.ranges(0, sub_stream.size), layout)

    def _sizes(self, ranges: Iterable[tuple[int, int]], layout: Layout) -> list[int]:
        """How many bytes of each document these ranges carry."""
        sizes = [0] * len(self._load.manifests)
        for part in _parts(ranges, layout):
            sizes[part.document] += part.end - part.start
        return sizes


def _parts(ranges: Iterable[tuple[int, int]], layout: Layout) -> Iterable[Part]:
    return (part for start, end in ranges for part in layout.parts(start, end))


def _at_start(transfer_id: str, channels: list[ChannelProgress], held: Held, *, uses_plain_channel: bool) -> Progress:
    plain = held.plain_size if uses_plain_channel else 0
    secure = held.size - plain
    return Progress(
        transfer_id,
        "sending",
        secure_sent=secure,
        secure_total=secure + sum(channel.total for channel in channels if channel.kind == "secure"),
        plain_sent=plain,
        plain_total=plain + sum(channel.total for channel in channels if channel.kind == "plain"),
        channels=tuple(channels),
    )
