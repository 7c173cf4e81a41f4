"""The settings of one gateway: `SIEVE_*` environment variables, or one TOML file that `SIEVE_CONFIG` names.

Invariant: read once, at start, by `load`, and frozen from then on. The environment wins over the file. The error for a
bad setting is one line that names it, says what is wrong and shows a good one. It never repeats the value, which may be
a secret. Other `SIEVE_*` variables are left alone (the command line has some); an unknown name in the file is an error.
"""

import ipaddress
import os
import re
import socket
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from sieve import addresses, cipher_suites
from sieve.core.errors import SieveError

PREFIX = "SIEVE_"
FILE_VARIABLE = "SIEVE_CONFIG"

MIB = 1024**2
GIB = 1024**3
DAY_S = 24 * 3600.0


class ConfigError(SieveError):
    """A setting cannot be used; its text is the one line to show."""


def _checked_bind(text: str) -> str:
    addresses.bind(text)
    return text.strip()


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("there is no such home folder") from error


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


def _host_name() -> str:
    """A name from the machine's, for those who set none."""
    first = socket.gethostname().split(".")[0].lower()
    return re.sub("[^a-z0-9]+", "-", first).strip("-")[: addresses.MAX_NAME_LENGTH].rstrip("-") or "gateway"


Name = Annotated[str, AfterValidator(addresses.gateway_name)]
BindAddress = Annotated[str, AfterValidator(_checked_bind)]
SecureUrl = Annotated[str, AfterValidator(lambda text: addresses.origin(text, "https"))]
PlainUrl = Annotated[str, AfterValidator(lambda text: addresses.origin(text, "http"))]
FullPath = Annotated[Path, AfterValidator(_absolute)]
Networks = Annotated[str, AfterValidator(_networks)]
HostNames = Annotated[str, AfterValidator(_host_names)]
CipherNames = Annotated[str, AfterValidator(_cipher_names)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Channels = Annotated[int, Field(ge=1, le=64)]
ByteCount = Annotated[int, Field(ge=1, le=2**62)]
# Short enough that nanoseconds fit SQLite's integers with centuries to spare.
Seconds = Annotated[float, Field(gt=0, le=3650 * DAY_S, allow_inf_nan=False)]
OpenFindings = Annotated[Literal["confirm", "forbid", "off"], BeforeValidator(_lower)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]


class Settings(BaseSettings):
    """The settings of a gateway. Use the properties for what has a default place in the data folder."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        # An empty variable is an unset one: compose files and shells leave such.
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        # The text below a setting is its description: shown to people.
        use_attribute_docstrings=True,
    )

    name: Name = Field(default_factory=_host_name, examples=["alpha"])
    """This gateway's name, as peers know it."""
    web_bind: BindAddress = "127.0.0.1:8080"
    """The web listener: the API and the user interface."""
    secure_bind: BindAddress = "127.0.0.1:8443"
    """The secure listener, for peers."""
    plain_bind: BindAddress = "127.0.0.1:8081"
    """The plain listener, for peers."""
    secure_url: SecureUrl | None = Field(None, examples=["https://alpha.example.org:8443"])
    """Where peers reach the secure listener, if not at the address it is bound to."""
    plain_url: PlainUrl | None = Field(None, examples=["http://alpha.example.org:8081"])
    """Where peers reach the plain listener, if not at the address it is bound to."""
    trusted_proxy: Networks | None = Field(None, examples=["10.0.0.2"])
    """Who ends TLS before the web listener: without such a proxy the web listens on loopback only."""
    allowed_hosts: HostNames | None = Field(None, examples=["sieve.example.org"])
    """The names under which browsers reach the web listener, with commas, beside loopback and its own address."""
    ui_dir: FullPath | None = Field(None, examples=["/opt/sieve-ui"])
    """The folder of the built user interface."""

    tls_ciphers: CipherNames = ",".join(cipher_suites.TLS_1_3)
    """The cipher suites of the secure channel by their IANA names, with commas, the best first."""
    research_tls_ciphers: bool = False
    """For measuring only: lets tls_ciphers name older suites, between gateways of one machine."""

    data_dir: FullPath = Field(default_factory=lambda: Path.home() / ".local/share/sieve", examples=["/var/lib/sieve"])
    """The data folder."""
    database_url: SecretStr | None = Field(None, examples=["sqlite+aiosqlite:////var/lib/sieve/sieve.db"])
    """The database, if not in the data folder. Secret, because the address of a database server may hold a password."""
    blobs: FullPath | None = Field(None, examples=["/var/lib/sieve/blobs"])
    """The folder of the documents' files."""
    identity_dir: FullPath | None = Field(None, examples=["/etc/sieve/identity"])
    """The folder of certificate and keys."""
    master_key_file: FullPath | None = Field(None, examples=["/etc/sieve/master.key"])
    """The file of the key that wraps all others."""

    max_document_bytes: ByteCount = 1 * GIB
    """The largest document, in and out."""
    max_open_transfers_per_peer: Count = 64
    """How many transfers of one peer may be under way to us at once."""
    quota_bytes_per_peer: ByteCount = 4 * GIB
    """How many bytes of one peer may be under way to us at once."""
    retention_days: Annotated[int, Field(ge=1, le=36500)] | None = Field(None, examples=[90])
    """How long what was received stays in the inboxes; for ever if not set."""

    open_findings: OpenFindings = "confirm"
    """A document in which the leak guard finds something: confirm lets it go with a reason, forbid never, off does
    not look."""

    max_reading_bytes: ByteCount = 100 * MIB
    """The largest file that is read to be marked; a larger one is only bytes."""
    reading_processes: Annotated[int, Field(ge=1, le=64)] = 2
    """How many files may be read at once, each by a process of its own, which is started when it is needed."""
    reading_memory_bytes: Annotated[int, Field(ge=64 * MIB, le=2**50)] = 1 * GIB
    """How much memory reading a file may take."""
    reading_timeout_s: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = 20
    """How long one request to read a file may take."""

    labels: str | None = Field(None, max_length=1000, examples=["nato"])
    """The set of labels that spans may carry: cui, nato, uk, or a TOML file; none if not set."""

    lease_s: Seconds = 30
    """How long a claimed transfer is its worker's without a word."""
    retry_first_s: Seconds = 2
    """The longest first wait before another try; it doubles with each."""
    retry_cap_s: Seconds = 600
    """The longest wait before another try."""
    deadline_s: Seconds = 3 * DAY_S
    """A transfer that is not delivered so long after it was accepted has failed."""
    batch_documents: Annotated[int, Field(ge=1, le=64)] = 32
    """How many documents that wait for one peer are sent together, if that pays; 1 sends each alone."""
    batch_bytes: ByteCount = 4_000_000
    """How many bytes such documents have together, at most."""
    batch_wait_ms: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] = 0
    """How long a document waits for others to go with; 0 takes only those that wait anyway."""

    plain_timeout_s: Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)] = 10
    """How long a round of our plain chunks may last, beside what its largest chunk takes at 256 KiB/s. Three rounds
    must fit into the 300 s after which an attempt without progress is given up."""
    plain_wait_s: Seconds = 2
    """How long a plain chunk waits for its announcement."""
    plain_waiting: Count = 64
    """How many plain chunks may wait for their announcement."""
    plain_connections: Count = 256
    """How many connections the plain listener keeps."""
    max_secure_channels: Channels = 8
    """How many secure channels a transfer to us may have."""
    max_plain_channels: Channels = 8
    """How many plain channels a transfer to us may have."""
    plain_slots_per_handle: Count = 8
    """How many plain chunks may be under way for one attempt."""
    min_rate_bytes_per_s: ByteCount = 16 * 1024
    """A plain chunk that comes slower than this, after 5 s, is cut."""
    header_deadline_s: Seconds = 10
    """A request whose head takes longer is cut, on every listener."""

    metrics_token: SecretStr | None = Field(None, min_length=16, examples=["$(openssl rand -hex 32)"])
    """What the metrics page asks for."""
    log_level: LogLevel = "info"
    """How much is logged."""

    @property
    def database(self) -> str:
        """The database's address."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite+aiosqlite:///{self.data_dir / 'sieve.db'}"

    @property
    def blobs_path(self) -> Path:
        """The folder of the blobs."""
        return self.blobs or self.data_dir / "blobs"

    @property
    def identity_path(self) -> Path:
        """The folder of certificate, keys and certificate authority."""
        return self.identity_dir or self.data_dir / "identity"

    @property
    def master_key_path(self) -> Path:
        """The file of the key that wraps every blob's key."""
        return self.master_key_file or self.data_dir / "master.key"

    @property
    def ui_path(self) -> Path | None:
        """The folder of the user interface: the one that was set, else what is built in this repository, if it is."""
        built = Path(__file__).parents[3] / "frontend" / "dist"
        return self.ui_dir or (built if (built / "index.html").is_file() else None)

    @property
    def tls_suites(self) -> tuple[str, ...]:
        """The cipher suites of the secure channel, IANA names, the best first."""
        return cipher_suites.split(self.tls_ciphers)

    @property
    def openssl_config_path(self) -> Path:
        """The file that sets OpenSSL's suites of TLS 1.3, if they differ from its default."""
        return self.data_dir / "openssl.cnf"

    @property
    def warnings(self) -> dict[str, str]:
        """What an admin should know of settings that can be used, by their names."""
        found = {}
        tls = cipher_suites.warning(self.tls_suites)
        if tls is not None:
            found["tls_ciphers"] = tls
        if self.trusted_proxy is not None and self.allowed_hosts is None:
            found["allowed_hosts"] = "requests for any host name are served; name those of your proxy"
        return found

    @property
    def web_is_local(self) -> bool:
        """Whether only this machine can reach the web listener."""
        return addresses.bind(self.web_bind).is_loopback

    def is_trusted_proxy(self, address: str) -> bool:
        """Whether `address` is of a proxy that `trusted_proxy` names."""
        networks = (ipaddress.ip_network(part.strip()) for part in (self.trusted_proxy or "").split(",") if part)
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in networks)

    def is_our_host(self, host: str) -> bool:
        """Whether the web serves requests with this Host header: behind a proxy any, unless hosts are named."""
        if self.trusted_proxy is not None and self.allowed_hosts is None:
            return True
        name = addresses.name_in(host)
        ours = {addresses.bind(self.web_bind).host.lower(), *(self.allowed_hosts or "").split(",")}
        return addresses.is_loopback(name) or name in ours

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.retry_cap_s < self.retry_first_s:
            raise _Unfit("retry_cap_s", "it is shorter than retry_first_s", self.retry_first_s)
        if self.quota_bytes_per_peer < self.max_document_bytes:
            raise _Unfit("quota_bytes_per_peer", "less than one max_document_bytes", self.max_document_bytes)
        if not self.web_is_local and self.trusted_proxy is None:
            raise _Unfit(
                "web_bind",
                "the web listener has no TLS, so off loopback it needs SIEVE_TRUSTED_PROXY, the address of the "
                "proxy that ends TLS before it",
                "127.0.0.1:8080",
            )
        try:
            cipher_suites.check(self.tls_suites, older=self.research_tls_ciphers)
        except ValueError as error:
            raise _Unfit("tls_ciphers", str(error)) from None
        self._check_research()
        for listener in ("secure", "plain"):
            where: str = getattr(self, f"{listener}_bind")
            if addresses.bind(where).is_wildcard and getattr(self, f"{listener}_url") is None:
                raise _Unfit(
                    f"{listener}_url",
                    f"{listener}_bind is every address of this machine, so set the address that peers connect to",
                )
        return self

    def _check_research(self) -> None:
        if not self.research_tls_ciphers:
            return
        for name in ("web_bind", "secure_bind", "plain_bind"):
            if not addresses.bind(getattr(self, name)).is_loopback:
                raise _Unfit(name, "with SIEVE_RESEARCH_TLS_CIPHERS every listener must be on loopback")
        for name in ("secure_url", "plain_url"):
            url: str | None = getattr(self, name)
            if url is not None and not addresses.is_loopback(urlsplit(url).hostname or ""):
                raise _Unfit(name, "with SIEVE_RESEARCH_TLS_CIPHERS peers must connect to an address on loopback")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment first, then what `load` read from the file and passed on. No .env files."""
        return env_settings, init_settings


class _Unfit(ValueError):
    """Settings that are fine each by itself and do not fit together; blames one of them."""

    def __init__(self, field: str, reason: str, example: object | None = None) -> None:
        super().__init__(reason)
        self.field, self.reason, self.example = field, reason, example


def load() -> Settings:
    """The settings, from the environment and the file that it names.

    Raises:
        ConfigError: the file cannot be read, or a setting is bad; the error names the first one.
    """
    file = os.environ.get(FILE_VARIABLE)
    values = _read(file) if file else {}
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigError(_line(error, file)) from None


def _read(file: str) -> dict[str, Any]:
    try:
        values = tomllib.loads(Path(file).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{FILE_VARIABLE}: cannot read {file}: {error.strerror}; name a readable TOML file"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{FILE_VARIABLE}: {file} is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f'{FILE_VARIABLE}: {file} is not TOML: {error}; write lines such as name = "alpha"') from None
    for key in values:
        if key not in Settings.model_fields:
            raise ConfigError(f"{key} in {file}: there is no such setting; remove it or correct its name")
    return values


def _line(error: ValidationError, file: str | None) -> str:
    # hide_input_in_errors covers str(error); the inputs are left out of the parts, too, so that no secret can slip in.
    first = error.errors(include_url=False, include_input=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, _Unfit):
        field, reason, example = cause.field, cause.reason, cause.example
    else:
        field, example = str(first["loc"][0]), None
        reason = str(cause) if isinstance(cause, ValueError) else _lower_first(first["msg"])
    info = Settings.model_fields[field]
    if example is None:
        example = info.examples[0] if info.examples else info.default
    variable = f"{PREFIX}{field.upper()}"
    from_file = file is not None and variable not in os.environ
    place = f"{field} in {file}" if from_file else variable
    shown = f"{field} = {_toml(example)}" if from_file else f"{variable}={example}"
    return f"{place}: {reason}; for example {shown}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _toml(value: object) -> str:
    return str(value) if isinstance(value, int | float) else f'"{value}"'
