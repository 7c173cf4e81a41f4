"""Routes that are prepared when they are first used, on the event loop, and not when they are defined.

FastAPI needs a millisecond or two to prepare a route. A start defines some 200, and the first requests use few.
"""

from collections.abc import Callable
from typing import Any

from fastapi.routing import APIRoute
from starlette.routing import compile_path


class LateRoute(APIRoute):
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
