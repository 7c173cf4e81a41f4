"""Each suite of TLS 1.3 by setting alone, between two gateways in processes of their own; and what stops a start."""

import asyncio
import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sieve import demo
from sieve.cipher_suites import TLS_1_2, TLS_1_3, of_tls_1_3, split
from sieve.gateway.peering.tls import tls_1_3_in_force
from stories.pair import COMMAND, FORKED, Pair, again, pair
from stories.test_start import identity, start_forked, start_gateway

__all__ = ["identity"]

MARKED = b"seen <$S>hidden<$E> seen"
EC_SUITE = TLS_1_2[0]
FIRST_GROUP = "X25519MLKEM768" if ssl.OPENSSL_VERSION_INFO >= (3, 5) else "x25519"
SLOW_AT_AES = {"OPENSSL_ia32cap": "~0x200000200000000", "OPENSSL_armcap": "0"}
"""Makes OpenSSL believe that the processor has no instructions for AES and carry-less multiplication."""


def _launch(environment: Mapping[str, str], log_file: Path | None) -> demo.Process:
    """As a command only if OpenSSL must begin again in it, for other instructions of the processor or other suites of
    TLS 1.3 than it has by itself: forked, a gateway starts in a fraction of the time.
    """
    suites = of_tls_1_3(split(environment.get("SIEVE_TLS_CIPHERS", "")))
    begins_again = environment.keys() & SLOW_AT_AES.keys() or suites not in ((), tls_1_3_in_force())
    return (COMMAND if begins_again else FORKED)(environment, log_file)


async def _restart(both: Pair, name: str, changed: Mapping[str, str]) -> None:
    gateway = getattr(both, name)
    await asyncio.to_thread(gateway.stop)
    settings = {**both.settings[name], **changed}
    setattr(both, name, await asyncio.to_thread(again, gateway, both.folder, settings, _launch))


async def _used(both: Pair) -> str:
    """The suite of a delivered transfer, as the API says."""
    _, ended = await both.send(MARKED)
    assert ended["state"] == "delivered"
    plan = ended["attempts"][-1]["plan"]
    assert plan["key_exchange"] == ended["plan"]["key_exchange"] == FIRST_GROUP
    return str(plan["cipher"])


async def test_the_suite_that_is_set_is_the_one_that_is_used(tmp_path: Path) -> None:
    """In one story: each start of a whole gateway takes seconds of the processor's time."""
    first, second, third = TLS_1_3
    async with pair(
        tmp_path,
        alpha_settings={"SIEVE_TLS_CIPHERS": ",".join(TLS_1_3)},
        bravo_settings={"SIEVE_TLS_CIPHERS": ",".join((third, second, first, EC_SUITE))},
        launch=_launch,
    ) as both:
        # Left alone, OpenSSL would take the first: here it is the first in the receiver's order,
        assert await _used(both) == third
        # now the sender's only one,
        await _restart(both, "alpha", {"SIEVE_TLS_CIPHERS": second})
        assert await _used(both) == second
        # and also one of TLS 1.2.
        await _restart(both, "alpha", {"SIEVE_TLS_CIPHERS": EC_SUITE})
        assert await _used(both) == EC_SUITE
    for name in ("alpha", "bravo"):
        told = [line for line in (tmp_path / f"{name}.log").read_text().splitlines() if "WARNING" in line]
        assert any("SIEVE_TLS_CIPHERS: TLS 1.2 is allowed" in line for line in told)


@pytest.mark.parametrize("slow", ["bravo_settings", pytest.param("alpha_settings", marks=pytest.mark.soak)])
async def test_chacha20_on_both_channels_if_either_machine_is_slow_at_aes(tmp_path: Path, slow: str) -> None:
    settings: dict[str, Any] = {slow: SLOW_AT_AES}
    async with pair(tmp_path, launch=_launch, **settings) as both:
        _, ended = await both.send(MARKED)
        plan = ended["attempts"][-1]["plan"]
        assert (plan["cipher"], plan["seal"]) == ("TLS_CHACHA20_POLY1305_SHA256", "chacha20-poly1305")


def test_a_forbidden_suite_stops_the_start(tmp_path: Path, identity: Path) -> None:
    """`tests/test_cipher_suites.py` tries the others."""
    suite = "TLS_DH_anon_WITH_AES_128_CBC_SHA"
    _told(start_gateway(tmp_path / "data", identity, SIEVE_TLS_CIPHERS=suite), "SIEVE_TLS_CIPHERS", *TLS_1_3, *TLS_1_2)


def test_a_suite_that_does_not_fit_the_key_stops_the_start(tmp_path: Path, identity: Path) -> None:
    _told(start_forked(tmp_path / "data", identity, SIEVE_TLS_CIPHERS=TLS_1_2[1]), "SIEVE_TLS_CIPHERS", "ECDSA")


def test_a_configuration_of_somebody_else_s_is_not_replaced(tmp_path: Path, identity: Path) -> None:
    theirs = tmp_path / "theirs.cnf"
    theirs.write_text("")
    done = start_gateway(tmp_path / "data", identity, SIEVE_TLS_CIPHERS=TLS_1_3[2], OPENSSL_CONF=str(theirs))
    _told(done, "SIEVE_TLS_CIPHERS", str(theirs), TLS_1_3[2])
    assert theirs.read_text() == ""


def _told(done: "subprocess.CompletedProcess[str]", *words: str) -> None:
    assert done.returncode == 2
    *_, line = done.stderr.splitlines()  # behind a warning, if there is one
    assert all(word in line for word in words)
