"""Every route, asked by everybody: who is let in, and who is not.

Everybody: nobody, a peer, each of `PEOPLE` (readers with and without clearance, authors, an admin), a program for each
scope, and accounts that are locked or disabled, or whose session ended. The routes come from the OpenAPI document and
the application. A new route must be entered here: the first tests fail until it is.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from browsers import signed_in
from cases import each
from sieve.gateway.clock import now_ns
from sieve.store.models import ALL_SCOPES
from sieve.store.queries import people, sessions, tokens
from sieve.web import access
from sieve.web.ui import interface
from web_world import World
from world_building import PEOPLE

AUTHORS = {"anna", "adam"}
RECIPIENTS = {"bruno", "rosa", "otto"}
ADMINS = {"root"}
EVERYBODY = set(PEOPLE)
SCOPES = {"send": "adam", "read": "otto", "admin": "root"}
"""Who is let in by no other role than the scope's."""

ID = "0" * 32
PEER_PIN = "a" * 64
"""What identifies a peer on the secure channel; here it is nothing."""
IDS = (
    *("document_id", "draft_id", "transfer_id", "person_id", "token_id", "session_id", "group_id"),
    *("webhook_id", "approval_id", "pin"),
)
RULES: dict[tuple[str, str], set[str]] = {
    ("POST", "/documents"): AUTHORS,
    ("GET", "/documents"): AUTHORS,
    ("GET", "/documents/{document_id}"): AUTHORS,
    ("DELETE", "/documents/{document_id}"): AUTHORS,
    ("GET", "/documents/{document_id}/content"): AUTHORS,
    ("GET", "/documents/{document_id}/plain"): AUTHORS,
    ("GET", "/documents/{document_id}/classified"): AUTHORS,
    ("GET", "/documents/{document_id}/redacted"): AUTHORS,
    ("GET", "/documents/{document_id}/marks"): AUTHORS,
    ("GET", "/documents/{document_id}/units"): AUTHORS,
    ("GET", "/documents/{document_id}/outline"): AUTHORS,
    ("GET", "/documents/{document_id}/rows"): AUTHORS,
    ("GET", "/documents/{document_id}/pages/{number}.png"): AUTHORS,
    ("GET", "/documents/{document_id}/pages/{number}/words"): AUTHORS,
    ("POST", "/integrate"): AUTHORS,
    ("POST", "/drafts"): AUTHORS,
    ("GET", "/drafts"): AUTHORS,
    ("GET", "/drafts/{draft_id}"): AUTHORS,
    ("PUT", "/drafts/{draft_id}"): AUTHORS,
    ("PATCH", "/drafts/{draft_id}"): AUTHORS,
    ("GET", "/drafts/counts"): AUTHORS,
    ("GET", "/drafts/ids"): AUTHORS,
    ("GET", "/drafts/tags"): AUTHORS,
    ("POST", "/drafts/changes"): AUTHORS,
    ("POST", "/drafts/archive"): AUTHORS,
    ("POST", "/drafts/{draft_id}/copy"): AUTHORS,
    ("DELETE", "/drafts/{draft_id}"): AUTHORS,
    ("POST", "/drafts/{draft_id}/restore"): AUTHORS,
    ("GET", "/drafts/{draft_id}/content"): AUTHORS,
    ("GET", "/drafts/{draft_id}/plain"): AUTHORS,
    ("GET", "/drafts/{draft_id}/classified"): AUTHORS,
    ("GET", "/drafts/{draft_id}/versions"): AUTHORS,
    ("POST", "/drafts/{draft_id}/versions/{revision}/restore"): AUTHORS,
    ("DELETE", "/drafts/{draft_id}/versions"): AUTHORS,
    ("GET", "/drafts/{draft_id}/marks"): AUTHORS,
    ("PUT", "/drafts/{draft_id}/marks"): AUTHORS,
    ("GET", "/drafts/{draft_id}/units"): AUTHORS,
    ("GET", "/drafts/{draft_id}/why-classified"): AUTHORS,
    ("GET", "/drafts/{draft_id}/outline"): AUTHORS,
    ("GET", "/drafts/{draft_id}/rows"): AUTHORS,
    ("GET", "/drafts/{draft_id}/pages/{number}.png"): AUTHORS,
    ("GET", "/drafts/{draft_id}/pages/{number}/words"): AUTHORS,
    ("POST", "/transfers"): AUTHORS,
    ("POST", "/batches"): AUTHORS,
    ("POST", "/sends"): AUTHORS,
    ("GET", "/recipients/gateways"): AUTHORS,
    ("GET", "/recipients/recent"): AUTHORS,
    ("GET", "/recipient-groups"): AUTHORS,
    ("POST", "/recipient-groups"): AUTHORS,
    ("PATCH", "/recipient-groups/{group_id}"): AUTHORS,
    ("DELETE", "/recipient-groups/{group_id}"): AUTHORS,
    ("GET", "/transfers"): AUTHORS | ADMINS,
    ("GET", "/transfers/counts"): AUTHORS | ADMINS,
    ("GET", "/transfers/ids"): AUTHORS | ADMINS,
    ("POST", "/transfers/changes"): AUTHORS,
    ("GET", "/peer-contacts"): ADMINS,
    ("GET", "/storage"): ADMINS,
    ("GET", "/laboratory"): ADMINS,
    ("POST", "/laboratory/{name}/run"): ADMINS,
    ("POST", "/laboratory/stop"): ADMINS,
    ("GET", "/received"): ADMINS,
    ("GET", "/received/counts"): ADMINS,
    ("GET", "/received/incomplete"): ADMINS,
    ("POST", "/transfers/archive"): AUTHORS,
    ("GET", "/transfers/{transfer_id}"): AUTHORS | ADMINS,
    ("GET", "/transfers/{transfer_id}/events"): AUTHORS | ADMINS,
    ("POST", "/transfers/{transfer_id}/cancel"): AUTHORS,
    ("POST", "/transfers/{transfer_id}/requeue"): AUTHORS,
    ("GET", "/transfers/{transfer_id}/receipt"): AUTHORS | ADMINS,
    ("GET", "/transfers/{transfer_id}/verification"): AUTHORS | ADMINS,
    ("GET", "/inbox"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/content"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/reply"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/marks"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/outline"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/units"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/rows"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/pages/{number}.png"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/full/pages/{number}/words"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/redacted/outline"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/redacted/units"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/redacted/rows"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/redacted/pages/{number}.png"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/redacted/pages/{number}/words"): RECIPIENTS,
    ("POST", "/inbox/{transfer_id}/forward"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/receipt"): RECIPIENTS,
    ("GET", "/inbox/{transfer_id}/verification"): RECIPIENTS,
    ("GET", "/inbox/counts"): RECIPIENTS,
    ("GET", "/inbox/tags"): RECIPIENTS,
    ("GET", "/inbox/ids"): RECIPIENTS,
    ("POST", "/inbox/changes"): RECIPIENTS,
    ("POST", "/inbox/archive"): RECIPIENTS,
    ("DELETE", "/inbox/{transfer_id}"): RECIPIENTS,
    ("POST", "/inbox/{transfer_id}/restore"): RECIPIENTS,
    ("GET", "/people"): ADMINS,
    ("POST", "/people"): ADMINS,
    ("GET", "/people/export"): ADMINS,
    ("POST", "/people/import"): ADMINS,
    ("GET", "/people/{person_id}"): ADMINS,
    ("PATCH", "/people/{person_id}"): ADMINS,
    ("GET", "/people/{person_id}/tokens"): ADMINS,
    ("POST", "/people/{person_id}/tokens"): ADMINS,
    ("DELETE", "/people/{person_id}/tokens/{token_id}"): ADMINS,
    ("GET", "/approvals"): ADMINS,
    ("POST", "/approvals/{approval_id}/agree"): ADMINS,
    ("POST", "/approvals/{approval_id}/refuse"): ADMINS,
    ("POST", "/people/{person_id}/link"): ADMINS,
    ("GET", "/people/factors"): ADMINS,
    ("DELETE", "/people/{person_id}/factors"): ADMINS,
    ("GET", "/people/{person_id}/webhooks"): ADMINS,
    ("POST", "/people/{person_id}/webhooks"): ADMINS,
    ("POST", "/people/{person_id}/webhooks/{webhook_id}/test"): ADMINS,
    ("DELETE", "/people/{person_id}/webhooks/{webhook_id}"): ADMINS,
    ("GET", "/me/notifications"): EVERYBODY,
    ("PUT", "/me/notifications"): EVERYBODY,
    ("GET", "/peers"): EVERYBODY,
    ("GET", "/peers/invitation"): ADMINS,
    ("POST", "/peers"): ADMINS,
    ("GET", "/peers/{name}"): EVERYBODY,
    ("GET", "/peers/{name}/code"): ADMINS,
    ("POST", "/peers/{name}/confirm"): ADMINS,
    ("POST", "/peers/{name}/renew"): ADMINS,
    ("POST", "/peers/{name}/renewal-code"): ADMINS,
    ("DELETE", "/peers/{name}/pins/{pin}"): ADMINS,
    ("DELETE", "/peers/{name}"): ADMINS,
    ("POST", "/peers/{name}/test"): ADMINS,
    ("GET", "/peers/{name}/recipients"): AUTHORS,
    ("GET", "/peers/{name}/recipients/known"): AUTHORS,
    ("GET", "/peers/{name}/plan"): AUTHORS,
    ("GET", "/peers/{name}/receipt-key"): EVERYBODY,
    ("GET", "/tokens"): EVERYBODY,
    ("DELETE", "/tokens/{token_id}"): EVERYBODY,
    ("GET", "/sessions"): EVERYBODY,
    ("GET", "/session/sso"): EVERYBODY,
    ("DELETE", "/sessions"): EVERYBODY,
    ("DELETE", "/sessions/{session_id}"): EVERYBODY,
    ("GET", "/events"): EVERYBODY,
    ("GET", "/me"): EVERYBODY,
    ("GET", "/gateway"): EVERYBODY,
    ("GET", "/settings"): ADMINS,
    ("GET", "/policies"): AUTHORS | ADMINS,
    ("POST", "/policies"): ADMINS,
    ("POST", "/policies/check"): ADMINS,
    ("GET", "/policies/{name}"): AUTHORS | ADMINS,
    ("PUT", "/policies/{name}"): ADMINS,
    ("DELETE", "/policies/{name}"): ADMINS,
    ("POST", "/policies/preview"): AUTHORS | ADMINS,
    ("POST", "/policies/{name}/preview"): AUTHORS | ADMINS,
    ("POST", "/drafts/{draft_id}/check"): AUTHORS,
    ("POST", "/drafts/{draft_id}/check/unsaved"): AUTHORS,
    ("POST", "/drafts/{draft_id}/policies/preview"): AUTHORS,
    ("POST", "/drafts/{draft_id}/policies/{name}/preview"): AUTHORS,
    ("POST", "/documents/{document_id}/check"): AUTHORS,
    ("GET", "/timings/summary"): ADMINS,
    ("GET", "/timings/standouts"): ADMINS,
    ("POST", "/timings/rebuild"): ADMINS,
    ("GET", "/timings/responses"): ADMINS,
    ("GET", "/timings/cell"): ADMINS,
    ("GET", "/timings/phases"): ADMINS,
    ("GET", "/timings/modes"): ADMINS,
    ("GET", "/timings/points"): ADMINS,
    ("GET", "/timings/queue"): ADMINS,
    ("GET", "/timings/capacity"): ADMINS,
    ("GET", "/audit"): ADMINS,
    ("GET", "/audit/export"): ADMINS,
    ("GET", "/audit/chain"): ADMINS,
    ("POST", "/audit/chain"): ADMINS,
    ("GET", "/labels"): EVERYBODY,
    ("GET", "/drafts/{draft_id}/labels"): AUTHORS,
    ("PUT", "/drafts/{draft_id}/labels"): AUTHORS,
}

FOR_ALL = {
    ("GET", "/session"),
    ("POST", "/session"),
    ("DELETE", "/session"),
    ("POST", "/welcome/look"),
    ("POST", "/welcome"),
    ("POST", "/session/factor"),
    ("POST", "/session/passkey"),
    ("POST", "/session/sso"),
    ("POST", "/session/sso/start"),
    ("GET", "/session/passkey-options"),
}
"""How people come in; the tests of sessions, refused sign-ins, second steps, single sign-on and welcomes say more."""

IN_A_BROWSER = {
    ("POST", "/tokens"),
    ("PUT", "/me/password"),
    ("GET", "/session/confirmation"),
    ("POST", "/session/confirmation"),
    ("GET", "/factors"),
    ("GET", "/factors/passkey-options"),
    ("POST", "/factors/passkeys"),
    ("DELETE", "/factors/passkeys/{passkey_id}"),
    ("POST", "/factors/app"),
    ("POST", "/factors/app/confirmation"),
    ("DELETE", "/factors/app"),
    ("POST", "/factors/recovery-codes"),
}
"""Everybody's, but with the cookie only; the tests of factors say more."""

OUTSIDE = {"/healthz", "/readyz", "/metrics", "/api/docs", "/api/v1/openapi.json"}
"""What is served beside the API's routes, to everybody alike; the tests of metrics say when these want their own token.
The user interface answers on every other path outside `/api`."""

BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/documents"): {"params": {"form": "marked", "name": "a"}, "content": b"a"},
    ("POST", "/drafts"): {"params": {"form": "marked", "name": "a"}, "content": b"a"},
    ("PUT", "/drafts/{draft_id}"): {"params": {"form": "marked"}, "headers": {"If-Match": '"1"'}, "content": b"a"},
    ("PUT", "/drafts/{draft_id}/marks"): {"headers": {"If-Match": '"1"'}, "json": {"marks": []}},
    ("POST", "/drafts/{draft_id}/versions/{revision}/restore"): {"headers": {"If-Match": '"1"'}},
    ("POST", "/transfers/changes"): {"json": {"ids": [], "change": "cancel"}},
    ("POST", "/drafts/changes"): {"json": {"ids": [], "change": "delete"}},
    ("POST", "/drafts/archive"): {"json": {"ids": ["0"]}},
    ("POST", "/transfers/archive"): {"json": {"ids": ["0"]}},
    ("POST", "/drafts/{draft_id}/copy"): {"json": {"name": "a"}},
    ("PATCH", "/drafts/{draft_id}"): {"headers": {"If-Match": '"1"'}, "json": {"name": "a"}},
    ("POST", "/transfers"): {"json": {"document_id": ID, "peer": "bravo", "recipients": ["berta"]}},
    ("POST", "/batches"): {"json": {"document_ids": [ID, "1" * 32], "peer": "bravo", "recipients": ["berta"]}},
    ("POST", "/sends"): {"json": {"document_ids": [ID], "to": [{"peer": "bravo", "recipients": ["berta"]}]}},
    ("POST", "/recipient-groups"): {"json": {"name": "a", "members": []}},
    ("PATCH", "/recipient-groups/{group_id}"): {"json": {}},
    ("POST", "/people"): {"json": {"name": "anna", "display_name": "taken"}},
    ("POST", "/people/import"): {"params": {"preview": True}, "content": b"login\nanna\n"},
    ("PATCH", "/people/{person_id}"): {"json": {}},
    ("POST", "/people/{person_id}/tokens"): {"json": {"label": "a"}},
    ("POST", "/peers"): {"json": {"invitation": "none"}},
    ("POST", "/peers/{name}/confirm"): {"json": {"code": "none"}},
    ("POST", "/peers/{name}/renew"): {"json": {"invitation": "none", "code": "none"}},
    ("POST", "/peers/{name}/renewal-code"): {"json": {"invitation": "none"}},
    ("PUT", "/drafts/{draft_id}/labels"): {"headers": {"If-Match": '"1"'}, "json": {}},
    ("POST", "/policies"): {"json": {"name": "a", "rules": []}},
    ("POST", "/policies/check"): {"json": {"name": "a", "rules": []}},
    ("PUT", "/policies/{name}"): {"headers": {"If-Match": '"1"'}, "json": {"name": "a", "rules": []}},
    ("POST", "/policies/preview"): {"json": {"language": "json", "policy": '{"name": "a", "rules": []}', "text": "a"}},
    ("POST", "/drafts/{draft_id}/policies/preview"): {"json": {"name": "a", "rules": []}},
    ("POST", "/policies/{name}/preview"): {"content": b"a", "headers": {"Content-Type": "text/plain"}},
    ("POST", "/inbox/changes"): {"json": {"ids": [ID], "change": "delete"}},
    ("POST", "/inbox/archive"): {"json": {"ids": [ID], "edition": "redacted"}},
}


def _routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            if path not in OUTSIDE:
                yield method.upper(), path.removeprefix("/api/v1")


async def test_every_route_has_its_rule(world: World) -> None:
    assert set(_routes(world.app)) == set(RULES) | FOR_ALL | IN_A_BROWSER


async def test_every_route_outside_of_the_document_is_known(world: World) -> None:
    """A route that the OpenAPI document does not show must not pass by the rules."""
    shown = {f"/api/v1{path}" for _, path in _routes(world.app)}
    assert {context.path for context in iter_route_contexts(world.app.routes)} == shown | OUTSIDE


@pytest.mark.parametrize("path", [*sorted(OUTSIDE), "/", "/documents"])
async def test_what_is_outside_answers_everybody_the_same(world: World, tmp_path: Path, path: str) -> None:
    (tmp_path / "index.html").write_bytes(b"<!doctype html>")
    world.app.state.services = replace(world.services, ui=interface(tmp_path))
    told = set()
    for who in [None, *sorted(EVERYBODY)]:
        async with world.client(who) as api:
            answer = await api.get(f"http://alpha{path}")
            assert answer.status_code == 200
            told.add(b"" if path == "/metrics" else answer.content)
            assert (await api.post(f"http://alpha{path}")).status_code == 405
    assert len(told) == 1


async def test_no_token_opens_what_is_for_browsers(world: World) -> None:
    for method, path in sorted(IN_A_BROWSER):
        for who in (None, "anna", "root"):
            async with world.client(who) as api:
                api.headers["Sec-Fetch-Site"] = "same-origin"
                body = (
                    {"label": "a"}
                    if path == "/tokens"
                    else {"code": "1", "name": "a", "passkey": {"id": "", "rawId": "", "type": "", "response": {}}}
                )
                answer = await api.request(method, path, json=body if method == "POST" else None)
            assert answer.status_code == (401 if who is None else 403), (method, path, who, answer.text)


async def test_who_is_let_in(world: World) -> None:
    """Each route of `RULES`, by each persona, at one gateway. Lists everything that is wrong at once."""
    world.services.announcements.close()  # events would go on for ever
    personas = await _personas(world)
    # Ends the tokens of the caller.
    last = ("DELETE", "/sessions")
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(world.client(headers=dict(each.headers))) for each in personas]
        wrong = [
            f"{' '.join(route)}: {persona.name} got {got}"
            for route in sorted(RULES, key=lambda route: route == last)
            for persona, api in zip(personas, clients, strict=True)
            for got in [await _wrong(api, route, persona)]
            if got is not None
        ]
    assert not wrong, "\n".join(wrong)


