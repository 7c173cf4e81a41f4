"""A peer's hello: its version and its limits, which an attempt must keep to."""

from dataclasses import dataclass, replace
from typing import Any

from sieve import addresses
from sieve.channel.chunk_sizes import COMMON_CHUNK, MAX_CHUNK
from sieve.channel.safe_names import clean_line
from sieve.channel.seals import COMMON_SEAL
from sieve.gateway.peering.peer_capacity import PeerCapacity

PROTOCOL_VERSIONS = (1, 2)
"""The versions that this gateway speaks. Version 2 has several channels of a kind; version 1 one of each, split by
range."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a peer says about itself. The defaults are for peers of version 1, or of an older gateway.

    `max_batch`, `batch_splits`: the documents of one attempt, and how they may be split; `max_open_transfers`,
    `max_open_bytes`: the documents in progress; `manifests`: the versions of manifests that it accepts; `max_chunk`:
    the bytes of a plain chunk; `resumes`: whether an attempt may leave out what the peer holds; `probes`: whether it
    takes probes; `covers`: whether it takes covers, and reports who opened a document; `padding`: whether secure
    sub-streams may be padded; `seals`: the seals of plain chunks that it knows, the fastest there first.
    """

    name: str
    versions: tuple[int, ...]
    max_document_bytes: int
    plain_url: str
    max_secure_channels: int = 1
    max_plain_channels: int = 1
    splits: tuple[str, ...] = ("range",)
    max_batch: int = 1
    batch_splits: tuple[str, ...] = ("range",)
    max_open_transfers: int = PeerCapacity().documents
    max_open_bytes: int = PeerCapacity().size
    manifests: tuple[int, ...] = (1,)
    max_chunk: int = COMMON_CHUNK
    resumes: bool = False
    probes: bool = False
    covers: bool = False
    padding: bool = False
    seals: tuple[str, ...] = (COMMON_SEAL,)

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Hello":
        """The hello in a peer's answer.

        Raises:
            ValueError, KeyError, TypeError: it is invalid.
        """
        versions = tuple(version for version in said["versions"][:100] if type(version) is int)
        hello = cls(
            name=clean_line(str(said["name"])),
            versions=versions,
            max_document_bytes=int(said["max_document_bytes"]),
            plain_url=addresses.origin(str(said["plain_url"]), "http"),
        )
        if 2 not in versions:
            return hello
        return replace(
            hello,
            max_secure_channels=int(said["max_secure_channels"]),
            max_plain_channels=int(said["max_plain_channels"]),
            splits=tuple(str(split) for split in said["splits"][:100]),
            max_batch=int(said["max_batch"]),
            # Gateways that accepted one document for each attempt left it out.
            batch_splits=tuple(str(split) for split in said.get("batch_splits", ["range"])[:100]),
            # Older gateways left these out; they refuse what is too much.
            max_open_transfers=int(said.get("max_open_transfers", hello.max_open_transfers)),
            max_open_bytes=int(said.get("max_open_bytes", hello.max_open_bytes)),
            # Gateways that knew one version left it out.
            manifests=tuple(version for version in said.get("manifests", [1])[:100] if type(version) is int),
            # Gateways of the time when all had one limit left it out.
            max_chunk=MAX_CHUNK if int(said.get("max_chunk", COMMON_CHUNK)) >= MAX_CHUNK else COMMON_CHUNK,
            resumes=said.get("resumes") is True,
            probes=said.get("probes") is True,
            covers=said.get("covers") is True,
            padding=said.get("padding") is True,
            # Gateways that knew one seal left it out.
            seals=tuple(str(seal) for seal in said.get("seals", hello.seals)[:100]),
        )

    @property
    def takes(self) -> PeerCapacity:
        """How much the peer accepts at a time."""
        return PeerCapacity(self.max_batch, self.max_open_transfers, self.max_open_bytes)

    @property
    def version(self) -> int | None:
        """The highest version that both gateways speak; None if there is none."""
        return max(set(self.versions) & set(PROTOCOL_VERSIONS), default=None)
