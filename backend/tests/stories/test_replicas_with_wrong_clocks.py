"""Two replicas of a gateway on machines whose clocks are more than five minutes apart: what one of them stores counts
at the other as if both had one clock.
"""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import pyotp
import pytest

from postgres_server import PostgresServer
from s3_server import S3Server
from soft_authenticator import SoftAuthenticator
from stories import forked
from stories.replicated import (
    Cluster,
    ask,
    blob_server,
    browser,
    cluster,
    database_server,
    delivered,
    send,
    session_of_new_author,
)

APART_S: Final = 330
TAKEN_OVER_S: Final = 45.0


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    with database_server() as server:
        yield server


@pytest.fixture
def store() -> Iterator[S3Server]:
    with blob_server() as server:
        yield server


@pytest.fixture
async def them(tmp_path: Path, database: PostgresServer, store: S3Server) -> AsyncIterator[Cluster]:
    """Alpha's first replica has the right clock, and its second one is ahead."""
    async with cluster(tmp_path, database, store, replicas=2) as them:
        ahead = forked.fork(functools.partial(forked.gateway_with_wrong_clock, APART_S))
        # Less than the clocks differ.
        them.alpha.settings["SIEVE_SESSION_IDLE_S"] = "300"
        for number, launch in ((1, ahead), (0, forked.fork(forked.gateway))):
            await asyncio.to_thread(them.alpha.replicas[number].stop)
            await asyncio.to_thread(them.alpha.start, number, launch)
        them.alpha.to_one_that_runs()
        yield them


async def test_replicas_whose_clocks_differ_agree_on_what_is_over(them: Cluster) -> None:
    right, ahead = 0, 1
    alpha = them.alpha

    # A session that began at one replica is used at the other, and is not idle there.
    cookies = await session_of_new_author(alpha, right, "carla")
    async with browser(alpha, right, cookies) as api:
        authenticator = SoftAuthenticator()
        options = await ask(api, "GET", "/factors/passkey-options")
    async with browser(alpha, ahead, cookies) as api:
        assert (await ask(api, "GET", "/session"))["person"]["name"] == "carla"
        # So is a challenge: it lasts for five minutes.
        made = {"name": "laptop", "passkey": authenticator.create(options)}
        await ask(api, "POST", "/factors/passkeys", json=made)

    # A passkey's answer counts once, wherever it was challenged and answered.
    for challenging, answering in ((right, ahead), (ahead, right)):
        async with browser(alpha, challenging) as api:
            answer = authenticator.get(await ask(api, "GET", "/session/passkey-options", params={"purpose": "sign-in"}))
        async with browser(alpha, answering) as api:
            signed_in = await ask(api, "POST", "/session/passkey", json={"passkey": answer})
            assert signed_in["person"]["name"] == "carla"
        for number in (right, ahead):
            async with browser(alpha, number) as api:
                again = await api.post("/session/passkey", json={"passkey": answer})
                assert again.status_code in (401, 403)

    # An authenticator app's code is of the time that both agree on.
    async with browser(alpha, right) as api:
        answer = authenticator.get(await ask(api, "GET", "/session/passkey-options", params={"purpose": "sign-in"}))
        await ask(api, "POST", "/session/passkey", json={"passkey": answer})
        app = await ask(api, "POST", "/factors/app")
        cookies = api.cookies
    async with browser(alpha, ahead, cookies) as api:
        code = pyotp.TOTP(app["secret"]).at(int(time.time()))
        await ask(api, "POST", "/factors/app/confirmation", json={"code": code})

    # What a replica was sending goes on at the other one after its lease.
    text = b"Berth <$S>six<$E> opens at noon. " * 50_000
    async with them.at_alpha(ahead) as api:
        transfer = await send(api, text, "lease.txt")
    alpha.replicas[ahead].process.kill()
    async with them.at_alpha(right) as api, asyncio.timeout(TAKEN_OVER_S):
        await delivered(api, [transfer])
