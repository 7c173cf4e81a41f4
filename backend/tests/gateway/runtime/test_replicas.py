"""What replicas tell each other, and the jobs that only the leader does; no database."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.runtime.replicas import MOST_BYTES, MOST_WAITING, Replicas
from sieve.gateway.telemetry.announcements import EVERYTHING, Announcements, Change
from sieve.gateway.telemetry.progress import ChannelProgress, Progress, ProgressBus

NOW = 0.0


async def sent(replicas: Replicas) -> list[list[object]]:
    return [json.loads(message) for message in await replicas.messages(NOW)]


async def test_a_gateway_without_replicas_tells_nobody() -> None:
    alone = Replicas()
    alone.tell("peers")
    assert await sent(alone) == []


async def test_equal_messages_travel_once_and_newer_ones_replace_those_about_the_same() -> None:
    replicas = Replicas(is_shared=True)
    for count in (1, 2):
        replicas.tell("peers")
        replicas.tell("progress", {"sent": count}, about="one")
        replicas.tell("progress", {"sent": count}, about="other")
    assert await sent(replicas) == [["peers"], ["progress", {"sent": 2}], ["progress", {"sent": 2}]]
    assert await sent(replicas) == []


async def test_too_many_messages_become_one_that_says_so() -> None:
    here, there = Replicas(is_shared=True), Replicas(is_shared=True)
    missed: list[bool] = []
    there.on_missed.append(lambda: missed.append(True))
    for number in range(MOST_WAITING + 1):
        here.tell("cancelled", str(number))
    [message] = await here.messages(NOW)
    there.heard(message)
    assert missed == [True]


async def test_a_message_that_is_too_long_is_not_sent() -> None:
    replicas = Replicas(is_shared=True)
    replicas.tell("progress", "é" * MOST_BYTES)
    assert await sent(replicas) == []


@given(st.text(max_size=60))
def test_no_message_ends_the_connection(noise: str) -> None:
    heard: list[object] = []
    replicas = Replicas(is_shared=True, handlers={"cancelled": heard.append})
    replicas.heard(noise)
    replicas.heard(json.dumps(["of a newer version", noise]))
    replicas.heard(json.dumps(["cancelled"]))  # without what it needs
    replicas.heard(json.dumps(["cancelled", noise]))
    assert heard == [noise]


async def test_watchers_hear_of_changes_at_other_replicas() -> None:
    here, there = Replicas(is_shared=True), Announcements()
    announcements = Announcements(tell=lambda user_id, change: here.tell("change", user_id, *change))
    with there.watching("anna") as anna, there.watching("bob") as bob:
        assert anna.take() == bob.take() == EVERYTHING
        announcements.transfer_changed("anna", "t1")
        for message, user_id, _, of_id in await sent(here):
            assert message == "change"
            there.told(str(user_id), "transfer", str(of_id))
        assert anna.take() == Change("transfer", "t1") and bob.take() is None
        there.missed()
        assert anna.take() == bob.take() == EVERYTHING


async def test_progress_reaches_other_replicas_at_a_pace_and_its_end_at_once() -> None:
    told: list[dict[str, object]] = []
    here, there = ProgressBus(tell=told.append), ProgressBus()
    channels = (ChannelProgress("secure", 0, 1, 9),)
    for count in range(5):
        here.publish(Progress("t1", "sending", secure_sent=count, channels=channels))
    here.publish(Progress("t1", "delivered", channels=channels))
    assert [(each["state"], each["secure_sent"]) for each in told] == [("sending", 0), ("delivered", 0)]
    for each in told:
        there.told(json.loads(json.dumps(each)))
    assert there.latest("t1") == here.latest("t1")


async def test_a_replica_ends_after_its_last_message() -> None:
    replicas = Replicas(is_shared=True)
    replicas.tell("peers")
    finishing = asyncio.create_task(replicas.finish())
    assert await sent(replicas) == [["peers"]]
    assert not finishing.done()
    assert await sent(replicas) == []
    await finishing


async def test_only_the_leader_does_a_job_and_stops_when_it_leads_no_more() -> None:
    replicas, begun, ended = Replicas(is_shared=True), asyncio.Event(), asyncio.Event()

    async def job() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    working = asyncio.create_task(replicas.while_leading(job))
    for _ in range(2):
        await asyncio.sleep(0)  # the job gets a turn
        assert not begun.is_set()
        replicas.leads(True)
        await begun.wait()
        assert replicas.is_leader
        replicas.leads(False)
        await ended.wait()
        begun.clear()
        ended.clear()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working


async def test_a_job_that_fails_ends_the_gateway() -> None:
    replicas = Replicas()
    replicas.leads(True)

    async def job() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await replicas.while_leading(job)
