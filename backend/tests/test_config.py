"""Settings: where they come from, what wins, and that one helpful line reports a bad one."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sieve import addresses, cipher_suites, config
from sieve.config import Settings
from sieve.config_error import ConfigError
from sieve.load_config import FILE_VARIABLE, load


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine reaches a test."""
    for variable in [name for name in os.environ if name.startswith(config.PREFIX)]:
        monkeypatch.delenv(variable)


def settings_file(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = folder / "sieve.toml"
    path.write_text(text)
    monkeypatch.setenv(FILE_VARIABLE, str(path))
    return path


def complaint() -> str:
    with pytest.raises(ConfigError) as caught:
        load()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_any_setting_all_listeners_are_on_loopback() -> None:
    settings = load()
    binds = [addresses.bind(where) for where in (settings.web_bind, settings.secure_bind, settings.plain_bind)]
    assert all(where.is_loopback for where in binds)
    assert len({where.port for where in binds}) == 3
    assert settings.max_document_bytes == 1024**3
    assert settings.deadline_s == 3 * 24 * 3600


def test_what_has_no_place_of_its_own_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", "/srv/sieve")
    settings = load()
    assert settings.database == "sqlite+aiosqlite:////srv/sieve/sieve.db"
    assert settings.blobs_path == Path("/srv/sieve/blobs")
    assert settings.identity_path == Path("/srv/sieve/identity")
    assert settings.master_key_path == Path("/srv/sieve/master.key")


def test_each_place_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_DATABASE_URL", "sqlite+aiosqlite:////fast/s.db")
    monkeypatch.setenv("SIEVE_BLOBS", "/big/blobs")
    monkeypatch.setenv("SIEVE_IDENTITY_DIR", "/etc/sieve")
    monkeypatch.setenv("SIEVE_MASTER_KEY_FILE", "/keys/master.key")
    settings = load()
    assert settings.database == "sqlite+aiosqlite:////fast/s.db"
    assert settings.blobs_path == Path("/big/blobs")
    assert settings.identity_path == Path("/etc/sieve")
    assert settings.master_key_path == Path("/keys/master.key")


def test_blobs_can_be_in_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", "/srv/sieve")
    for text, bucket in {
        "s3://office/sieve/alpha/": ("office", "sieve/alpha"),
        "s3://office": ("office", ""),
        "/big/s3:": None,
    }.items():
        monkeypatch.setenv("SIEVE_BLOBS", text)
        assert load().bucket == bucket
        assert load().blobs_path == Path("/srv/sieve/spool" if bucket else text)


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        (
            {"SIEVE_BLOBS": "s3://Office/alpha"},
            "SIEVE_BLOBS: not the address of a bucket; write s3://bucket or s3://bucket/prefix, of a-z, 0-9, '-' and "
            "'.'; for example SIEVE_BLOBS=/var/lib/sieve/blobs",
        ),
        (
            {"SIEVE_S3_ENDPOINT": "https://s3.example.org"},
            "SIEVE_BLOBS: with SIEVE_S3_ENDPOINT it must be a bucket; for example SIEVE_BLOBS=s3://bucket/prefix",
        ),
        (
            {"SIEVE_BLOBS": "s3://office", "SIEVE_SPOOL_BYTES": "1073741824"},
            "SIEVE_SPOOL_BYTES: less than two of max_document_bytes; for example SIEVE_SPOOL_BYTES=2147483648",
        ),
        (
            {"SIEVE_BLOBS": "s3://office", "SIEVE_S3_CA": "/not/there.pem"},
            "SIEVE_S3_CA: the file cannot be read: No such file or directory; for example "
            "SIEVE_S3_CA=/etc/sieve/s3-ca.pem",
        ),
    ],
)
def test_a_bad_bucket_is_reported_in_one_line(
    variables: dict[str, str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load()
    assert str(caught.value) == line


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file(tmp_path, 'name = "bravo"\nlease_s = 5\n', monkeypatch)
    monkeypatch.setenv("SIEVE_NAME", "alpha")
    assert load().name == "alpha"
    assert load().lease_s == 5


def test_relative_and_home_folders_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIEVE_DATA_DIR", "data")
    monkeypatch.setenv("SIEVE_BLOBS", "~/blobs")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert load().data_dir == tmp_path / "data"
    assert load().blobs_path == Path("/home/somebody/blobs")


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_METRICS_TOKEN", "")
    monkeypatch.setenv("SIEVE_SECURE_URL", "")
    assert load().metrics_token is None
    assert load().secure_url is None


def test_variables_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_URL", "http://127.0.0.1:8080")
    monkeypatch.setenv("SIEVE_TOKEN", "sieve_x")
    load()


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        setattr(load(), "name", "other")  # noqa: B010 -- a plain assignment is refused by mypy already


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        (
            "SIEVE_WEB_BIND",
            "8080",
            "SIEVE_WEB_BIND: the port is missing or not 0 to 65535; write host:port; "
            "for example SIEVE_WEB_BIND=127.0.0.1:8080",
        ),
        (
            "SIEVE_LEASE_S",
            "soon",
            "SIEVE_LEASE_S: input should be a valid number, unable to parse string as a number; "
            "for example SIEVE_LEASE_S=30",
        ),
        (
            "SIEVE_SECURE_URL",
            "http://alpha.example.org",
            "SIEVE_SECURE_URL: it must begin with https://; "
            "for example SIEVE_SECURE_URL=https://alpha.example.org:8443",
        ),
        (
            "SIEVE_NAME",
            "Alpha!",
            "SIEVE_NAME: a gateway's name is 1 to 63 of a-z, 0-9 and '-', with no '-' at either end; "
            "for example SIEVE_NAME=alpha",
        ),
        (
            "SIEVE_QUOTA_BYTES_PER_PEER",
            "1000",
            "SIEVE_QUOTA_BYTES_PER_PEER: less than one max_document_bytes; "
            "for example SIEVE_QUOTA_BYTES_PER_PEER=1073741824",
        ),
        (
            "SIEVE_RETRY_CAP_S",
            "1",
            "SIEVE_RETRY_CAP_S: it is shorter than retry_first_s; for example SIEVE_RETRY_CAP_S=2.0",
        ),
        (
            "SIEVE_SECURE_BIND",
            "0.0.0.0:8443",
            "SIEVE_SECURE_URL: secure_bind is every address of this machine, so set the address that peers connect to; "
            "for example SIEVE_SECURE_URL=https://alpha.example.org:8443",
        ),
    ],
)
def test_a_bad_variable_is_reported_in_one_line(
    variable: str, value: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    assert complaint() == line


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e300"])
def test_times_are_positive_and_bounded(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_DEADLINE_S", value)
    assert complaint().startswith("SIEVE_DEADLINE_S: input should be ")


def test_a_bad_line_of_the_file_is_reported_as_it_should_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings_file(tmp_path, "plain_bind = 8081\n", monkeypatch)
    assert complaint() == (
        f'plain_bind in {path}: input should be a valid string; for example plain_bind = "127.0.0.1:8081"'
    )


def test_an_unknown_line_of_the_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = settings_file(tmp_path, 'web_bnd = "127.0.0.1:8080"\n', monkeypatch)
    assert complaint() == f"web_bnd in {path}: there is no such setting; remove it or correct its name"


def test_a_file_that_is_missing_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "none.toml"))
    assert complaint() == (
        f"SIEVE_CONFIG: cannot read {tmp_path / 'none.toml'}: No such file or directory; name a readable TOML file"
    )


