"""Routes for monitoring: liveness, readiness, metrics."""

import hmac
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from sieve.gateway.errors import NotAllowed
from sieve.gateway.runtime.confinement import Confinement
from sieve.store.queries import queue_state
from sieve.web.api_router import operation
from sieve.web.errors import NotReady, NotSignedIn
from sieve.web.schemas import Shown
from sieve.web.services import Given, Services

router = APIRouter(tags=["health"], generate_unique_id_function=operation)


@router.get("/healthz")
async def lives() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


class ConfinementShown(Shown):
    """`by`: the kernel mechanisms that confine the process. `missing`: those that are not available, and why."""

    by: list[str]
    missing: list[str]


class Ready(BaseModel):
    """`gateway`: the main process. `plain_listener`, `reading`: null until such a process has started. `clock`: why the
    machine's clock is not believed now, or null. `single_sign_on`: why the OpenID Connect provider cannot be used now,
    or null. `audit_forwarding`: why the audit log cannot be forwarded now to each of its receivers (`syslog`, `file`),
    or null. `spool`: why no more documents are taken in until some are finished, or null. `blobs`: why it takes long to
    store and read documents, or null. The gateway is ready without them: people with a password can sign in, entries
    wait, and stored documents can be read.
    """

    status: Literal["ready"] = "ready"
    gateway: ConfinementShown | None
    plain_listener: ConfinementShown | None
    reading: ConfinementShown | None
    clock: str | None
    single_sign_on: str | None
    audit_forwarding: dict[str, str | None]
    spool: str | None
    blobs: str | None


@router.get("/readyz")
async def ready(services: Given) -> Ready:
    """The gateway can write to its database and its blob folder, and there is space. If not, 503 says why; stored
    documents can still be read.
    """
    if problems := await services.readiness.problems():
        raise NotReady("; ".join(problems))
    return Ready(
        gateway=_shown(services.confinement),
        plain_listener=_shown(services.plain_confinement()),
        reading=_shown(services.reading.confinement),
        clock=services.clock_trust.problem,
        single_sign_on=None if services.sso is None else services.sso.provider.problem,
        audit_forwarding={each.kind: each.problem for each in services.audit_forwarding},
        spool=services.readiness.full,
        blobs=services.readiness.slow,
    )


def _shown(confinement: Confinement | None) -> ConfinementShown | None:
    if confinement is None:
        return None
    return ConfinementShown.from_attributes(confinement)


@router.get("/metrics", response_class=Response)
async def metrics(services: Given, authorization: Annotated[str | None, Header()] = None) -> Response:
    """Counters for Prometheus. Requires the metrics token as a bearer token, if one is set."""
    _check_token(services, authorization or "")
    async with services.database.browse() as session:
        transfers = await queue_state.transfers_by_state(session)
        queue = await queue_state.age(session, services.transfer_queue.clock.now_ns())
    return Response(services.metrics.text(transfers, queue, services.audit_forwarding), media_type=CONTENT_TYPE_LATEST)


def _check_token(services: Services, authorization: str) -> None:
    settings = services.settings
    if settings.metrics_token is None:
        # A proxy on this machine passes on requests from anywhere.
        if settings.trusted_proxy is not None or not settings.web_is_local:
            raise NotAllowed("behind a proxy or off loopback, metrics need a token; set SIEVE_METRICS_TOKEN")
        return
    wanted = f"Bearer {settings.metrics_token.get_secret_value()}"
    if not hmac.compare_digest(authorization.encode(), wanted.encode()):
        raise NotSignedIn("metrics need the token of SIEVE_METRICS_TOKEN, as Authorization: Bearer ...")
