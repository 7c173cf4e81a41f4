"""The routes of e-mails and webhooks."""

from typing import Any

import httpx

from browsers import signed_in
from cases import each
from sieve.gateway.notifications.webhooks import Webhooks
from web.factor_calls import forget_confirmation
from web_world import World


async def test_without_a_mail_server_nobody_can_ask_for_emails(world: World) -> None:
    async with signed_in(world, "bruno") as api:
        shown = (await api.get("/me/notifications")).json()
        assert shown == {
            "email": None,
            "email_notifications": False,
            "email_available": False,
            "names_documents": False,
        }
        asked = {"email": "bruno@example.org", "email_notifications": True}
        refused = await api.put("/me/notifications", json=asked)
        assert refused.status_code == 409
        assert "SIEVE_SMTP_URL" in refused.json()["detail"]
        kept = await api.put("/me/notifications", json=asked | {"email_notifications": False})
        assert kept.json() == shown | {"email": "bruno@example.org"}


@each("address", ["", "bruno", "bruno@", "@example.org", "bruno@example.org, x@y.org", "a\nb@c.de"])
async def test_what_is_no_email_address_is_refused(world: World, address: str) -> None:
    async with world.client("bruno") as api:
        answer = await api.put("/me/notifications", json={"email": address, "email_notifications": False})
    assert answer.status_code == 422 or answer.status_code == 400
    assert "not an e-mail address" in answer.json()["detail"]


async def test_news_of_documents_goes_elsewhere_only_after_a_recent_confirmation(world: World) -> None:
    """Somebody with a stolen cookie or an unlocked browser would hear of documents long after it."""
    async with signed_in(world, "bruno") as api:
        address: dict[str, Any] = {"email": "bruno@example.org", "email_notifications": False}
        assert (await api.put("/me/notifications", json=address)).status_code == 200
        await forget_confirmation(world, api)
        on, other = address | {"email_notifications": True}, address | {"email": "thief@example.org"}
        for asked in (on, other, on | other):
            refused = await api.put("/me/notifications", json=asked)
            assert (refused.status_code, refused.json().get("kind")) == (403, "confirmation-needed")
        # What ends it must be quick.
        for asked in (address, address | {"email": None}):
            assert (await api.put("/me/notifications", json=asked)).status_code == 200
    async with world.client("bruno") as program:
        assert (await program.put("/me/notifications", json=address)).status_code == 403
        assert (await program.put("/me/notifications", json=address | {"email": None})).status_code == 200


async def test_an_admin_adds_a_webhook_only_after_a_recent_confirmation(world: World) -> None:
    url = f"/people/{world.people['bruno'].id}/webhooks"
    async with signed_in(world, "root") as api:
        await forget_confirmation(world, api)
        refused = await api.post(url, json={"url": "https://thief.example.org"})
        assert (refused.status_code, refused.json().get("kind")) == (403, "confirmation-needed")
        assert (await api.get(url)).json() == []


async def test_an_admin_adds_tests_and_removes_a_webhook(world: World) -> None:
    taken: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        taken.append(request)
        return httpx.Response(200 if len(taken) == 1 else 404)

    world.services.notifier.webhooks = Webhooks("bravo", False, httpx.MockTransport(answer))
    url = f"/people/{world.people['bruno'].id}/webhooks"
    async with world.client("root") as api:
        made: dict[str, Any] = (await api.post(url, json={"url": "https://app.example.org/sieve"})).json()
        assert made.pop("secret").startswith("whsec_")
        assert (await api.get(url)).json() == [made]
        assert (await api.post(f"{url}/{made['id']}/test")).json() == {"problem": None}
        problem = "the application answered with status 404"
        assert (await api.post(f"{url}/{made['id']}/test")).json() == {"problem": problem}
        (shown,) = (await api.get(url)).json()
        assert shown["problem"] == problem
        assert shown["sent_at"] is not None
        # Another person's webhook is not found by its id.
        elsewhere = f"/people/{world.people['rosa'].id}/webhooks/{made['id']}"
        assert (await api.delete(elsewhere)).status_code == 404
        assert (await api.delete(f"{url}/{made['id']}")).status_code == 204
        assert (await api.get(url)).json() == []
        log = (await api.get("/audit")).json()["items"]
        assert [entry["action"] for entry in log[:2]] == ["webhook-removed", "webhook-added"]
    assert [request.headers["user-agent"] for request in taken] == ["security-sieve"] * 2


async def test_a_person_has_at_most_ten_webhooks(world: World) -> None:
    url = f"/people/{world.people['bruno'].id}/webhooks"
    async with world.client("root") as api:
        for _ in range(10):
            assert (await api.post(url, json={"url": "https://app.example.org/"})).status_code == 201
        assert (await api.post(url, json={"url": "https://app.example.org/"})).status_code == 409
