"""The web application: `/api/v1`, its page, and the routes for monitoring."""

from importlib.metadata import version
from typing import Final

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from sieve.web import api_page
from sieve.web.access import signed_in
from sieve.web.api_router import PREFIX
from sieve.web.audit.router import router as audit
from sieve.web.documents.integrate import router as integrate
from sieve.web.documents.router import router as documents
from sieve.web.documents.views import router as document_views
from sieve.web.drafts.forward import router as forward
from sieve.web.drafts.list_routes import router as draft_list
from sieve.web.drafts.marks import router as draft_marks
from sieve.web.drafts.router import router as drafts
from sieve.web.drafts.versions import router as versions
from sieve.web.errors import handle_errors
from sieve.web.events.router import router as events
from sieve.web.factors.people import router as factors_of_people
from sieve.web.factors.router import router as factors
from sieve.web.findings.router import router as findings
from sieve.web.health.router import router as health
from sieve.web.inbox.cover import router as inbox_cover
from sieve.web.inbox.list_routes import router as inbox_list
from sieve.web.inbox.received_file import router as received_file
from sieve.web.inbox.redacted_edition import router as redacted_edition
from sieve.web.inbox.router import router as inbox
from sieve.web.labels.router import router as labels
from sieve.web.laboratory.router import router as laboratory
from sieve.web.me.router import router as me
from sieve.web.notifications.router import router as notifications
from sieve.web.one_time_links.router import router as one_time_links
from sieve.web.peers.router import contacts as peer_contacts
from sieve.web.peers.router import router as peers
from sieve.web.people.approvals import router as approvals
from sieve.web.people.csv_routes import router as people_csv
from sieve.web.people.router import router as people
from sieve.web.policies.router import on_drafts as policies_on_drafts
from sieve.web.policies.router import router as policies
from sieve.web.received.router import router as received
from sieve.web.recipients.groups import router as recipient_groups
from sieve.web.recipients.router import router as recipients
from sieve.web.request_guard import RequestGuard
from sieve.web.request_limits import Pace, RequestLimits
from sieve.web.services import Services
from sieve.web.session.router import router as session
from sieve.web.settings.router import router as settings
from sieve.web.sso.router import router as sso
from sieve.web.storage.router import router as storage
from sieve.web.timings.router import router as timings
from sieve.web.tokens.router import router as tokens
from sieve.web.transfers.router import batches, sends
from sieve.web.transfers.router import router as transfers

STREAMS = (
    ("POST", f"{PREFIX}/documents"),
    ("POST", f"{PREFIX}/integrate"),
    ("POST", f"{PREFIX}/drafts"),
    ("PUT", f"{PREFIX}/drafts/{{}}"),
    ("PUT", f"{PREFIX}/drafts/{{}}/marks"),
    ("PUT", f"{PREFIX}/drafts/{{}}/labels"),
    ("POST", f"{PREFIX}/policies"),
    ("POST", f"{PREFIX}/policies/check"),
    ("PUT", f"{PREFIX}/policies/{{}}"),
    ("POST", f"{PREFIX}/policies/{{}}/preview"),
    ("POST", f"{PREFIX}/drafts/{{}}/policies/preview"),
    ("POST", f"{PREFIX}/drafts/{{}}/check/unsaved"),
)
"""Routes with bodies of any length: they are sealed as they arrive, or the route limits them."""
BEFORE_SIGN_IN = frozenset(
    {
        ("POST", f"{PREFIX}/session"),
        ("POST", f"{PREFIX}/session/factor"),
        ("POST", f"{PREFIX}/session/passkey"),
        ("POST", f"{PREFIX}/session/sso"),
        ("POST", f"{PREFIX}/session/sso/start"),
        ("DELETE", f"{PREFIX}/session"),
        ("POST", f"{PREFIX}/factors/passkeys"),
        ("POST", f"{PREFIX}/factors/app/confirmation"),
        ("POST", f"{PREFIX}/welcome"),
        ("POST", f"{PREFIX}/welcome/look"),
    }
)
"""Routes that read a body before the person is signed in. All others answer 401 without reading it."""

_ROUTERS: Final = (
    documents,
    document_views,
    integrate,
    draft_list,  # before the drafts: "counts" is no draft's id
    drafts,
    draft_marks,
    versions,
    findings,
    transfers,
    batches,
    sends,
    recipients,
    recipient_groups,
    inbox_list,
    inbox,
    inbox_cover,
    forward,
    received_file,
    redacted_edition,
    events,
    policies,
    approvals,
    people_csv,  # before people, which has /people/{person_id}
    factors_of_people,
    people,
    notifications,
    peers,
    peer_contacts,
    policies_on_drafts,
    labels,
    tokens,
    me,
    settings,
    timings,
    audit,
    session,
    sso,
    factors,
    one_time_links,
    received,
    storage,
    laboratory,
    health,
    api_page.router,
)
"""Of two routes that match, the first one responds. All applications of a process share them."""


def create_app(services: Services) -> FastAPI:
    """The application for `services`. It shares nothing with another one."""
    app = described()
    app.state.services = services
    app.router.default = _otherwise(app)
    handle_errors(app)
    app.add_middleware(
        RequestGuard,
        metrics=services.metrics,
        limits=RequestLimits(services.web_connections, Pace(services.settings.header_deadline_s), services.upload_pace),
        who=lambda scope: signed_in(scope, app.state.services),
        streams=STREAMS,
        before_sign_in=BEFORE_SIGN_IN,
    )
    return app


def described() -> FastAPI:
    """The application without services, for its schema."""
    app = FastAPI(
        title="Security Sieve",
        version=version("security-sieve"),
        description="Sends documents of which only a part is secret. Every error response is application/problem+json, "
        "whose `detail` says what is wrong and what to do.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in _ROUTERS:
        app.router.routes.extend(router.routes)
    return app


def _otherwise(app: FastAPI) -> ASGIApp:
    """Responds if no path matches: the user interface. For a wrong method, the route itself responds."""
    not_found = app.router.default

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        ours: ASGIApp = app.state.services.ui if scope["type"] == "http" else not_found
        await ours(scope, receive, send)

    return answer
