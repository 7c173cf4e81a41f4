"""Makes the routers of the API, so that a start prepares no route.

FastAPI prepares a route when it is defined, which takes a millisecond or two, and those of an included router once
more: half a second for all. So routers have their whole paths and are not included, and FastAPI prepares a route
when it is first used, on the event loop. The first request for the API's description prepares all that are left, which
takes some tenths of a second.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute
from starlette.routing import compile_path

PREFIX: Final = "/api/v1"


class _LateRoute(APIRoute):
    """A route that has only what it takes to match a request, until anything else is asked of it."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.path, self.endpoint = path, endpoint
        self.methods = {method.upper() for method in options["methods"]}
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self._unprepared = (path, endpoint, options)

    def __getattr__(self, name: str) -> Any:
        unprepared = self.__dict__.pop("_unprepared", None)
        if unprepared is None:
            raise AttributeError(name)
        path, endpoint, options = unprepared
        try:
            super().__init__(path, endpoint, **options)
        except BaseException:
            self._unprepared = unprepared  # the next request tries again
            raise
        return getattr(self, name)


def api_router(prefix: str = "", *, tag: str, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """A router for routes below `PREFIX` and `prefix`, which the API's description groups under `tag`."""
    return APIRouter(
        prefix=PREFIX + prefix,
        tags=[tag],
        dependencies=dependencies,
        generate_unique_id_function=operation,
        route_class=_LateRoute,
    )


def operation(route: APIRoute) -> str:
    """The operation id of a route: its tag and its name."""
    return "_".join([*(str(tag) for tag in route.tags[:1]), route.name])
