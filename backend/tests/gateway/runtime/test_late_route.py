"""A late route is matched without being prepared, and prepared by the first request to it."""

import httpx
from fastapi import FastAPI

from sieve.gateway.runtime.late_route import LateRoute


async def test_the_first_request_prepares_a_route() -> None:
    app = FastAPI(openapi_url=None)
    app.router.route_class = LateRoute

    @app.get("/twice/{number}")
    async def twice(number: int) -> int:
        return 2 * number

    [route] = app.routes
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://alpha") as client:
        assert (await client.get("/thrice/21")).status_code == 404
        assert (await client.post("/twice/21")).status_code == 405
        assert "dependant" not in vars(route)
        assert (await client.get("/twice/21")).json() == 42
        assert "dependant" in vars(route)
        assert (await client.get("/twice/two")).status_code == 422
