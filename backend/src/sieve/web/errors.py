"""The table of errors and HTTP statuses. Routes raise; only this module decides what the client receives.

422 means that the input is malformed. An error that is not in the table is a defect: its text is only logged.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from sieve.channel.errors import BadManifest
from sieve.core.errors import MarkupError, SieveError, SpanError
from sieve.core.sentence import Sentence, said_of, sentence_of
from sieve.gateway.auditing.chain_heads import BadHead
from sieve.gateway.documents.draft_labels import BadLabels, Lowering
from sieve.gateway.documents.ingest import BadMediaType, DocumentTooLarge
from sieve.gateway.errors import (
    Conflict,
    NotAllowed,
    NotFound,
    PairingError,
    PeerRefused,
    PeerUnreachable,
    ProviderUnreachable,
    SavedMeanwhile,
    UnfitPlan,
    UnknownRecipient,
    WrongPeer,
)
from sieve.gateway.inbound.replies import SeveralSenders
from sieve.gateway.reading.errors import NotAvailable, ReadingBusy, ReadingFailed, Unreadable
from sieve.gateway.screening.leak_check import OpenFindings
from sieve.gateway.screening.policies import PolicyUnusable
from sieve.marking.errors import MarkingError, PolicyError
from sieve.store.errors import (
    TAKES_NOTHING,
    BlobDamaged,
    BlobsUnreachable,
    DatabaseBusy,
    DatabaseUnreachable,
    DatabaseUnusable,
    DatabaseUnwritable,
    StorageFull,
    TextUnstorable,
)
from sieve.web.api_router import PREFIX
from sieve.web.problem import Problem

log = logging.getLogger(__name__)


class NotSignedIn(SieveError):
    """The request has no valid token, session or password."""


class TooManyTries(SieveError):
    """Too many sign-ins failed; the next one may be tried in `wait_s` seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(
            Sentence("too-many-sign-ins", "too many sign-ins failed; try again in {seconds} s", seconds=wait_s)
        )
        self.wait_s = wait_s


class ConfirmationNeeded(SieveError):
    """The person must confirm that it is them before this."""


class TooManyRequests(SieveError):
    """A source or a person has too many requests in progress."""


class NotReady(SieveError):
    """The gateway cannot store data right now."""


class MalformedRequest(SieveError):
    """A part of the request that no schema describes cannot be read."""


class RevisionMissing(SieveError):
    """The request changes something that others may have changed, and does not name its revision."""


STATUS: Mapping[type[SieveError], int] = {
    NotSignedIn: 401,
    NotAllowed: 403,
    ConfirmationNeeded: 403,
    NotFound: 404,
    Conflict: 409,
    PairingError: 409,
    OpenFindings: 409,
    NotAvailable: 409,
    SavedMeanwhile: 412,
    DocumentTooLarge: 413,
    MalformedRequest: 422,
    MarkupError: 422,
    SpanError: 422,
    BadMediaType: 422,
    BadManifest: 422,
    UnknownRecipient: 422,
    UnfitPlan: 422,
    Unreadable: 422,
    ReadingFailed: 422,
    PolicyUnusable: 422,
    BadLabels: 422,
    BadHead: 422,
    MarkingError: 422,
    TextUnstorable: 422,
    RevisionMissing: 428,
    TooManyTries: 429,
    TooManyRequests: 429,
    BlobDamaged: 500,
    PeerUnreachable: 502,
    ProviderUnreachable: 502,
    PeerRefused: 502,
    WrongPeer: 502,
    NotReady: 503,
    ReadingBusy: 503,
    DatabaseBusy: 503,
    DatabaseUnusable: 503,
    DatabaseUnwritable: 503,
    StorageFull: 507,
}

_HEADERS: Mapping[type[SieveError], dict[str, str]] = {
    NotSignedIn: {"WWW-Authenticate": 'Bearer realm="sieve"'},
    DatabaseBusy: {"Retry-After": "1"},
    TooManyRequests: {"Retry-After": "2"},
    ReadingBusy: {"Retry-After": "2"},
}


def problem_of(error: Exception) -> Problem:
    """The client's response to `error`."""
    if isinstance(error, DatabaseUnusable):  # its sentence contains paths of this machine: it is for the log
        return Problem(STATUS[DatabaseUnusable], "the gateway's database cannot be used; its log says why")
    if isinstance(error, DatabaseUnreachable):  # its sentence names the server
        return Problem(503, "the gateway cannot reach its database right now; try again", headers={"Retry-After": "1"})
    for kind in type(error).__mro__:
        if kind in STATUS:
            headers = {"Retry-After": str(error.wait_s)} if isinstance(error, TooManyTries) else _HEADERS.get(kind)
            return Problem(
                STATUS[kind], str(error), headers=headers, said=said_of(sentence_of(error)), **_members(error)
            )
    return Problem(500, "this gateway failed; its log says why")