@dataclass(frozen=True)
class Persona:
    """Who asks. `like`: whose rules apply; None if nothing is open. `scope`: of the token, if it narrows the roles."""

    name: str
    headers: Mapping[str, str]
    like: str | None
    scope: str | None = None


async def _personas(world: World) -> list[Persona]:
    everything = {"is_author": True, "is_recipient": True, "is_admin": True, "cleared": True}
    found = [Persona("nobody at all", {}, None), Persona("a peer", {"Authorization": f"Bearer {PEER_PIN}"}, None)]
    found += [Persona(who, {"Authorization": f"Bearer {world.tokens[who]}"}, who) for who in sorted(PEOPLE)]
    async with signed_in(world, "root") as api:
        cookie = api.cookies["sieve-alpha"]
    async with world.database.write() as session:
        await sessions.end(session, cookie)
        for name, more in (("disabled", {"disabled_at_ns": 1}), ("locked", {"locked_before_ns": now_ns()})):
            owner = await people.add(session, name=name, display_name=name, now_ns=1, **everything)
            await people.change(session, owner.id, **more)
            await tokens.add(session, user_id=owner.id, token=name, label=name, now_ns=1, scopes=ALL_SCOPES)
        for scope in SCOPES:
            program = {**everything, "is_service": True}
            owner = await people.add(session, name=f"program-{scope}", display_name="P", now_ns=1, **program)
            await tokens.add(session, user_id=owner.id, token=scope, label=scope, now_ns=1, scopes=scope)
    found += [
        Persona("an ended session", {"Cookie": f"sieve-alpha={cookie}", "Sec-Fetch-Site": "same-origin"}, None),
        Persona("a disabled account", {"Authorization": "Bearer disabled"}, None),
        Persona("a locked account with every role", {"Authorization": "Bearer locked"}, "everything"),
    ]
    return found + [
        Persona(f"a program with the scope {scope}", {"Authorization": f"Bearer {scope}"}, like, scope)
        for scope, like in SCOPES.items()
    ]


