"""Makes the routers of the API, so that a start prepares no route.

FastAPI prepares a route when it is defined, and those of an included router once more: half a second for all. So
routers have their whole paths and are not included, and FastAPI prepares a route when it is first used (`late_route`).
The first request for the API's description prepares all that are left, which takes some tenths of a second.
"""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute

from sieve.gateway.runtime.late_route import LateRoute

PREFIX: Final = "/api/v1"


def api_router(prefix: str = "", *, tag: str, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """A router for routes below `PREFIX` and `prefix`, which the API's description groups under `tag`."""
    return APIRouter(
        prefix=PREFIX + prefix,
        tags=[tag],
        dependencies=dependencies,
        generate_unique_id_function=operation,
        route_class=LateRoute,
    )


def operation(route: APIRoute) -> str:
    """The operation id of a route: its tag and its name."""
    return "_".join([*(str(tag) for tag in route.tags[:1]), route.name])
