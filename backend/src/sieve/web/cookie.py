"""The session cookie.

Its name contains the gateway's, because gateways on one host share their cookies on all ports. Over https the name
begins with __Host-: then browsers accept it only from this host over https, and no neighbour can set it (RFC 6265bis).
"""

from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.openapi.models import APIKey, APIKeyIn
from fastapi.security.base import SecurityBase

from sieve.config import Settings
from sieve.web.services import Given, Services


class _Cookie(SecurityBase):
    """The cookie's value, if the request has this gateway's cookie."""

    def __init__(self) -> None:
        self.model = APIKey.model_validate(
            {
                "in": APIKeyIn.cookie,
                "name": "sieve-NAME",
                "description": "Set by signing in; NAME is the gateway's, with __Host- before it over https. "
                "Requests that change something need Sec-Fetch-Site: same-origin, or an Origin with their own host.",
            }
        )
        self.scheme_name = "cookie"

    async def __call__(self, request: Request, services: Given) -> str | None:
        return value_of(request, services)


Cookie = Annotated[str | None, Depends(_Cookie())]
"""For a route that identifies the person by the cookie."""


def value_of(request: Request, services: Services) -> str | None:
    """The value that the browser sent, if any; it may be invalid."""
    return request.cookies.get(name_of(request, services.settings)) or None


def name_of(request: Request, settings: Settings) -> str:
    """The cookie's name, which depends on the scheme of the request."""
    return f"{'__Host-' if request.url.scheme == 'https' else ''}sieve-{settings.name}"


def give(response: Response, request: Request, services: Services, value: str) -> None:
    """Signs the browser in until it is closed or the session ends."""
    response.set_cookie(value=value, **_attributes(request, services))


def take_back(response: Response, request: Request, services: Services) -> None:
    """Removes the cookie."""
    response.delete_cookie(**_attributes(request, services))


def flow_of(request: Request, services: Services) -> str | None:
    """The value of the cookie of a sign-in at the provider, if the browser sent one."""
    return request.cookies.get(f"{name_of(request, services.settings)}-sso") or None


def give_flow(response: Response, request: Request, services: Services, value: str, life_s: int) -> None:
    """Binds a sign-in at the provider to this browser."""
    attributes = _attributes(request, services)
    response.set_cookie(value=value, max_age=life_s, **attributes | {"key": f"{attributes['key']}-sso"})


def take_back_flow(response: Response, request: Request, services: Services) -> None:
    """Removes that cookie."""
    attributes = _attributes(request, services)
    response.delete_cookie(**attributes | {"key": f"{attributes['key']}-sso"})


def _attributes(request: Request, services: Services) -> dict[str, Any]:
    return {
        "key": name_of(request, services.settings),
        "path": "/",
        "httponly": True,
        "samesite": "strict",
        "secure": request.url.scheme == "https",
    }
