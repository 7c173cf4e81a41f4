"""The settings of one gateway: `SIEVE_*` environment variables, or one TOML file that `SIEVE_CONFIG` names.

`load_config` reads them. Chunk sizes are no settings: two gateways must agree on them (`channel.chunk_sizes`).
"""

import ipaddress
import re
import shlex
import socket
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from sieve import addresses, cipher_suites, tls_files
from sieve.setting_types import (
    DAY_S,
    HOUR_S,
    Algorithms,
    BindAddress,
    Blobs,
    ByteCount,
    Channels,
    CipherNames,
    Claim,
    Count,
    FullPath,
    HostNames,
    Issuer,
    LogLevel,
    Name,
    Networks,
    OpenFindings,
    PlainUrl,
    Rights,
    SecondFactor,
    Seconds,
    SecureUrl,
    Sender,
    ServerAddress,
    SessionSeconds,
    WebUrl,
)

PREFIX = "SIEVE_"

MIB = 1024**2
GIB = 1024**3


def _host_name() -> str:
    """The default name, from the machine's host name."""
    first = socket.gethostname().split(".")[0].lower()
    return re.sub("[^a-z0-9]+", "-", first).strip("-")[: addresses.MAX_NAME_LENGTH].rstrip("-") or "gateway"


class Settings(BaseSettings):
    """The settings of a gateway. Use the properties for paths that have a default in the data folder."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        # Compose files and shells may set empty variables; they count as unset.
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        # The text below a setting is its description, which the settings page shows.
        use_attribute_docstrings=True,
    )

    name: Name = Field(default_factory=_host_name, examples=["alpha"])
    """This gateway's name, for its peers."""
    web_bind: BindAddress = "127.0.0.1:8080"
    """The web listener: the API and the user interface."""
    secure_bind: BindAddress = "127.0.0.1:8443"
    """The secure listener, for peers."""
    plain_bind: BindAddress = "127.0.0.1:8081"
    """The plain listener, for peers."""
    secure_url: SecureUrl | None = Field(None, examples=["https://alpha.example.org:8443"])
    """The address of the secure listener for peers, if it differs from the bound address."""
    plain_url: PlainUrl | None = Field(None, examples=["http://alpha.example.org:8081"])
    """The address of the plain listener for peers, if it differs from the bound address."""
    trusted_proxy: Networks | None = Field(None, examples=["10.0.0.2"])
    """The proxies that end TLS for the web listener. Without one, the web listener is on loopback only."""
    allowed_hosts: HostNames | None = Field(None, examples=["sieve.example.org"])
    """The host names of the web listener for browsers, with commas, in addition to loopback and its own address."""
    ui_dir: FullPath | None = Field(None, examples=["/opt/sieve-ui"])
    """The folder of the built user interface."""

    tls_ciphers: CipherNames | None = Field(None, examples=[",".join(cipher_suites.TLS_1_3)])
    """The cipher suites of the secure channel by their IANA names, with commas, best first; if not set, those of TLS
    1.3, the fastest on both machines first."""
    research_tls_ciphers: bool = False
    """For measurements only: allows older suites in tls_ciphers, between gateways on one machine."""

    padding: bool = True
    """Whether the secure channel hides how much exactly is classified, for at most 12 % more bytes there."""

    data_dir: FullPath = Field(default_factory=lambda: Path.home() / ".local/share/sieve", examples=["/var/lib/sieve"])
    """The data folder."""
    database_url: SecretStr | None = Field(None, examples=["sqlite+aiosqlite:////var/lib/sieve/sieve.db"])
    """The database, if not in the data folder. Secret, because the address of a database server may hold a password."""
    blobs: Blobs | None = Field(None, examples=["/var/lib/sieve/blobs", "s3://sieve/alpha"])
    """The folder of the documents' files, or a bucket of an S3 store, as s3://bucket/prefix."""
    s3_endpoint: WebUrl | None = Field(None, examples=["https://s3.example.org"])
    """The address of the S3 store; if not set, Amazon's."""
    s3_ca: FullPath | None = Field(None, examples=["/etc/sieve/s3-ca.pem"])
    """The file of the certificates that vouch for the S3 store's, in addition to those of the operating system."""
    spool_bytes: ByteCount = 16 * GIB
    """With an S3 store: how many bytes of documents in progress, and of copies, are kept on this machine at most."""
    identity_dir: FullPath | None = Field(None, examples=["/etc/sieve/identity"])
    """The folder of the certificate and keys."""
    master_key_file: FullPath | None = Field(None, examples=["/etc/sieve/master.key"])
    """The file of the master key, which wraps all other keys."""
    master_key_command: SecretStr | None = Field(None, min_length=1, examples=["/usr/local/bin/sieve-master-key"])
    """A command that prints the master key, in place of the file. Secret, because its arguments may hold a password."""

    max_document_bytes: ByteCount = 1 * GIB
    """The size of the largest document, sent or received."""
    max_open_transfers_per_peer: Count = 64
    """How many transfers a peer may send to this gateway at once."""
    quota_bytes_per_peer: ByteCount = 4 * GIB
    """How many bytes a peer may send to this gateway at once."""
    retention_days: Annotated[int, Field(ge=1, le=36500)] | None = Field(None, examples=[90])
    """How long received documents stay in the inboxes; they are not deleted if this is not set."""
    deleted_days: Annotated[int, Field(ge=1, le=36500)] = 30
    """How long deleted inbox entries and drafts can be restored; retention_days may remove received ones earlier."""
    timing_records_days: Annotated[int, Field(ge=1, le=36500)] = 90
    """How long the timings of single transfers are kept; their sums are kept longer."""
    timing_marks_days: Annotated[int, Field(ge=1, le=36500)] = 30
    """How long the timestamps are kept from which the timings of single transfers are computed."""

    session_idle_s: SessionSeconds = 12 * HOUR_S
    """How long a person stays signed in after the last request of their browser, to the minute."""
    session_life_s: SessionSeconds = 7 * DAY_S
    """How long a person stays signed in at most; it counts from the next sign-in."""

    second_factor: SecondFactor = "optional"
    """Who must use a second factor to sign in: optional (only people who added one), admins, admins-and-cleared, or
    all. Those without one add it at their next sign-in."""

    oidc_issuer: Issuer | None = Field(None, examples=["https://login.example.org/realms/office"])
    """The OpenID Connect provider with which people sign in; without one, they sign in with a password only."""
    oidc_client_id: Claim | None = Field(None, examples=["sieve"])
    """The name of this gateway at the provider."""
    oidc_client_secret: SecretStr | None = Field(None, examples=["$(openssl rand -hex 32)"])
    """The secret of this gateway at the provider, if it has one."""
    oidc_client_secret_file: FullPath | None = Field(None, examples=["/etc/sieve/oidc.secret"])
    """The file of that secret, instead of oidc_client_secret."""
    oidc_name: Annotated[str, Field(min_length=1, max_length=60)] = "single sign-on"
    """The name of the provider for people, as in: Sign in with NAME."""
    oidc_scopes: Claim = "openid profile"
    """The scopes that the gateway asks for; openid must be among them."""
    oidc_login_claim: Claim = "preferred_username"
    """The claim with the login of a new account. It never decides whose account it is."""
    oidc_name_claim: Claim = "name"
    """The claim with the name of a new account's person."""
    oidc_rights_claim: Claim = Field("groups", examples=["realm_access.roles"])
    """The claim that oidc_rights looks at; a dot leads into an object."""
    oidc_rights: Rights | None = Field(None, examples=["sieve-authors=author,sieve-readers=recipient+cleared"])
    """Which rights a value of that claim gives: author, recipient, admin and cleared, several with +. If set, the
    provider alone decides on the rights of people who sign in with it, at each sign-in."""
    oidc_new_accounts: bool = False
    """Whether the first sign-in with the provider makes an account. Otherwise an admin makes it, and a link."""
    oidc_second_factor: Claim | None = Field(None, examples=["mfa,otp,hwk"])
    """The values of acr or amr, with commas, that count as a second factor; if not set, people use their own."""
    oidc_algorithms: Algorithms = "RS256"
    """The signature algorithms that ID tokens may have, with commas."""
    oidc_clock_skew_s: Annotated[int, Field(ge=0, le=300)] = 60
    """By how much the clocks of provider and gateway may differ."""

    open_findings: OpenFindings = "confirm"
    """What happens to documents with findings of the leak check: confirm sends them with a reason, forbid never
    sends them, off does not check."""

    max_reading_bytes: ByteCount = 100 * MIB
    """The size of the largest file that is read for marking; larger files are treated as bytes."""
    reading_processes: Annotated[int, Field(ge=1, le=64)] = 2
    """How many reading processes may run; they are started when needed."""
    reading_memory_bytes: Annotated[int, Field(ge=64 * MIB, le=2**50)] = 1 * GIB
    """The memory limit of a reading process."""
    reading_timeout_s: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = 20
    """The time limit for one request to read a file."""

    labels: str | None = Field(None, max_length=1000, examples=["nato"])
    """The set of labels for spans: cui, nato, uk, or a TOML file; none if not set."""

    lease_s: Seconds = 30
    """How long a worker's claim on transfers lasts if it is not renewed."""
    retry_first_s: Seconds = 2
    """The longest wait before the first retry; it doubles with each retry."""
    retry_cap_s: Seconds = 600
    """The longest wait before any retry."""
    deadline_s: Seconds = 3 * DAY_S
    """A transfer fails if it is not delivered within this time."""
    batch_documents: Annotated[int, Field(ge=1, le=64)] = 32
    """How many waiting documents for one peer are sent together if that is faster; 1 sends each alone."""
    batch_bytes: ByteCount = 4_000_000
    """The size limit of such documents in total."""
    batch_wait_ms: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] = 0
    """How long a document waits for others to be sent with it; 0 sends only those together that wait anyway."""
    probes: bool = True
    """Whether the gateway measures the channels to its peers with random bytes while it is idle."""

    plain_timeout_s: Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)] = 10
    """How long a round of plain chunks may last, in addition to the time of its largest chunk at 256 KiB/s. Three
    rounds must fit into the 300 s after which an attempt without progress fails."""
    plain_wait_s: Seconds = 2
    """How long a plain chunk waits for its announcement."""
    plain_waiting: Count = 64
    """How many plain chunks may wait for their announcement."""
    plain_connections: Count = 256
    """How many connections the plain listener keeps."""
    max_secure_channels: Channels = 8
    """How many secure channels a transfer to this gateway may have."""
    max_plain_channels: Channels = 8
    """How many plain channels a transfer to this gateway may have."""
    plain_slots_per_handle: Count = 8
    """How many plain chunks of one attempt may be in progress."""
    min_rate_bytes_per_s: ByteCount = 16 * 1024
    """After 5 s, a plain chunk that arrives more slowly than this is cut off."""
    header_deadline_s: Seconds = 10
    """A request whose head takes longer is cut off, on every listener."""

    smtp_url: SecretStr | None = Field(None, examples=["smtp://sieve:password@mail.example.org"])
    """The mail server for e-mails about documents that arrived; smtp:// with STARTTLS or smtps://. Without one, the
    gateway sends no e-mail."""
    smtp_from: Sender | None = Field(None, examples=["Security Sieve <sieve@example.org>"])
    """The sender of these e-mails."""
    web_url: WebUrl | None = Field(None, examples=["https://sieve.example.org"])
    """The address of the web interface for browsers. E-mails link to it, and passkeys belong to its host name."""
    notifications_name_documents: bool = False
    """Whether e-mails and requests to webhooks name documents. Mail servers and applications then learn the names."""

    audit_syslog: ServerAddress | None = Field(None, examples=["syslog.example.org:6514"])
    """The syslog receiver, with TLS, to which the audit log is forwarded."""
    audit_syslog_ca: FullPath | None = Field(None, examples=["/etc/sieve/syslog-ca.pem"])
    """The file of the certificates that vouch for the receiver's; if not set, those of the operating system."""
    audit_syslog_certificate: FullPath | None = Field(None, examples=["/etc/sieve/syslog-client.pem"])
    """The file of the certificate that the gateway shows to the receiver, if it asks for one."""
    audit_syslog_key: FullPath | None = Field(None, examples=["/etc/sieve/syslog-client.key"])
    """The file of that certificate's private key."""
    audit_file: FullPath | None = Field(None, examples=["/var/log/sieve/audit.jsonl"])
    """The file to which the audit log is forwarded, as lines of JSON."""
    audit_forward_reasons: bool = False
    """Whether reasons and banners are forwarded. They describe documents, and are sealed in the gateway."""

    laboratory: bool = False
    """Whether admins can run the quick experiments of the laboratory in the web interface. They take a processor for a
    minute or two."""

    metrics_token: SecretStr | None = Field(None, min_length=16, examples=["$(openssl rand -hex 32)"])
    """The token that the metrics page requires."""
    log_level: LogLevel = "info"
    """The level of the log."""

    @property
    def database(self) -> str:
        """The database's address."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite+aiosqlite:///{self.data_dir / 'sieve.db'}"

    @property
    def blobs_path(self) -> Path:
        """The folder of the blobs; with a bucket, of its spool."""
        if self.bucket is not None:
            return self.data_dir / "spool"
        return self.data_dir / "blobs" if self.blobs is None else Path(self.blobs)

    @property
    def bucket(self) -> tuple[str, str] | None:
        """The bucket of the blobs, and their prefix in it; None if they are in a folder."""
        return None if self.blobs is None else addresses.bucket(self.blobs)

    @property
    def identity_path(self) -> Path:
        """The folder of certificate, keys and certificate authority."""
        return self.identity_dir or self.data_dir / "identity"

    @property
    def master_key_path(self) -> Path:
        """The file of the key that wraps every blob's key."""
        return self.master_key_file or self.data_dir / "master.key"

    @property
    def oidc_secret(self) -> str | None:
        """This gateway's secret at the OpenID Connect provider; None if it has none."""
        if self.oidc_client_secret_file is not None:
            return self.oidc_client_secret_file.read_text("utf-8").strip()
        return None if self.oidc_client_secret is None else self.oidc_client_secret.get_secret_value()

    @property
    def ui_path(self) -> Path | None:
        """The folder of the user interface: the setting, or the one in the installed package or built in this
        repository, if it exists.
        """
        here = Path(__file__)
        built = (here.parent / "web" / "interface", here.parents[3] / "frontend" / "dist")
        return self.ui_dir or next((folder for folder in built if (folder / "index.html").is_file()), None)

    @property
    def tls_suites(self) -> tuple[str, ...] | None:
        """The cipher suites of the secure channel, by IANA names, best first; None if the gateway chooses."""
        return None if self.tls_ciphers is None else cipher_suites.split(self.tls_ciphers)

    @property
    def openssl_config_path(self) -> Path:
        """The file that sets OpenSSL's suites of TLS 1.3, if they differ from its default."""
        return self.data_dir / "openssl.cnf"

    @property
    def warnings(self) -> dict[str, str]:
        """Warnings about valid settings, by their names."""
        found = {}
        tls = cipher_suites.warning(self.tls_suites or ())
        if tls is not None:
            found["tls_ciphers"] = tls
        return found

    @property
    def web_is_local(self) -> bool:
        """Whether only this machine can reach the web listener."""
        return addresses.bind(self.web_bind).is_loopback

    def is_trusted_proxy(self, address: str) -> bool:
        """Whether `address` belongs to a proxy in `trusted_proxy`."""
        networks = (ipaddress.ip_network(part.strip()) for part in (self.trusted_proxy or "").split(",") if part)
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in networks)

    def is_our_host(self, host: str) -> bool:
        """Whether the web listener serves this Host header: loopback names, the bound address, `allowed_hosts` and the
        host of `web_url`.
        """
        name = addresses.name_in(host)
        ours = {addresses.bind(self.web_bind).host.lower(), *(self.allowed_hosts or "").split(",")}
        return addresses.is_loopback(name) or name in ours or name == urlsplit(self.web_url or "").hostname

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.retry_cap_s < self.retry_first_s:
            raise Unfit("retry_cap_s", "it is shorter than retry_first_s", self.retry_first_s)
        if self.quota_bytes_per_peer < self.max_document_bytes:
            raise Unfit("quota_bytes_per_peer", "less than one max_document_bytes", self.max_document_bytes)
        if not self.web_is_local and self.trusted_proxy is None:
            raise Unfit(
                "web_bind",
                "the web listener has no TLS, so off loopback it needs SIEVE_TRUSTED_PROXY, the address of the "
                "proxy that ends TLS before it",
                "127.0.0.1:8080",
            )
        if self.trusted_proxy is not None and self.allowed_hosts is None and self.web_url is None:
            raise Unfit(
                "allowed_hosts",
                "behind a proxy (SIEVE_TRUSTED_PROXY), name the hosts under which browsers reach the web listener",
                "sieve.example.org",
            )
        try:
            cipher_suites.check(self.tls_suites or (), older=self.research_tls_ciphers)
        except ValueError as error:
            raise Unfit("tls_ciphers", str(error)) from None
        self._check_research()
        self._check_bucket()
        self._check_mail()
        self._check_master_key()
        self._check_single_sign_on()
        self._check_audit_forwarding()
        for listener in ("secure", "plain"):
            where: str = getattr(self, f"{listener}_bind")
            if addresses.bind(where).is_wildcard and getattr(self, f"{listener}_url") is None:
                raise Unfit(
                    f"{listener}_url",
                    f"{listener}_bind is every address of this machine, so set the address that peers connect to",
                )
        return self

    def _check_master_key(self) -> None:
        if self.master_key_command is None:
            return
        if self.master_key_file is not None:
            raise Unfit("master_key_command", "SIEVE_MASTER_KEY_FILE is set, too; set one of them")
        try:
            words = shlex.split(self.master_key_command.get_secret_value())
        except ValueError:
            words = []
        if not words:
            raise Unfit("master_key_command", "not the words of a command; close each quotation mark", "/path/helper")

    def _check_bucket(self) -> None:
        if self.bucket is None:
            for name in ("s3_endpoint", "s3_ca"):
                if getattr(self, name) is not None:
                    raise Unfit("blobs", f"with SIEVE_{name.upper()} it must be a bucket", "s3://bucket/prefix")
            return
        # A document that arrives takes its size, and others are sent meanwhile.
        if self.spool_bytes < 2 * self.max_document_bytes:
            raise Unfit("spool_bytes", "less than two of max_document_bytes", 2 * self.max_document_bytes)
        if self.s3_ca is not None:
            try:
                tls_files.client_context(self.s3_ca, None, None)
            except tls_files.BadTlsFile as error:
                raise Unfit("s3_ca", str(error)) from None

    def _check_mail(self) -> None:
        if self.smtp_url is None:
            return
        try:
            addresses.mail_server(self.smtp_url.get_secret_value())
        except ValueError as error:
            raise Unfit("smtp_url", str(error)) from None
        for name in ("smtp_from", "web_url"):
            if getattr(self, name) is None:
                raise Unfit(name, "with SIEVE_SMTP_URL it must be set")

    def _check_single_sign_on(self) -> None:
        if self.oidc_issuer is None:
            return
        if self.oidc_client_id is None:
            raise Unfit("oidc_client_id", "with SIEVE_OIDC_ISSUER it must be set")
        if "openid" not in self.oidc_scopes.split():
            raise Unfit("oidc_scopes", "openid is missing", "openid profile")
        if self.oidc_new_accounts and self.oidc_rights is None:
            raise Unfit("oidc_rights", "with SIEVE_OIDC_NEW_ACCOUNTS it must be set, or new accounts have no role")
        if self.trusted_proxy is not None and not (self.web_url or "").startswith("https://"):
            raise Unfit("web_url", "with SIEVE_OIDC_ISSUER and a proxy it must be set, with https://")
        if self.oidc_client_secret_file is None:
            return
        if self.oidc_client_secret is not None:
            raise Unfit("oidc_client_secret_file", "set either this or SIEVE_OIDC_CLIENT_SECRET")
        try:
            empty = not self.oidc_secret
        except (OSError, UnicodeDecodeError):
            raise Unfit("oidc_client_secret_file", "the file cannot be read as text") from None
        if empty:
            raise Unfit("oidc_client_secret_file", "the file is empty")

    def _check_audit_forwarding(self) -> None:
        files = self.audit_syslog_ca, self.audit_syslog_certificate, self.audit_syslog_key
        if self.audit_syslog is None:
            if any(files):
                raise Unfit("audit_syslog", "it must be set if one of the files for it is")
        elif (files[1] is None) != (files[2] is None):
            raise Unfit("audit_syslog_key", "set it together with SIEVE_AUDIT_SYSLOG_CERTIFICATE")
        else:
            try:
                tls_files.client_context(*files)
            except tls_files.BadTlsFile as error:
                raise Unfit(f"audit_syslog_{error.which}", str(error)) from None

    def _check_research(self) -> None:
        if not self.research_tls_ciphers:
            return
        for name in ("web_bind", "secure_bind", "plain_bind"):
            if not addresses.bind(getattr(self, name)).is_loopback:
                raise Unfit(name, "with SIEVE_RESEARCH_TLS_CIPHERS every listener must be on loopback")
        for name in ("secure_url", "plain_url"):
            url: str | None = getattr(self, name)
            if url is not None and not addresses.is_loopback(urlsplit(url).hostname or ""):
                raise Unfit(name, "with SIEVE_RESEARCH_TLS_CIPHERS peers must connect to an address on loopback")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """First the environment, then the values that `load` read from the file. No .env files."""
        return env_settings, init_settings


class Unfit(ValueError):
    """Settings that are valid but contradict each other; names one of them."""

    def __init__(self, field: str, reason: str, example: object | None = None) -> None:
        super().__init__(reason)
        self.field, self.reason, self.example = field, reason, example
