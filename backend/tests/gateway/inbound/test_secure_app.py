"""The secure listener's routes, which are prepared only when they are first used."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from sieve.channel.receiver import Limits
from sieve.gateway.inbound import secure_app
from sieve.gateway.inbound.secure_app import SecureDeps, create_secure_app


def an_app() -> FastAPI:
    """Of services that no request reaches."""
    settings = SimpleNamespace(limits=Limits(max_document_size=1, max_open_transfers=1), stall_s=1.0)
    attempts = SimpleNamespace(deps=SimpleNamespace(settings=settings, plain=None))
    return create_secure_app(cast(SecureDeps, SimpleNamespace(attempts=attempts)))


def calls(of: Dependant) -> list[str]:
    """The names of all functions that a request to a route calls."""
    return [*(name for each in of.dependencies for name in calls(each)), getattr(of.call, "__name__", "")]


def described(route: APIRoute) -> dict[str, Any]:
    """What FastAPI has found out about a route."""
    of = route.dependant
    return {
        "route": (route.path, route.methods, route.name, route.status_code, str(route.response_model)),
        "calls": calls(of),
        "parameters": [
            (each.alias, str(each.field_info.annotation), each.field_info.is_required())
            for each in (*of.path_params, *of.query_params, *of.header_params, *of.body_params)
        ],
    }


def routes(app: FastAPI) -> list[APIRoute]:
    return [route for route in app.routes if isinstance(route, APIRoute)]


def test_every_route_can_be_prepared_and_is_as_if_it_had_been_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    late = routes(an_app())
    assert not any("dependant" in vars(route) for route in late)
    monkeypatch.setattr(secure_app, "LateRoute", APIRoute)
    at_once = routes(an_app())
    assert all("dependant" in vars(route) for route in at_once)
    assert len(late) > 10
    assert [described(route) for route in late] == [described(route) for route in at_once]


def test_every_route_knows_its_peer_by_the_certificate() -> None:
    for route in routes(an_app()):
        assert "caller" in calls(route.dependant), route.path
