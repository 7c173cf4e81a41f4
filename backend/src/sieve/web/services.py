"""What the web application works with; `main` builds it, once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from sieve.config import Settings
from sieve.gateway.dispatch import Dispatch
from sieve.gateway.identity import Identity
from sieve.gateway.ingest import Ingest
from sieve.gateway.links import Links
from sieve.gateway.peers import Peers
from sieve.gateway.progress import ProgressBus
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.web.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Services:
    """`listeners`: `host:port` of web, secure and plain, as they are bound."""

    settings: Settings
    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    dispatch: Dispatch
    progress: ProgressBus
    ingest: Ingest
    identity: Identity
    listeners: Mapping[str, str]
    metrics: Metrics = field(default_factory=Metrics)


def _services(request: Request) -> Services:
    return cast(Services, request.app.state.services)


Given = Annotated[Services, Depends(_services)]
"""A route that takes this works with the gateway's parts."""
