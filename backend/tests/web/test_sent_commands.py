"""`sieve sent`, `status`, `cancel` and `retry`: an author's transfers."""

import json
from pathlib import Path

from sqlalchemy import update

from command_world import CONTENT, TO, Served, Sieve
from sieve.store.models import Transfer


def test_what_was_sent_is_listed_cancelled_and_retried(served: Served, sieve: Sieve, document: Path) -> None:
    status, out, _ = sieve("send", str(document), *TO, "--no-wait", "--json")
    transfer = json.loads(out)["transfer_id"]
    row = sieve("sent", "--state", "queued")[1].rstrip("\n").split("\t")
    assert (row[0], *row[2:]) == (transfer, "queued", "bravo", "Berta", f"{len(CONTENT)} bytes", "memo.md")
    assert json.loads(sieve("status", "memo.md", "--json")[1])["id"] == transfer
    status, out, error = sieve("cancel", transfer[:6])
    assert (status, error) == (0, "")
    assert "state     cancelled\n" in out
    status, _, error = sieve("retry", "memo.md")
    assert status == 1 and error.count("\n") == 1
    assert "\tnot cleared\n" in sieve("recipients", "--peer", "bravo")[1]


def test_status_says_how_the_secure_channel_was_encrypted(served: Served, sieve: Sieve, document: Path) -> None:
    transfer = json.loads(sieve("send", str(document), *TO, "--no-wait", "--json")[1])["transfer_id"]
    assert "key exchange" not in sieve("status", transfer)[1]

    async def plan() -> None:
        said = json.dumps({"cipher": "TLS_AES_256_GCM_SHA384", "key_exchange": "x25519"})
        async with served.world.database.write() as session:
            await session.execute(update(Transfer).where(Transfer.id == transfer).values(plan=said))

    served.run(plan())
    rows = [line.split() for line in sieve("status", transfer)[1].splitlines()]
    assert ["cipher", "TLS_AES_256_GCM_SHA384"] in rows and ["key", "exchange", "x25519"] in rows
