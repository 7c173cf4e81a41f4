"""Refuses query parameters that a route does not have, because an answer that ignores one is not what was asked for."""

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from sieve.web.access import Admin
from sieve.web.errors import MalformedRequest


def known_parameters(admin: Admin, request: Request) -> None:
    """A dependency of routes; it comes after the check of who may call them.

    Raises:
        MalformedRequest: the request has a parameter that its route does not have.
    """
    route: APIRoute = request.scope["route"]
    known = sorted(set(_names(route.dependant)))
    unknown = next((name for name in request.query_params if name not in known), None)
    if unknown is not None:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise MalformedRequest(f"query.{unknown}: this route has no such parameter; {takes}")


def _names(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for part in dependant.dependencies:
        yield from _names(part)