def test_a_file_that_is_not_toml_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = settings_file(tmp_path, "name: alpha\n", monkeypatch)
    assert complaint().startswith(f"SIEVE_CONFIG: {path} is not TOML: ")


@pytest.mark.parametrize(
    ("variable", "secret"),
    [("SIEVE_METRICS_TOKEN", "hush-hush"), ("SIEVE_TRUSTED_PROXY", "hush-hush")],
)
def test_no_complaint_repeats_what_was_given(variable: str, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, secret)
    assert secret not in complaint()


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_METRICS_TOKEN", "hush-hush-hush-hush")
    monkeypatch.setenv("SIEVE_DATABASE_URL", "sqlite+aiosqlite:////hush-hush")
    assert "hush" not in repr(load())


def test_off_loopback_the_web_wants_a_proxy_that_ends_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_WEB_BIND", "10.0.0.1:8080")
    assert complaint().startswith("SIEVE_WEB_BIND: the web listener has no TLS, so off loopback it needs ")
    monkeypatch.setenv("SIEVE_TRUSTED_PROXY", "10.0.0.2, 10.1.0.0/24")
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", "sieve.example.org")
    assert not load().web_is_local


def test_a_wildcard_is_fine_once_peers_can_be_given_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_PLAIN_BIND", "[::]:8081")
    monkeypatch.setenv("SIEVE_PLAIN_URL", "http://Alpha.example.org:8081/")
    assert load().plain_url == "http://alpha.example.org:8081"