def _members(error: Exception) -> dict[str, Any]:
    """Members of the problem in addition to the sentence."""
    match error:
        case MarkupError():
            return {"line": error.line, "column": error.column}
        case SavedMeanwhile():
            return {"revision": error.revision}
        case OpenFindings():
            tally = error.tally
            said = {"findings": tally.count, "kinds": dict(tally.kinds), "digest": tally.digest}
            several = {"documents": list(error.document_ids)} if error.document_ids else {}
            return {"kind": "open-findings", "may_confirm": error.may_confirm, **said, **several}
        case SeveralSenders():
            people = [{"login": one.name, "unit": one.unit} for one in error.candidates]
            return {"kind": "several-senders", "candidates": people}
        case ConfirmationNeeded():
            return {"kind": "confirmation-needed"}
        case Lowering():
            return {"kind": "lowering"}
        case Unreadable():
            return {"kind": error.kind}
        case PolicyUnusable():
            return {"problems": [{"where": where_of(one), "says": one.reason} for one in error.problems]}
        case _:
            return {}


def where_of(error: PolicyError) -> str:
    """Where a policy is wrong; empty for the policy as a whole."""
    return "" if error.rule is None else f"rule {error.rule}"


_SAYS: Final = {
    "value_error": "{error}",
    "too_short": "give at least {min_length}, not {actual_length}",
    "too_long": "give at most {max_length}, not {actual_length}",
    "greater_than_equal": "it must be {ge} at least",
    "less_than_equal": "it must be {le} at most",
}
"""Sentences of validation faults, instead of the framework's, which are for programmers."""


def handle_errors(app: FastAPI) -> None:
    """Makes every error of `app` a problem."""

    @app.exception_handler(SieveError)
    async def refused(request: Request, error: SieveError) -> Problem:
        problem = problem_of(error)
        if isinstance(error, BlobDamaged):
            log.error("%s %s: %s", request.method, route_of(request.scope), error.for_log)
        elif isinstance(error, DatabaseUnusable):
            log.error("%s", error)
        elif problem.status_code == 500:
            log.error("%s %s: %s", request.method, route_of(request.scope), type(error).__name__, exc_info=error)
        return problem

    @app.exception_handler(BlobsUnreachable)
    async def of_bucket(request: Request, error: BlobsUnreachable) -> Problem:
        log.warning("%s %s: %s", request.method, route_of(request.scope), error)
        says = "the gateway cannot reach the store of its documents right now; try again"
        return Problem(503, says, headers={"Retry-After": "1"})

    @app.exception_handler(OSError)
    async def of_disk(request: Request, error: OSError) -> Problem:
        if error.errno in TAKES_NOTHING or isinstance(error, PermissionError):
            log.error("%s %s: %s", request.method, route_of(request.scope), error)
        else:
            log.error("%s %s: %s", request.method, route_of(request.scope), type(error).__name__, exc_info=error)
        return Problem(503, f"this gateway cannot use its files right now: {error.strerror or 'its log says why'}")

    @app.exception_handler(HTTPException)
    async def no_such_route(request: Request, error: HTTPException) -> Problem:
        headers = dict(error.headers) if error.headers else None
        return Problem(error.status_code, _sentence(error), headers=headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Problem:
        # Without the input, which may be classified.
        faults = [_fault(fault) for fault in error.errors()]
        first = faults[0]
        return Problem(422, f"{first['where']}: {first['message']}", errors=faults)

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> Problem:
        return Problem(400, "the request ended before its body did")


def route_of(scope: Any) -> str:
    """The template of the request's path, below /api/v1 if it is there; "" if no route matched."""
    return str(getattr(scope.get("route"), "path_format", "")).removeprefix(PREFIX)


def _fault(fault: Mapping[str, Any]) -> dict[str, str]:
    where = [str(part) for part in fault["loc"]]
    if fault["type"] in ("extra_forbidden", "json_invalid"):
        # The last part of these is the client's input, or a position in it.
        where = where[:1]
    message = _SAYS.get(fault["type"], "{msg}").format_map({"msg": fault["msg"]} | fault.get("ctx", {}))
    return {"where": ".".join(where), "message": _lower_first(message)}


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _sentence(error: HTTPException) -> str:
    match error.status_code:
        case 404:
            return "there is nothing at this path; see /api/docs for all paths"
        case 405:
            return "this path does not support that method; see /api/docs for all paths"
        case _:
            return str(error.detail)
