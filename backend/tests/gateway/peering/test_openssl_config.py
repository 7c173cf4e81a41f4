"""The configuration of OpenSSL's TLS 1.3 suites: at most one restart, and never over another file."""

import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from sieve.gateway.errors import StartError
from sieve.gateway.peering.openssl_config import put_in_force, text
from sieve.gateway.peering.tls import tls_1_3_in_force

ONE = ("TLS_AES_128_GCM_SHA256",)


class StartedAgain(Exception):
    """Ends the process, in a test."""


class Again:
    """Starts nothing, and notes with what environment it should have."""

    def __init__(self) -> None:
        self.environments: list[Mapping[str, str]] = []

    def __call__(self, environment: Mapping[str, str]) -> None:
        self.environments.append(environment)
        raise StartedAgain


def nothing_else() -> tuple[str, ...]:
    return ("TLS_AES_256_GCM_SHA384",)


def test_what_openssl_does_anyway_needs_no_start_again(tmp_path: Path) -> None:
    again = Again()
    for suites in (tls_1_3_in_force(), ()):
        put_in_force(suites, tmp_path / "openssl.cnf", {}, again)
    assert again.environments == []
    assert list(tmp_path.iterdir()) == []


def test_else_the_file_is_written_and_the_process_started_again(tmp_path: Path) -> None:
    again, path = Again(), tmp_path / "data" / "openssl.cnf"
    with pytest.raises(StartedAgain):
        put_in_force(ONE, path, {"PATH": "/bin"}, again, nothing_else)
    assert again.environments == [{"PATH": "/bin", "OPENSSL_CONF": str(path)}]
    assert path.read_text() == text(ONE)
    assert [found.name for found in path.parent.iterdir()] == ["openssl.cnf"]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_it_is_not_started_a_third_time(tmp_path: Path) -> None:
    again, path = Again(), tmp_path / "openssl.cnf"
    path.write_text(text(ONE))
    with pytest.raises(StartError, match="SIEVE_TLS_CIPHERS: this machine's OpenSSL does not take TLS_AES_128_GCM"):
        put_in_force(ONE, path, {"OPENSSL_CONF": str(path)}, again, nothing_else)
    assert again.environments == []


def test_our_file_of_another_setting_is_written_again(tmp_path: Path) -> None:
    again, path = Again(), tmp_path / "openssl.cnf"
    path.write_text(text(("TLS_CHACHA20_POLY1305_SHA256",)))
    with pytest.raises(StartedAgain):
        put_in_force(ONE, path, {"OPENSSL_CONF": str(path)}, again, nothing_else)
    assert path.read_text() == text(ONE)


def test_a_file_that_is_right_is_not_written_again(tmp_path: Path) -> None:
    """A full disk takes none."""
    again, path = Again(), tmp_path / "openssl.cnf"
    path.write_text(text(ONE))
    written = path.stat()
    with pytest.raises(StartedAgain):
        put_in_force(ONE, path, {}, again, nothing_else)
    assert again.environments == [{"OPENSSL_CONF": str(path)}]
    assert path.stat().st_ino == written.st_ino and [*tmp_path.iterdir()] == [path]


def test_a_file_that_somebody_named_is_theirs(tmp_path: Path) -> None:
    again, path = Again(), tmp_path / "openssl.cnf"
    with pytest.raises(StartError, match="OPENSSL_CONF names /etc/fips.cnf.*Ciphersuites = TLS_AES_128_GCM_SHA256"):
        put_in_force(ONE, path, {"OPENSSL_CONF": "/etc/fips.cnf"}, again, nothing_else)
    assert not path.exists()
    put_in_force(ONE, path, {"OPENSSL_CONF": "/etc/fips.cnf"}, again, lambda: ONE)
    assert again.environments == []


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StartError, match="cannot be written"):
        put_in_force(ONE, tmp_path / "data" / "openssl.cnf", {}, Again(), nothing_else)