hosts = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
    st.sampled_from(["localhost", "alpha", "alpha.example.org", "gateway_1"]),
)


@given(hosts, st.integers(0, 65535))
def test_every_host_and_port_is_read_back(host: str, port: int) -> None:
    assert addresses.bind(f"{host}:{port}") == (host.strip("[]"), port)
    assert addresses.origin(f"https://{host}:{port}", "https") == f"https://{host.lower()}:{port}"
    assert addresses.origin(f"http://{host}/", "http") == f"http://{host.lower()}"


@given(st.text(max_size=40) | st.from_regex(r"\Ahttps?://[\[\]@:/?#a-z0-9.%-]{0,30}\Z"))
def test_whatever_else_is_written_is_refused_or_has_one_spelling(text: str) -> None:
    try:
        found = addresses.origin(text, "https")
    except ValueError:
        return
    assert addresses.origin(found, "https") == found
    assert not set(found) & set("@?#%\r\n ")


@pytest.mark.parametrize(
    "text",
    [
        "https://u:p@alpha",
        "https://alpha/path",
        "https://alpha?x",
        "https://alpha#x",
        "https://",
        "https://alpha:99999",
        "https://[::1",
        "https://[alpha]",
        "https://::1:80",
        "https://al pha",
        "https://älpha",
        "alpha:8443",
    ],
)
def test_an_origin_is_a_host_and_a_port_and_no_more(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        addresses.origin(text, "https")


@given(st.text(max_size=70))
def test_the_name_from_the_machine_is_a_gateway_name(host_name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socket.gethostname", lambda: host_name)
        patch.setenv("HOME", "/home/somebody")
        name = Settings().name
    assert addresses.gateway_name(name) == name


def test_tls_1_3_is_the_default_and_says_nothing() -> None:
    settings = load()
    assert settings.tls_suites is None, "the gateway chooses"
    assert cipher_suites.fastest_first(aes_is_fast=True) == cipher_suites.TLS_1_3
    assert sorted(cipher_suites.fastest_first(aes_is_fast=False)) == sorted(cipher_suites.TLS_1_3)
    assert settings.warnings == {}
    assert not settings.research_tls_ciphers


def test_suites_are_an_ordered_list_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = cipher_suites.TLS_1_3[2], cipher_suites.TLS_1_2[1]
    monkeypatch.setenv("SIEVE_TLS_CIPHERS", f" {first}, {second} ")
    assert load().tls_suites == (first, second)
    assert second in load().warnings["tls_ciphers"]


@pytest.mark.parametrize(
    "text",
    [
        "TLS_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_DH_anon_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_NULL_SHA",
        "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
        "TLS_AES_256_GCM_SHA384,",
        "HIGH",
    ],
)
def test_unsafe_suites_stop_the_start_in_one_sentence(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_TLS_CIPHERS", text)
    told = complaint()
    assert told.startswith("SIEVE_TLS_CIPHERS: entry ")
    assert all(name in told for name in (*cipher_suites.TLS_1_3, *cipher_suites.TLS_1_2))
    assert "RESEARCH" not in told


def test_older_suites_are_for_loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    older = cipher_suites.OLDER[-1]
    monkeypatch.setenv("SIEVE_TLS_CIPHERS", older)
    assert complaint().startswith("SIEVE_TLS_CIPHERS: entry 1 ")
    monkeypatch.setenv("SIEVE_RESEARCH_TLS_CIPHERS", "true")
    assert load().tls_suites == (older,)
    assert "not safe" in load().warnings["tls_ciphers"]
    monkeypatch.setenv("SIEVE_SECURE_URL", "https://127.0.0.1:9000")
    load()
    for name, elsewhere in (
        ("SIEVE_SECURE_URL", "https://alpha.example.org"),
        ("SIEVE_PLAIN_URL", "http://10.0.0.1"),
        ("SIEVE_SECURE_BIND", "10.0.0.1:8443"),
        ("SIEVE_PLAIN_BIND", "10.0.0.1:8081"),
    ):
        with monkeypatch.context() as other:
            other.setenv(name, elsewhere)
            assert complaint().startswith(f"{name}: with SIEVE_RESEARCH_TLS_CIPHERS ")


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:8080", True),
        ("localhost:9000", True),
        ("[::1]", True),
        ("10.0.0.1:8080", True),
        ("sieve.example.org", True),
        ("sieve.example.org:443", True),
        ("[2001:db8::1]:443", True),
        ("example.org", False),
        ("sieve.example.org.evil.example", False),
        ("10.0.0.2", False),
        ("", False),
        ("[", False),
    ],
)
def test_the_hosts_that_are_served(monkeypatch: pytest.MonkeyPatch, host: str, ours: bool) -> None:
    monkeypatch.setenv("SIEVE_WEB_BIND", "10.0.0.1:8080")
    monkeypatch.setenv("SIEVE_TRUSTED_PROXY", "10.0.0.3")
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", "Sieve.example.org, [2001:db8::1]")
    settings = load()
    assert settings.is_our_host(host) is ours
    assert settings.warnings == {}


def test_without_a_proxy_only_loopback_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that an attacker makes resolve to this machine is none of ours (DNS rebinding)."""
    settings = load()
    assert settings.is_our_host("localhost:8080") and not settings.is_our_host("rebound.example:8080")
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", "tunnel.example")
    assert load().is_our_host("tunnel.example:8080")


def test_behind_a_proxy_the_hosts_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_TRUSTED_PROXY", "127.0.0.1, 10.0.0.0/29")
    assert complaint().startswith("SIEVE_ALLOWED_HOSTS: behind a proxy (SIEVE_TRUSTED_PROXY), name the hosts ")
    monkeypatch.setenv("SIEVE_WEB_URL", "https://sieve.example.org:8443")
    settings = load()
    assert settings.is_our_host("sieve.example.org:8443") and settings.is_our_host("127.0.0.1")
    assert not settings.is_our_host("anything.example")
    assert settings.is_trusted_proxy("127.0.0.1") and settings.is_trusted_proxy("10.0.0.7")
    assert not settings.is_trusted_proxy("10.0.0.8") and not settings.is_trusted_proxy("unknown")
    monkeypatch.delenv("SIEVE_WEB_URL")
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", "sieve.example.org")
    assert load().is_our_host("sieve.example.org")


@pytest.mark.parametrize("hosts", ["https://sieve.example.org", "sieve.example.org:443", "a b"])
def test_a_host_is_a_name_alone(monkeypatch: pytest.MonkeyPatch, hosts: str) -> None:
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", hosts)
    with pytest.raises(ConfigError, match="SIEVE_ALLOWED_HOSTS"):
        load()
