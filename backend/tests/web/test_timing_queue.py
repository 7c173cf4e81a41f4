"""The page of timings: what waits now, what failed, and peers that are paused."""

import csv
import io
import random
from collections import Counter

import pytest

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.models import Breaker
from store_rows import a_document, a_peer, a_transfer, a_user
from timing_rows import add
from web.timed import (
    MB,
    Timed,
    made,
)
from web_world import World


async def test_causes_and_ended_transfers(timed: Timed) -> None:
    sent = [row for row in timed.rows if row["direction"] == "sent"]
    shown = await timed.json("queue")
    counted = Counter(row["cause"] for row in sent if row["outcome"] != "delivered")
    assert [(each["cause"], each["count"]) for each in shown["causes"]] == counted.most_common()
    assert {each["cause"] for each in shown["causes"]} <= {*TimingCause}
    assert sum(shown["series"]["ended"]) == len([row for row in sent if row["outcome"] != "retry"])
    assert (await timed.csv("queue", table="causes"))[0]["label"] == shown["causes"][0]["label"]
    assert len(await timed.csv("queue", table="series")) == len(shown["series"]["columns"])


async def test_the_queue_now(world: World) -> None:
    now = now_ns()
    minute = 60 * NS_PER_S
    async with world.database.write() as session:
        author = await a_user(session, "annette")
        charlie = await a_peer(session, "charlie")
        document = await a_document(session, author)
        waiting = [
            await a_transfer(session, document, author, charlie, now_ns=now - age * minute, deadline_at_ns=until)
            for age, until in ((5, now + 30 * minute), (3, now + 90 * minute), (-1, now + 10 * minute))
        ]
    await world.settle_delivered(await world.send(b"a memo"))
    async with world.client("root") as api:
        shown = (await api.get("/timings/queue")).json()
        table = [
            *csv.DictReader(io.StringIO((await api.get("/timings/queue?format=csv&table=peers")).text, newline=""))
        ]
        [moment] = csv.DictReader(io.StringIO((await api.get("/timings/queue?format=csv&table=now")).text, newline=""))
        deadlines = (await api.get("/timings/queue?format=csv&table=deadlines")).text
    assert (shown["depth"], shown["sending"], moment["depth"]) == (3, 0, "3")
    assert shown["oldest_waiting_s"] >= 300
    # The one that was sent just now counts, too.
    assert shown["rate_in_per_s"] == pytest.approx(3 / 3570, rel=0.02)
    assert shown["rate_out_per_s"] == 0
    async with world.database.write() as session:
        await add(
            session, [made(random.Random(1), charlie.id, now / NS_PER_S) | {"direction": "sent", "outcome": "failed"}]
        )
    await world.services.timing_rollups.roll_up()
    async with world.client("root") as api:
        assert (await api.get("/timings/queue")).json()["rate_out_per_s"] == pytest.approx(1 / 3570, rel=0.02)
    assert [each["transfer_id"] for each in shown["deadlines"]] == [waiting[2].id, waiting[0].id]
    assert deadlines.count("charlie") == 2
    assert [(each["name"], each["waiting"]) for each in shown["peers"]] == [("charlie", 3), ("bravo", 0)]
    assert [(row["name"], row["waiting"]) for row in table] == [("charlie", "3"), ("bravo", "0")]
    assert [each["last_delivered_at"] is None for each in shown["peers"]] == [True, False]


async def test_the_age_of_what_is_being_sent(world: World) -> None:
    now = now_ns()
    async with world.client("root") as api:
        assert (await api.get("/timings/queue")).json()["oldest_sending_s"] is None
        async with world.database.write() as session:
            author = await a_user(session, "annette")
            charlie = await a_peer(session, "charlie")
            document = await a_document(session, author)
            for minutes, is_sending in ((60, True), (30, True), (5, False)):
                row = await a_transfer(session, document, author, charlie, now_ns=now - minutes * 60 * NS_PER_S)
                if is_sending:
                    row.state, row.lease_token = "sending", "claimed"
        shown = (await api.get("/timings/queue")).json()
        table = await api.get("/timings/queue?format=csv&table=now")
    [moment] = csv.DictReader(io.StringIO(table.text, newline=""))
    assert shown["sending"] == 2
    assert shown["oldest_sending_s"] == pytest.approx(3600, abs=60)
    assert shown["oldest_waiting_s"] == pytest.approx(300, abs=60)
    assert float(moment["oldest_sending_s"]) == pytest.approx(3600, abs=60)


async def test_what_waits_follows_the_filters_that_are_known_by_then(world: World) -> None:
    now = now_ns()
    async with world.database.write() as session:
        author = await a_user(session, "annette")
        charlie, delta = await a_peer(session, "charlie"), await a_peer(session, "delta")
        small = await a_document(session, author)
        large = await a_document(session, author)
        large.size = large.classified_size = 5 * MB
        for number, (peer, document) in enumerate([(charlie, small), (charlie, large), (delta, large)]):
            until = now + 600 * NS_PER_S
            row = await a_transfer(
                session, document, author, peer, now_ns=now - (number + 1) * NS_PER_S, deadline_at_ns=until
            )
            row.mode = "auto" if peer is delta else "sieve"
    async with world.client("root") as api:
        for asked, depth, waiting, accepted in (
            ({}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, 3),
            ({"peer": "charlie"}, 2, {"charlie": 2}, 2),
            ({"peer": "charlie", "size": "10MB"}, 1, {"charlie": 1}, None),
            ({"share": "100"}, 2, {"bravo": 0, "charlie": 1, "delta": 1}, None),
            ({"mode": "auto"}, 1, {"bravo": 0, "charlie": 0, "delta": 1}, None),
            # These are not known of what waits.
            ({"direction": "received"}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, 3),
            ({"channels": "1+1", "outcome": "failed"}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, None),
        ):
            shown = (await api.get("/timings/queue", params=asked)).json()
            assert (shown["depth"], len(shown["deadlines"])) == (depth, depth), asked
            assert {each["name"]: each["waiting"] for each in shown["peers"]} == waiting
            series = shown["series"]["accepted"]
            assert (None if series is None else sum(series)) == accepted
            assert (shown["rate_in_per_s"] is None) == (accepted is None)
            long = await api.get("/timings/queue", params={"since": "2026-01-01T00:00Z", **asked})
            assert (long.json()["series"]["accepted"] is None) == bool(asked.keys() - {"direction"})
            table = await api.get("/timings/queue", params={**asked, "format": "csv", "table": "series"})
            assert (table.text.splitlines()[1].split(",")[1] == "") == (accepted is None)


async def test_a_breaker_that_is_open(world: World) -> None:
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    for open_ns, is_open in ((3600 * NS_PER_S, True), (-NS_PER_S, False)):
        async with world.database.write() as session:
            await session.merge(Breaker(peer_id=bravo.id, failures=5, open_until_ns=now_ns() + open_ns))
        async with world.client("root") as api:
            [peer] = (await api.get("/timings/queue")).json()["peers"]
            found = (await api.get("/timings/standouts")).json()["items"]
        assert (peer["failures"], peer["breaker_open_until"] is not None) == (5, is_open)
        assert [(each["kind"], each["peer"], each["count"]) for each in found] == [("paused", "bravo", 5)] * is_open
