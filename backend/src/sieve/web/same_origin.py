"""Protection against cross-site request forgery, also from other ports of this host.

Cookies are shared between ports, and for `SameSite` a gateway on another port is the same site. So a request that
changes something with a cookie, or sets one, must come from a page of this gateway. Browsers send that in a header that
pages cannot forge: `Sec-Fetch-Site`, or, if the address is neither https nor loopback, `Origin`.
"""

from typing import Final
from urllib.parse import urlsplit

from fastapi import Depends, Request

from sieve.gateway.errors import NotAllowed

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def require(request: Request) -> None:
    """Accepts requests from this gateway's own pages.

    Raises:
        NotAllowed: the request has another origin, or none.
    """
    site = request.headers.get("sec-fetch-site")
    ours = site == "same-origin" if site is not None else _host_of(request.headers.get("origin", "")) == _host(request)
    if not ours:
        raise NotAllowed(
            "this request does not come from a page of this gateway; programs use an API token, "
            "or say Sec-Fetch-Site: same-origin"
        )


async def _require(request: Request) -> None:
    require(request)


FromOurPage = Depends(_require)
"""For a route that always requires this."""


def _host(request: Request) -> str:
    # A missing host must not equal a missing origin.
    return request.headers.get("host", "").lower() or "?"


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