async def _wrong(api: httpx.AsyncClient, route: tuple[str, str], persona: Persona) -> str | None:
    """What was wrong about the answer to this persona's client; None if nothing was."""
    method, template = route
    # "bravo" is asked for with things that are not there, so that a request that is let in changes nothing.
    name = "bravo" if method == "GET" else "delta"
    path = template.format(**dict.fromkeys(IDS, ID), name=name, number=1, revision=1)
    body = BODIES.get(route, {})
    answer = await api.request(method, path, **body | {"headers": {**api.headers, **body.get("headers", {})}})
    api.cookies.clear()
    got = f"{answer.status_code} {answer.text[:200]}"
    if answer.status_code >= 500 or (answer.is_error and answer.headers["content-type"] != "application/problem+json"):
        return got
    if persona.like is None:
        challenged = answer.headers.get("www-authenticate", "").startswith("Bearer")
        return None if answer.status_code == 401 and challenged else got
    if persona.like == "everything" or persona.like in RULES[route]:
        return got if answer.status_code in (401, 403) else None
    refused = answer.status_code == 403
    if refused and persona.scope is not None:
        refused = "with a token of scope" in answer.json()["detail"]
    return None if refused else got


@each("header", ["", "Bearer", "Bearer ", "Bearer sieve_", "Bearer sieve_x", "Basic c2lldmU6", "sieve_anna"])
async def test_what_is_no_token(world: World, header: str) -> None:
    async with world.client(headers={"Authorization": header} if header else {}) as api:
        assert (await api.get("/me")).status_code == 401


