"""What watches the gateway asks: does it live, can it work, how much did it do."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Header, Response
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy import text

from sieve.gateway.errors import NotAllowed
from sieve.store.queries import pages
from sieve.web.errors import NotSignedIn
from sieve.web.services import Given, Services

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def lives() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz")
async def ready(services: Given) -> dict[str, str]:
    """The gateway can work: its database answers."""
    async with services.database.read() as session:
        await session.execute(text("SELECT 1"))
    return {"status": "ready"}


@router.get("/metrics", response_class=Response)
async def metrics(services: Given, authorization: Annotated[str | None, Header()] = None) -> Response:
    """Counters for Prometheus. Wants the metrics token as a bearer token, if one is set."""
    _check_token(services, authorization or "")
    async with services.database.browse() as session:
        transfers = await pages.transfers_by_state(session)
    return Response(services.metrics.text(transfers), media_type=CONTENT_TYPE_LATEST)


def _check_token(services: Services, authorization: str) -> None:
    settings = services.settings
    if settings.metrics_token is None:
        # What a proxy on this machine passes on comes from anywhere.
        if settings.trusted_proxy is not None or not settings.web_is_local:
            raise NotAllowed("behind a proxy or off loopback metrics want a token; set SIEVE_METRICS_TOKEN")
        return
    wanted = f"Bearer {settings.metrics_token.get_secret_value()}"
    if not hmac.compare_digest(authorization.encode(), wanted.encode()):
        raise NotSignedIn("metrics want the token of SIEVE_METRICS_TOKEN, as Authorization: Bearer ...")
