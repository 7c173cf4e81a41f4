"""The types of settings: each checks a value and gives the reason why it is bad."""

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from sieve import addresses, cipher_suites, single_sign_on

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


def _checked_bind(text: str) -> str:
    addresses.bind(text)
    return text.strip()


def _server(text: str) -> str:
    found = addresses.bind(text)
    if found.port == 0 or found.is_wildcard:
        raise ValueError("it is not the address of a server; write host:port")
    return text.strip()


def _web_origin(text: str) -> str:
    return addresses.origin(text, "http" if text.startswith("http://") else "https")


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("there is no such home folder") from error


def _blobs(text: str) -> str:
    return text.strip() if addresses.bucket(text) else str(_absolute(Path(text)))


def _networks(text: str) -> str:
    for part in text.split(","):
        try:
            ipaddress.ip_network(part.strip())
        except ValueError as error:
            raise ValueError(
                "an entry is not an address or network; write 10.0.0.2 or 10.0.0.0/29, several with commas"
            ) from error
    return text


def _host_names(text: str) -> str:
    return ",".join(addresses.host_name(part) for part in text.split(","))


def _cipher_names(text: str) -> str:
    return ",".join(cipher_suites.split(text))


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


Name = Annotated[str, AfterValidator(addresses.gateway_name)]
BindAddress = Annotated[str, AfterValidator(_checked_bind)]
ServerAddress = Annotated[str, AfterValidator(_server)]
SecureUrl = Annotated[str, AfterValidator(lambda text: addresses.origin(text, "https"))]
PlainUrl = Annotated[str, AfterValidator(lambda text: addresses.origin(text, "http"))]
Sender = Annotated[str, AfterValidator(addresses.sender)]
WebUrl = Annotated[str, AfterValidator(_web_origin)]
FullPath = Annotated[Path, AfterValidator(_absolute)]
Blobs = Annotated[str, AfterValidator(_blobs)]
Networks = Annotated[str, AfterValidator(_networks)]
HostNames = Annotated[str, AfterValidator(_host_names)]
CipherNames = Annotated[str, AfterValidator(_cipher_names)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Channels = Annotated[int, Field(ge=1, le=64)]
ByteCount = Annotated[int, Field(ge=1, le=2**62)]
# Short enough that nanoseconds fit SQLite's integers with centuries to spare.
Seconds = Annotated[float, Field(gt=0, le=3650 * DAY_S, allow_inf_nan=False)]
# A request counts as a use of a session once a minute.
SessionSeconds = Annotated[float, Field(ge=300, le=3650 * DAY_S, allow_inf_nan=False)]
OpenFindings = Annotated[Literal["confirm", "forbid", "off"], BeforeValidator(_lower)]
SecondFactor = Annotated[Literal["optional", "admins", "admins-and-cleared", "all"], BeforeValidator(_lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]
Claim = Annotated[str, Field(min_length=1, max_length=200)]
Issuer = Annotated[str, AfterValidator(single_sign_on.issuer)]
Rights = Annotated[str, Field(max_length=4000), AfterValidator(single_sign_on.checked_rights)]
Algorithms = Annotated[str, AfterValidator(single_sign_on.checked_algorithms)]
