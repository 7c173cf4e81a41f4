"""certs/make.py: what it makes, with which rights, and that it overwrites nothing by itself."""

import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from pki import SCRIPT
from sieve.demo import certificates as make
from sieve.gateway.peering.identity import Identity

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def made(out: Path, *arguments: str) -> None:
    assert make.main(["--out", str(out), *arguments]) == 0


def test_each_gateway_gets_an_identity_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    made(out, "alpha", "bravo")
    alpha, bravo = Identity.load(out / "alpha"), Identity.load(out / "bravo")
    assert alpha.pin != bravo.pin
    assert alpha.ca_der == bravo.ca_der
    assert alpha.receipt_public_key != bravo.receipt_public_key
    said = capsys.readouterr().out
    assert f"{out / 'alpha'}: a new identity, valid until " in said
    assert "This CA is for development" in said


def test_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made(out, "alpha")
    for path in [out, *out.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600 if path.suffix == ".key" else 0o644), path
    assert not list(out.rglob("*.new"))
    assert "ca.key" not in {path.name for path in (out / "alpha").iterdir()}


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    made(tmp_path, "alpha")
    before = contents(tmp_path)
    made(tmp_path, "alpha")
    assert contents(tmp_path) == before
    made(tmp_path, "alpha", "bravo")
    after = contents(tmp_path)
    assert before.items() <= after.items()
    assert Identity.load(tmp_path / "bravo").ca_der == Identity.load(tmp_path / "alpha").ca_der


def test_renewal_changes_key_and_certificate_and_keeps_the_receipt_key(tmp_path: Path) -> None:
    made(tmp_path, "alpha", "bravo")
    before, alpha = contents(tmp_path), Identity.load(tmp_path / "alpha")
    made(tmp_path, "--renew", "alpha")
    after = contents(tmp_path)
    assert {name for name in before if before[name] != after[name]} == {
        "alpha/identity.pem",
        "alpha/identity.key",
    }
    renewed = Identity.load(tmp_path / "alpha")
    assert renewed.pin != alpha.pin
    assert renewed.receipt_public_key == alpha.receipt_public_key


def test_lives_are_bounded(tmp_path: Path) -> None:
    authority = make.new_authority(NOW)
    _, certificate = make.issue(authority, "alpha", NOW)
    assert certificate.not_valid_after_utc - NOW == timedelta(days=397)
    assert timedelta(days=3650) <= authority.certificate.not_valid_after_utc - NOW <= timedelta(days=3653)
    _, late = make.issue(authority, "alpha", NOW + timedelta(days=3600))
    assert late.not_valid_after_utc == authority.certificate.not_valid_after_utc


def test_the_certificate_names_the_gateway_and_loopback(tmp_path: Path) -> None:
    _, certificate = make.issue(make.new_authority(NOW), "alpha", NOW)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["alpha", "localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


@pytest.mark.parametrize("name", ["ca", "Alpha", "../alpha", "", "-a", "a" * 64])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert make.main(["--out", str(tmp_path), "--", name]) == 1
    assert "cannot name a gateway" in capsys.readouterr().err


@pytest.mark.parametrize("half", ["alpha/identity.key", "alpha/identity.pem", "ca/ca.key", "ca/ca.pem"])
def test_half_of_a_pair_is_not_made_up(tmp_path: Path, half: str, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "alpha")
    (tmp_path / half).unlink()
    before = contents(tmp_path)
    assert make.main(["--out", str(tmp_path), "alpha"]) == 1
    assert f"{tmp_path / half}: missing, while its other half is there; " in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_an_authority_that_is_over_or_damaged_is_reported(tmp_path: Path) -> None:
    make.keep_authority(tmp_path, NOW)
    with pytest.raises(make.MakeError, match="has expired; remove"):
        make.keep_authority(tmp_path, NOW + timedelta(days=4000))
    (tmp_path / "ca" / "ca.pem").write_text("hello")
    with pytest.raises(make.MakeError, match="cannot be read as an authority"):
        make.keep_authority(tmp_path, NOW)


def test_it_runs_as_a_script(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--out", str(tmp_path / "out"), "alpha"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    Identity.load(tmp_path / "out" / "alpha")


def test_a_folder_that_cannot_be_written_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert make.main(["--out", str(tmp_path / "file" / "out"), "alpha"]) == 1
    assert capsys.readouterr().err.endswith("Not a directory; choose a folder that you can write\n")
