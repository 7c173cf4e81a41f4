"""The leak check decodes what a mail program or a browser would decode, also if the bytes came with byte ranges."""

from base64 import b64encode
from typing import Any

import httpx
import pytest

from any_files import SECRET
from mail_files import attachments, mail
from sieve.gateway.screening import leak_scanner
from web.test_findings_by_content import guarded, literal, send  # noqa: F401
from web_world import World

PAGE = f"<!doctype html><title>a</title><p>The code is {SECRET[:3]}<b></b>&#{ord(SECRET[3])};{SECRET[4:]}.</p>".encode()


async def _guard(world: World) -> None:
    async with world.client("root") as api:
        rules = [{"kind": "keywords", "keywords": [SECRET]}]
        await api.post("/policies", json={"name": "all", "guard": True, "rules": rules})


async def _kinds(api: httpx.AsyncClient, data: bytes, spans: str, **called: str) -> Any:
    made = await literal(api, data, spans, **{"media_type": "application/octet-stream", **called})
    answer = await send(api, made["id"])
    return {} if answer.status_code == 202 else answer.json()["kinds"]


@pytest.mark.parametrize("small", [True, False], ids=["in a thread", "in a process"])
@pytest.mark.parametrize(
    "called",
    [
        {"name": "a.eml"},
        {"name": "a.bin", "media_type": "message/rfc822"},
        {"name": "a.txt", "media_type": "text/plain"},
    ],
    ids=["by its name", "by its type", "by its bytes"],
)
async def test_the_bodies_of_a_mail_are_decoded(
    guarded: World,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    called: dict[str, str],
    small: bool,
) -> None:
    monkeypatch.setattr(leak_scanner, "SMALL", leak_scanner.SMALL if small else 0)
    await _guard(guarded)
    data = mail(SECRET, encoding="base64")
    assert SECRET.encode() not in data
    async with guarded.client("anna") as api:
        assert "policy" in await _kinds(api, data, "0-4", **called)
        assert await _kinds(api, data, f"0-{len(data)}", **called) == {}


async def test_attachments_and_encoded_fields_of_a_mail_are_decoded(guarded: World) -> None:  # noqa: F811
    await _guard(guarded)
    attached = mail("nothing", attached=attachments(SECRET))
    field = b"Subject: =?utf-8?b?" + b64encode(SECRET.encode()) + b"?=\r\nMIME-Version: 1.0\r\n\r\nHi.\r\n"
    async with guarded.client("anna") as api:
        for data in (attached, field):
            assert SECRET.encode() not in data
            assert "policy" in await _kinds(api, data, "0-4", name="a.eml")


async def test_a_page_is_read_as_a_browser_shows_it(guarded: World) -> None:  # noqa: F811
    await _guard(guarded)
    async with guarded.client("anna") as api:
        for called in ({"name": "a.html"}, {"name": "a", "media_type": "text/html"}, {"name": "a.txt"}):
            assert "policy" in await _kinds(api, PAGE, "0-4", **called)


async def test_what_is_marked_in_a_mail_s_own_text_is_no_finding(guarded: World) -> None:  # noqa: F811
    await _guard(guarded)
    data = mail(SECRET, encoding="7bit")
    at = data.index(SECRET.encode())
    async with guarded.client("anna") as api:
        kinds = await _kinds(api, data, f"{at}-{at + len(SECRET)}", name="a.eml")
        assert "policy" not in kinds and "phrase" not in kinds
        assert "policy" in await _kinds(api, data, "0-4", name="a.eml")


async def test_a_text_that_only_mentions_fields_stays_a_text(guarded: World) -> None:  # noqa: F811
    async with guarded.client("anna") as api:
        data = b"Note: this is about mails.\n\nMIME-Version: 1.0 comes first.\n"
        assert await _kinds(api, data, "0-4", name="a.txt") == {}


async def test_what_is_called_a_mail_and_cannot_be_read_as_one_is_a_finding(guarded: World) -> None:  # noqa: F811
    async with guarded.client("anna") as api:
        data = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nx\n" * 2_001 + b"--a--\n"
        assert await _kinds(api, data, "0-4", name="a.eml") == {"limit": 1}
