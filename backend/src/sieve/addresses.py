"""Gateway names and addresses, of mail, too, checked in the same way in settings and invitations.

Pure functions of text. Each returns the text in its canonical form, or raises ValueError with a reason that can follow
a colon: "web_bind: the port is missing; write host:port".
"""

import ipaddress
import re
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

MAX_NAME_LENGTH = 63
MAX_ORIGIN_LENGTH = 300
MAX_EMAIL_LENGTH = 254

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
# RFC 1123 names, with the underscore that container networks use.
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.(?!-)[A-Za-z0-9_-]{1,63})*\.?")
# Names of buckets as S3 allows them. A prefix is ours to choose: the same letters, in parts between slashes.
_BUCKET = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*)/?")
_PORT = re.compile(r"[0-9]{1,5}")


class Bind(NamedTuple):
    """An address to listen on. Port 0 means any free one."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def is_wildcard(self) -> bool:
        """Whether it means every address of the machine, so that others cannot connect to it."""
        return bool((found := _ip(self.host)) and found.is_unspecified)


def is_loopback(host: str) -> bool:
    """Whether a host, by name or address, is the loopback of this machine."""
    return host.lower() == "localhost" or bool((found := _ip(host)) and found.is_loopback)


def gateway_name(text: str) -> str:
    """A gateway's name: short, lower-case, valid in file names, certificates and log lines."""
    if len(text) > MAX_NAME_LENGTH or not _NAME.fullmatch(text):
        raise ValueError(f"a gateway's name is 1 to {MAX_NAME_LENGTH} of a-z, 0-9 and '-', with no '-' at either end")
    return text


def bind(text: str) -> Bind:
    """`host:port`; an IPv6 address in brackets."""
    host, colon, port = text.strip().rpartition(":")
    if not colon or not _PORT.fullmatch(port) or int(port) > 65535:
        raise ValueError("the port is missing or not 0 to 65535; write host:port")
    return Bind(_host(host), int(port))


def local(text: str) -> str:
    """Where this machine reaches a listener that is bound to this `host:port`."""
    bound = bind(text)
    host = bound.host
    if bound.is_wildcard:
        host = "::1" if ":" in host else "127.0.0.1"
    return f"[{host}]:{bound.port}" if ":" in host else f"{host}:{bound.port}"


def origin(text: str, scheme: Literal["http", "https"]) -> str:
    """`scheme://host` or `scheme://host:port`, without path, query or user."""
    if len(text) > MAX_ORIGIN_LENGTH or not text.isascii() or not text.isprintable():
        raise ValueError(f"not an address of at most {MAX_ORIGIN_LENGTH} plain characters")
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise ValueError("not an address, or its port is not 0 to 65535") from error
    if parts.scheme != scheme:
        raise ValueError(f"it must begin with {scheme}://")
    if "@" in parts.netloc or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("give only a host and a port, without a user, path or query")
    host = _host(parts.netloc.removesuffix(f":{port}") if port is not None else parts.netloc.rstrip(":"))
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown.lower()}" + (f":{port}" if port is not None else "")


def bucket(text: str) -> tuple[str, str] | None:
    """The bucket and the prefix of `s3://bucket` or `s3://bucket/prefix`; None if it is no such address."""
    if not text.strip().startswith("s3:"):
        return None
    found = _BUCKET.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            "not the address of a bucket; write s3://bucket or s3://bucket/prefix, of a-z, 0-9, '-' and '.'"
        )
    return found[1], found[2].removeprefix("/")


def host_name(text: str) -> str:
    """A host without a port, in lower case; an IPv6 address without its brackets."""
    return _host(text.strip()).lower()


def name_in(host: str) -> str:
    """The host of a Host header, in lower case, without port and brackets; "" if it is not valid."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def source(host: str, prefix: int = 64) -> str:
    """The source of a connection: an IPv4 address, or the IPv6 network of `prefix` bits, because a subscriber has a
    whole network of 48 to 64 bits. "unknown" if `host` is not an address.
    """
    address = _ip(host)
    if address is None:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), prefix), strict=False))
        address = address.ipv4_mapped
    return str(address)


def _host(text: str) -> str:
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1]
        if isinstance(_ip(inner), ipaddress.IPv6Address):
            return inner
        raise ValueError("the part in brackets is not an IPv6 address")
    if ":" in text:
        raise ValueError("write an IPv6 address in brackets: [::1]:8080")
    if not _HOST.fullmatch(text):
        raise ValueError("the host is missing or not a name or address")
    return text


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server. `user`, `password`: None if it needs no sign-in. `implicit_tls`: TLS from the first byte; else
    STARTTLS."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None
    password: str | None = field(repr=False)


_MAIL_PORTS: Final = {"smtp": 587, "smtps": 465}


def mail_server(text: str) -> MailServer:
    """The server of an address such as `smtps://user:password@mail.example.org:465`; %-escapes in user and password."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise ValueError("not an address, or its port is not 0 to 65535") from error
    if parts.scheme not in _MAIL_PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise ValueError("it must be smtp:// or smtps://, a host, and if needed a user, a password and a port")
    return MailServer(
        _host(f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname),
        port or _MAIL_PORTS[parts.scheme],
        parts.scheme == "smtps",
        None if parts.username is None else unquote(parts.username),
        None if parts.password is None else unquote(parts.password),
    )


def email(text: str) -> str:
    """An e-mail address, such as anna@example.org."""
    try:
        found = Address(addr_spec=text.strip()) if text.isascii() and len(text) <= MAX_EMAIL_LENGTH else None
    except Exception:
        # The parser raises errors of many kinds for what is no address.
        found = None
    if found is None or not found.username or "." not in found.domain:
        raise ValueError("not an e-mail address; write it like anna@example.org")
    return found.addr_spec


def sender(text: str) -> str:
    """The sender of e-mails: an e-mail address, or a name and one in angle brackets."""
    name, address = parseaddr(text)
    return str(Address(display_name=name, addr_spec=email(address)))
