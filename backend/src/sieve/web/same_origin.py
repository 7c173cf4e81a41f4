"""The rule against requests that another site, or another port of this host, makes a browser send with our cookie.

Cookies do not know ports, and to `SameSite` a gateway on the next port is the same site. So whatever changes something
in the name of a cookie, or sets one, must come from a page of ours. Browsers say so and let no page lie about it:
`Sec-Fetch-Site`, or, where the address is neither https nor loopback, `Origin`.
"""

from typing import Final
from urllib.parse import urlsplit

from fastapi import Depends, Request

from sieve.gateway.errors import NotAllowed

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def insist(request: Request) -> None:
    """Lets a request of our own pages pass.

    Raises:
        NotAllowed: it is of another origin, or names none.
    """
    site = request.headers.get("sec-fetch-site")
    ours = site == "same-origin" if site is not None else _host_of(request.headers.get("origin", "")) == _host(request)
    if not ours:
        raise NotAllowed(
            "this request does not come from a page of this gateway; programs use an API token, "
            "or say Sec-Fetch-Site: same-origin"
        )


async def _insist(request: Request) -> None:
    insist(request)


FromOurPage = Depends(_insist)
"""For a route that always requires this."""


def _host(request: Request) -> str:
    # What nobody names equals no origin's host.
    return request.headers.get("host", "").lower() or "?"


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