@each("path", ["/documents", "/transfers", "/inbox", "/people", "/me"])
async def test_a_cookie_lets_in_whom_a_token_does(world: World, path: str) -> None:
    """Nobody may once the session has ended."""
    for who in sorted(EVERYBODY):
        async with signed_in(world, who) as api:
            cookie = api.cookies["sieve-alpha"]
            assert (await api.get(path)).status_code == (200 if who in RULES["GET", path] else 403), who
            async with world.database.write() as session:
                await sessions.end(session, cookie)
            assert (await api.get(path)).status_code == 401


async def test_another_authors_document_is_not_there(world: World) -> None:
    document_id = await world.upload(b"<$S>mine<$E>", "anna")
    async with world.client("adam") as api:
        for method, path in (
            ("GET", f"/documents/{document_id}"),
            ("GET", f"/documents/{document_id}/content"),
            ("GET", f"/documents/{document_id}/plain"),
            ("GET", f"/documents/{document_id}/redacted"),
            ("GET", f"/documents/{document_id}/marks"),
            ("GET", f"/documents/{document_id}/units"),
            ("DELETE", f"/documents/{document_id}"),
        ):
            assert (await api.request(method, path)).status_code == 404
        assert (await api.get("/documents")).json()["items"] == []


async def test_a_token_that_is_revoked_while_a_body_arrives_slowly_counts_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "KNOWN_FOR_S", 0.0)

    async def body() -> AsyncIterator[bytes]:
        yield b'{"name": '
        async with world.database.write() as session:
            (token,) = await tokens.of_user(session, world.people["anna"].id)
            await tokens.revoke(session, token.user_id, token.id, now_ns())
        yield b'"a.txt"}'

    async with world.client("anna") as api:
        answer = await api.post("/transfers", content=body(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 401


async def test_a_request_with_a_body_looks_up_its_token_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = []
    owner = tokens.owner

    async def counted(*arguments: Any) -> Any:
        looked_up.append(arguments)
        return await owner(*arguments)

    monkeypatch.setattr(tokens, "owner", counted)
    async with world.client("anna") as api:
        answer = await api.post("/transfers", json={"name": "a.txt"})
    assert answer.status_code == 422
    assert len(looked_up) == 1
