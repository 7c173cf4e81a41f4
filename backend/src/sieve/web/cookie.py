"""The cookie of somebody who is signed in.

It bears the gateway's name, because gateways on one host share their cookies, whatever their ports. Over https its name
begins with __Host-: browsers then take it from this host over https only, and no neighbour can set one (RFC 6265bis).
"""

from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.openapi.models import APIKey, APIKeyIn
from fastapi.security.base import SecurityBase

from sieve.config import Settings
from sieve.web.services import Given, Services


class _Cookie(SecurityBase):
    """Its value, if the request has one that is ours."""

    def __init__(self) -> None:
        self.model = APIKey.model_validate(
            {
                "in": APIKeyIn.cookie,
                "name": "sieve-NAME",
                "description": "Set by signing in; NAME is the gateway's, with __Host- before it over https. What "
                "changes something wants Sec-Fetch-Site: same-origin, or an Origin whose host is the request's.",
            }
        )
        self.scheme_name = "cookie"

    async def __call__(self, request: Request, services: Given) -> str | None:
        return value_of(request, services)


Cookie = Annotated[str | None, Depends(_Cookie())]
"""For a route that takes the cookie for who is asking."""


def value_of(request: Request, services: Services) -> str | None:
    """What the browser holds, if it holds something; whether that counts is another question."""
    return request.cookies.get(name_of(request, services.settings)) or None


def name_of(request: Request, settings: Settings) -> str:
    """The cookie's name, for the way by which this request came."""
    return f"{'__Host-' if request.url.scheme == 'https' else ''}sieve-{settings.name}"


def give(response: Response, request: Request, services: Services, value: str) -> None:
    """Signs the browser in, until it is closed or the session is over."""
    response.set_cookie(
        name_of(request, services.settings),
        value,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def take_back(response: Response, request: Request, services: Services) -> None:
    """Removes the cookie."""
    response.delete_cookie(
        name_of(request, services.settings),
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
