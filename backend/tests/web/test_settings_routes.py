"""The settings for admins: all of them, readable, and without secrets."""

from pathlib import Path

from sieve.config import Settings
from sieve.core.sentence import Sentence
from sieve.web.settings.table import rows
from web_world import Ground, World
from world_building import build, close

TOKEN = "a token that nobody may see"


async def test_an_admin_sees_every_setting_and_no_secret(tmp_path: Path, ground: Ground) -> None:
    world = await build(tmp_path, ground, metrics_token=TOKEN, retention_days=90)
    async with world.client("root") as api:
        answer = await api.get("/settings")
        gateway = (await api.get("/gateway")).json()
    await close(world)
    shown = {row["name"]: row for row in answer.json()}
    assert list(shown) == list(Settings.model_fields)
    assert shown["metrics_token"]["value"] == "set"
    assert shown["database_url"]["value"] == "not set"
    assert shown["database_url"]["value_said"] == {"text": "not set", "code": "setting-not-set", "parameters": {}}
    assert shown["retention_days"]["value_said"]["parameters"] == {"days": 90}
    assert shown["data_dir"]["value_said"] is None
    assert TOKEN not in answer.text
    assert shown["data_dir"]["value"] == str(tmp_path)
    assert shown["blobs"]["value"] == str(tmp_path / "blobs")
    assert shown["retention_days"]["value"] == "90 d"
    assert gateway["retention_days"] == 90
    for name, row in shown.items():
        assert row["note"].endswith(f". Set by SIEVE_{name.upper()}.")
        assert len(row["note"]) > len(f". Set by SIEVE_{name.upper()}.") + 10


async def test_others_do_not(world: World) -> None:
    for who in ("anna", "bruno", "nobody"):
        async with world.client(who) as api:
            assert (await api.get("/settings")).status_code == 403


def test_values_are_for_people() -> None:
    values = {row.name: row.value for row in rows(Settings(data_dir=Path("/srv")))}
    assert values["max_document_bytes"] == "1 GiB"
    assert values["min_rate_bytes_per_s"] == "16 KiB/s"
    assert values["deadline_s"] == "3 d"
    assert values["lease_s"] == "30 s"
    assert values["retry_cap_s"] == "10 min"
    assert values["retention_days"] == values["trusted_proxy"] == "not set"
    assert values["plain_connections"] == "256"
    odd = {
        row.name: row.value
        for row in rows(Settings(lease_s=0.25, session_idle_s=43_200, batch_wait_ms=1.5, max_document_bytes=1_000_001))
    }
    assert (odd["lease_s"], odd["session_idle_s"], odd["batch_wait_ms"]) == ("0.25 s", "12 h", "1.5 ms")
    # The page writes its number in its language.
    assert isinstance(odd["lease_s"], Sentence) and odd["lease_s"].parameters == {"seconds": 0.25}
    assert odd["max_document_bytes"] == "1,000,001 bytes"


def test_what_an_admin_should_know_is_beside_the_setting() -> None:
    suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
    [row] = [row for row in rows(Settings(tls_ciphers=suite)) if row.name == "tls_ciphers"]
    assert row.value == suite
    assert row.warning is not None and "TLS 1.2 is allowed" in row.warning
    assert all(row.warning is None for row in rows(Settings()))
    assert next(row.value for row in rows(Settings()) if row.name == "research_tls_ciphers") == "no"
