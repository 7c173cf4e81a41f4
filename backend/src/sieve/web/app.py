"""The web application: `/api/v1`, its page, and the paths that watchers of the gateway ask."""

from importlib.metadata import version

from fastapi import APIRouter, FastAPI

from sieve.web import api_page
from sieve.web.documents.router import router as documents
from sieve.web.errors import handle_errors
from sieve.web.guard import Guard
from sieve.web.health.router import router as health
from sieve.web.inbox.router import router as inbox
from sieve.web.me.router import router as me
from sieve.web.peers.router import router as peers
from sieve.web.people.router import router as people
from sieve.web.services import Services
from sieve.web.tokens.router import router as tokens
from sieve.web.transfers.router import router as transfers

PREFIX = "/api/v1"


def create_app(services: Services) -> FastAPI:
    """The application that works with `services`. Nothing of it is shared with another one."""
    app = FastAPI(
        title="Security Sieve",
        version=version("security-sieve"),
        description="Sends documents of which only a part is secret. Every answer that is a refusal is "
        "application/problem+json, whose `detail` says what is wrong and what to do.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.services = services
    api = APIRouter(prefix=PREFIX)
    for router in (documents, transfers, inbox, people, peers, tokens, me):
        api.include_router(router)
    app.include_router(api)
    app.include_router(health)
    app.include_router(api_page.router)
    handle_errors(app)
    app.add_middleware(Guard, metrics=services.metrics, streams=[("POST", f"{PREFIX}/documents")])
    return app
