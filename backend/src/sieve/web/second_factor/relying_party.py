"""The relying party of passkeys: the host name that browsers bind them to.

Passkeys work at `web_url` if that is https, and at `localhost`. Browsers allow them nowhere else that the gateway
serves: neither at IP addresses nor over http.
"""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request

from sieve.config import Settings


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """`id`: a host name. `origin`: of the page, as browsers report it."""

    id: str
    origin: str


def of(request: Request, settings: Settings) -> RelyingParty | None:
    """The relying party at the address of the request; None if passkeys do not work there."""
    host = (request.url.hostname or "").lower()
    if host == "localhost":
        return RelyingParty(host, f"{request.url.scheme}://{request.url.netloc}")
    if settings.web_url is None:
        return None
    public = urlsplit(settings.web_url)
    if public.scheme != "https" or (public.hostname or "").lower() != host or _is_ip(host):
        return None
    port = f":{public.port}" if public.port not in (None, 443) else ""
    return RelyingParty(host, f"https://{host}{port}")


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
