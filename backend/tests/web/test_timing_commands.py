"""`sieve timings`: what it prints, and what it refuses."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from command_world import Served, Sieve
from sieve.cli import main
from sieve.cli.errors import BadInput
from sieve.cli.timings import begin
from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.models.timings import FIGURES
from timing_rows import Values, add

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def row(peer_id: str, outcome: str = "delivered") -> Values:
    us = 20_000 if outcome == "delivered" else None
    return {
        "at_ns": now_ns() - 3600 * NS_PER_S,
        "direction": "sent",
        "transfer_id": "0" * 32,
        "attempt": 1,
        "peer_id": peer_id,
        "outcome": outcome,
        "cause": "",
        "mode": "sieve",
        "size": 1000,
        "classified_size": 250,
        "secure_bytes": 250,
        "plain_bytes": 750,
        "secure_channels": 1,
        "plain_channels": 1,
        "suite": "TLS_AES_128_GCM_SHA256",
        "batch": 1,
        **{f"{figure}_us": us for figure in FIGURES},
        "clock_moved": False,
        "sample": 0,
    }


def test_timings_are_shown_as_a_table_csv_or_json(served: Served, sieve: Sieve) -> None:
    async def record() -> None:
        world = served.world
        bravo = world.services.peers.by_name("bravo")
        assert bravo is not None
        async with world.database.write() as session:
            await add(session, [row(bravo.id), row(bravo.id), row(bravo.id, "failed")])
        await TimingRollups(world.database, world.services.announcements, 90).roll_up()

    served.run(record())
    status, out, _ = sieve("timings", who="root")
    shown = dict(line.split("\t", 1) for line in out.splitlines())
    assert status == 0
    assert (shown["transfers"], shown["failed"], shown["bytes not encrypted"]) == ("3\t0", "1\t0", "75.0%\t-")
    assert shown["response median"] == "20 ms\t-"
    status, out, _ = sieve("timings", "--since", "7d", "--by", "peer", who="root")
    assert (status, out) == (0, "bravo\t2" + "\t20 ms" * 8 + "\n")
    for by in ("mode", "size", "share"):
        assert sieve("timings", "--by", by, who="root")[0] == 0
    [group] = json.loads(sieve("timings", "--by", "peer", "--json", who="root")[1])["groups"]
    assert (group["label"], group["count"]) == ("bravo", 2)
    [line] = csv.DictReader(io.StringIO(sieve("timings", "--by", "peer", "--csv", who="root")[1], newline=""))
    assert (line["label"], line["mean_ms_sieve"]) == ("bravo", "20.0")
    assert json.loads(sieve("timings", "--json", who="root")[1])["current"]["delivered"] == 2
    assert len([*csv.DictReader(io.StringIO(sieve("timings", "--csv", who="root")[1], newline=""))]) == 2
    status, out, error = sieve("timings", "--csv", "--json", who="root")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert sieve("timings", "--since", "soon", who="root")[0] == 2
    assert sieve("timings", "--since", "2100-01-01", who="root")[0] == 2
    status, out, _ = sieve("lab", "queueing", who="root")
    few = "No answer: at least 10 measured transfers over both channels are needed; there are "
    assert (status, few in out) == (0, True)
    assert json.loads(sieve("lab", "queueing", "--since", "7d", "--json", who="root")[1])["chosen"] is None
    assert sieve("timings", "rebuild", who="root") == (0, "", "")
    assert "all sums are being computed again: 0 % so far" in sieve("timings", who="root")[2]
    assert sieve("timings", "rebuild")[0] == 1
    status, out, error = sieve("timings", who="anna")
    assert (status, out, error) == (1, "", "sieve: only admins may do this, with a token of scope admin\n")


@pytest.mark.parametrize("option", [("--url", "http://127.0.0.1:1"), ("--token-file", "token"), ("--csv",)])
def test_an_option_before_rebuild_is_refused(option: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timings", *option, "rebuild"]) == 2
    assert capsys.readouterr().err == "sieve: give options after rebuild\n"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("90m", NOW - timedelta(minutes=90)),
        ("24h", NOW - timedelta(days=1)),
        ("7d", NOW - timedelta(days=7)),
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026-11-20T06:30", datetime(2026, 11, 20, 6, 30, tzinfo=UTC)),
        ("2026-11-20T06:30Z", datetime(2026, 11, 20, 6, 30, tzinfo=UTC)),
        ("2026-11-20T06:30+02:00", datetime(2026, 11, 20, 4, 30, tzinfo=UTC)),
    ],
)
def test_a_span_begins_some_time_ago_or_at_a_time(text: str, at: datetime) -> None:
    assert begin(text, NOW) == at


@pytest.mark.parametrize("text", ["", "7", "7w", "-7d", "999999d", "d", "٧d", "yesterday"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(BadInput, match="write it like 90m"):
        begin(text, NOW)
