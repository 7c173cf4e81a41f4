"""The chain of audit entries and its signed heads: what was changed, cut off or written by others is noticed."""

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from databases import by_hand
from sieve.gateway.auditing import chain_heads as audit_heads
from sieve.gateway.auditing.chain_heads import AuditHeads
from sieve.store.queries import audit
from web.audit_pages import chain, entries
from web_world import World


async def three_entries(world: World) -> str:
    """The head that was logged after the second entry."""
    for number in range(3):
        if number == 2:
            await world.services.audit_heads.sign()
        async with world.database.write() as session:
            await world.services.audit.note(session, "anna", "labels-lowered", f"d{number}", {"n": number}, reason="x")
    told = world.services.audit_heads.current
    assert told is not None
    return told


async def test_a_whole_chain_has_no_problems_and_the_heads_that_were_logged(world: World) -> None:
    assert await chain(world) == {"entries": 0, "head": f"0:{'0' * 64}", "problems": [], "known": []}
    await world.services.audit_heads.sign()
    assert world.services.audit_heads.current is None
    told = await three_entries(world)
    seen = await chain(world, told)
    assert (seen["entries"], seen["problems"]) == (3, [])
    assert (told[:2], seen["head"][:2]) == ("2:", "3:")
    await world.services.audit_heads.sign()
    await world.services.audit_heads.sign()
    assert world.services.audit_heads.current == seen["head"]
    assert (await chain(world, told, seen["head"], f"0:{'0' * 64}"))["problems"] == []
    assert "no longer there" in (await chain(world, f"4:{'0' * 64}"))["problems"][0]
    async with world.client("root") as api:
        assert (await api.get("/audit/chain", params={"head": "4:x"})).status_code == 422
    async with world.client("anna") as api:
        assert (await api.get("/audit/chain")).status_code == 403


@pytest.mark.parametrize(
    ("statement", "problems"),
    [
        ("UPDATE audit_entries SET actor = 'adam' WHERE number = 1", ["entry 1 is not as it was written"]),
        ("UPDATE audit_entries SET reason = NULL WHERE number = 3", ["entry 3 is not as it was written"]),
        (
            "DELETE FROM audit_entries WHERE number = 2",
            ["entries 2 to 2 are missing", "recorded once and is no longer there"],
        ),
        ("UPDATE audit_entries SET number = -2 WHERE number = 1", ["without a number"]),
        ("UPDATE audit_entries SET details = x'ff' WHERE number = 3", ["entry 3 is not as it was written"]),
        ("UPDATE audit_entries SET details = 'no JSON' WHERE number = 3", ["entry 3 is not as it was written"]),
        (
            "UPDATE audit_entries SET details = '[]', reason = 'no' WHERE number = 3",
            ["entry 3 is not as it was written"],
        ),
        ("UPDATE audit_entries SET number = 'no', link = 'no', actor = x'ff' WHERE number = 3", ["without a number"]),
        ("DELETE FROM audit_entries WHERE number > 1", ["recorded once and is no longer there"]),
        ("DELETE FROM audit_entries WHERE number > 2", []),
        ("UPDATE audit_heads SET at_ns = at_ns + 1", ["no signature of this gateway's key"]),
        ("UPDATE audit_heads SET link = zeroblob(32)", ["no signature", "recorded once and is no longer there"]),
    ],
)
async def test_what_was_done_to_the_rows_shows(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture, statement: str, problems: list[str]
) -> None:
    told = await three_entries(world)
    last = (await chain(world))["head"]
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute(statement)
    found = (await chain(world))["problems"]
    assert len(found) == len(problems)
    assert all(says in complaint for says, complaint in zip(problems, found, strict=True))
    # The others show, whatever was made of one.
    assert len((await entries(world))["items"]) >= 3 or "DELETE" in statement
    # A peer that has a head sees it, though nothing else is left as evidence.
    if "number >" in statement:
        assert [one for one in (await chain(world, told, last))["problems"] if last in one]
    if "> 1" in statement:
        await world.services.audit_heads.sign()
        assert f"does not have its head {told} any more" in caplog.text


@pytest.mark.parametrize("number", [2, 3])
async def test_what_was_rewritten_is_not_signed(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    """The log was rewritten at the signed head, which is logged once: with and without an entry after it."""
    told = await three_entries(world)
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("UPDATE audit_entries SET link = zeroblob(32) WHERE number = 2")
        database.execute("DELETE FROM audit_entries WHERE number > ?", [number])
    for _ in range(2):
        await world.services.audit_heads.sign()
    assert world.services.audit_heads.current == told
    assert caplog.text.count(f"does not have its head {told} any more") == 1
    with by_hand(tmp_path / "sieve.db") as database:
        assert database.execute("SELECT count(*) FROM audit_heads") == [(1,)]


async def test_every_head_is_held_against_the_chain_and_their_number_bounds_the_answer(
    world: World, tmp_path: Path
) -> None:
    told = await three_entries(world)
    with by_hand(tmp_path / "sieve.db") as database:
        for number in range(4, 1500):
            database.execute("INSERT INTO audit_heads VALUES (?, zeroblob(32), 0, zeroblob(64))", [number])
    found = (await chain(world, told))["problems"]
    assert len(found) == 101 and found[-1].startswith("there are more")
    assert f"the head 4:{'0' * 64} has no signature of this gateway's key" in found[0]


async def continued(world: World, head: str, reason: str = "restored from Tuesday's backup") -> tuple[int, Any]:
    async with world.client("root") as api:
        answer = await api.post("/audit/chain", json={"head": head, "reason": reason})
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("DELETE FROM audit_entries WHERE number > 1", "d0"),
        ("UPDATE audit_entries SET actor = 'adam' WHERE number = 1", "d0"),
        ("DELETE FROM audit_entries WHERE number = 2", "d2"),
        # SQLite keeps what was written, of whatever type and size.
        ("UPDATE audit_entries SET number = 'no' WHERE number = 2", "d1"),
        ("UPDATE audit_entries SET link = 'no' WHERE number = 2", "d1"),
        ("UPDATE audit_entries SET link = 'no' WHERE number = 3", "d2"),
        ("UPDATE audit_entries SET link = zeroblob(3) WHERE number = 3", "d2"),
        ("UPDATE audit_entries SET number = 9223372036854775807 WHERE number = 3", "d2"),
        # The last number of all, behind which there is none to go on with; and the last that three entries may have.
        ("UPDATE audit_entries SET number = 999999999999999999 WHERE number = 3", "d2"),
        ("UPDATE audit_entries SET number = 3298534883328 WHERE number = 3", "d2"),
        ("INSERT INTO audit_heads VALUES (9223372036854775806, zeroblob(32), 0, zeroblob(64))", "d0"),
        ("INSERT INTO audit_heads VALUES (4, zeroblob(32), 0, 'no')", "d0"),
    ],
)
async def test_a_broken_chain_continues_when_an_admin_says_why(
    world: World, tmp_path: Path, statement: str, left: str
) -> None:
    gone = await three_entries(world)
    whole = await chain(world)
    assert (await continued(world, whole["head"]))[0] == 409
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute(statement)
    broken = await chain(world)
    if broken["head"] != whole["head"]:
        assert (await continued(world, whole["head"]))[0] == 409
    status, seen = await continued(world, broken["head"])
    assert (status, seen["problems"], seen["known"]) == (200, [], broken["problems"])
    assert world.services.audit_heads.current == seen["head"]
    entry = (await entries(world))["items"][0]
    assert (entry["actor"], entry["action"], entry["reason"]) == (
        "root",
        "audit-continued",
        "restored from Tuesday's backup",
    )
    assert (entry["details"]["found"], entry["details"]["signed"]) == (broken["head"], gone)
    # It goes on: signed, and watched as before.
    async with world.database.write() as session:
        await world.services.audit.note(session, "anna", "labels-lowered", "d9", reason="x")
    await world.services.audit_heads.sign()
    last = await chain(world, seen["head"])
    assert last["problems"] == [] and world.services.audit_heads.current == last["head"]
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("UPDATE audit_entries SET actor = 'adam' WHERE subject = 'd9'")
    assert "is not as it was written" in (await chain(world))["problems"][0]
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("UPDATE audit_entries SET subject = 'other' WHERE subject = ?", [left])
    assert "have changed since a new part began" in str((await chain(world))["problems"])


async def test_a_log_that_others_write_to_continues_from_where_it_was_seen_to_end(world: World, tmp_path: Path) -> None:
    await three_entries(world)
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("DELETE FROM audit_entries WHERE number = 1")

    async def seen_and_then_another() -> str:
        seen = str((await chain(world))["head"])
        async with world.database.write() as session:
            await world.services.audit.note(session, "anna", "labels-lowered", "d8", reason="x")
        return seen

    head = await seen_and_then_another()
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("UPDATE audit_entries SET actor = 'adam' WHERE subject = 'd8'")
    assert (await continued(world, head))[0] == 409  # what is wrong there, the admin has not seen
    status, seen = await continued(world, await seen_and_then_another())
    assert (status, seen["problems"], seen["entries"]) == (200, [], 6)


async def test_heads_that_nobody_signed_are_known_only_while_they_are_the_same(world: World, tmp_path: Path) -> None:
    await three_entries(world)
    forged = "INSERT INTO audit_heads VALUES (?, zeroblob(32), 0, zeroblob(64))"
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute(forged, [2**63 - 2])
    assert (await continued(world, (await chain(world))["head"]))[1]["problems"] == []
    # A restarted gateway goes on, too.
    heads = AuditHeads(world.database, world.services.identity.receipt_key)
    async with world.database.write() as session:
        await world.services.audit.note(session, "anna", "labels-lowered", "d9", reason="x")
    await heads.sign()
    assert heads.current == (await chain(world))["head"]
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute(forged, [2**63 - 3])
    assert "has no signature of this gateway's key" in (await chain(world))["problems"][0]


async def test_nobody_begins_a_part_who_has_only_the_database(world: World, tmp_path: Path) -> None:
    gone = await three_entries(world)
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("DELETE FROM audit_entries WHERE number > 1")
    before = {"found": (await chain(world))["head"], "before": "0" * 64}
    async with world.database.write() as session:
        await world.services.audit.note(session, "root", "audit-continued", "", before, reason="x", after=2)
    await world.services.audit_heads.sign()
    assert world.services.audit_heads.current == gone
    assert "this gateway began none there" in (await chain(world))["problems"][0]
    async with world.client("anna") as api:
        assert (await api.post("/audit/chain", json={"head": gone, "reason": "x"})).status_code == 403


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the heads whose signatures are looked at from now on, a few at a time."""
    real, numbers = audit_heads.signer_of, []

    def noted(keys: Any, purpose: bytes, one: audit.SignedHead) -> int | None:
        numbers.append(one.number)
        return real(keys, purpose, one)

    # How many signatures a start looks at shows only in its time.
    monkeypatch.setattr(audit_heads, "signer_of", noted)
    monkeypatch.setattr(audit, "HEADS_AT_ONCE", 2)
    return numbers


@pytest.mark.parametrize("begins_part", [False, True], ids=["a head", "the head of a part"])
async def test_a_new_key_signs_the_last_head_again_so_that_no_later_start_walks_them_all(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins_part: bool
) -> None:
    old, new = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    heads = AuditHeads(world.database, old)
    for number in range(9):
        async with world.database.write() as session:
            await world.services.audit.note(session, "anna", "labels-lowered", f"d{number}", reason="x")
        await heads.sign()
    if begins_part:
        with by_hand(tmp_path / "sieve.db") as database:
            database.execute("UPDATE audit_entries SET actor = 'adam' WHERE number = 1")
        await heads.begin_part(world.services.audit, "root", heads.current or "", "restored")
    last, numbers = heads.current, looked_at(monkeypatch)
    for at_most in (100, 3):  # three purposes
        numbers.clear()
        heads = AuditHeads(world.database, new, [old.public_key()])
        await heads.sign()
        assert heads.current == last and len(numbers) <= at_most
    assert (await heads.verify()).problems == []


async def test_a_new_key_signs_though_the_heads_of_the_earlier_one_count_no_more(world: World) -> None:
    await three_entries(world)
    await world.services.audit_heads.sign()
    heads = AuditHeads(world.database, Ed25519PrivateKey.generate())
    await heads.sign()
    assert heads.current == world.services.audit_heads.current


async def test_heads_of_earlier_keys_count_until_a_later_one_signs(world: World) -> None:
    old = Ed25519PrivateKey.generate()
    heads = AuditHeads(world.database, old)

    async def another(heads: AuditHeads) -> None:
        async with world.database.write() as session:
            await world.services.audit.note(session, "anna", "labels-lowered", "d", reason="x")
        await heads.sign()

    await another(heads)
    new = Ed25519PrivateKey.generate()
    known, unknown = AuditHeads(world.database, new, [old.public_key()]), AuditHeads(world.database, new)
    await another(known)
    assert (await known.verify()).problems == []
    assert "no signature of this gateway's key" in (await unknown.verify()).problems[0]
    await another(heads)
    assert "no signature of this gateway's key" in (await known.verify()).problems[0]


@pytest.fixture
def replicas(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[AuditHeads, AuditHeads]:
    """Two that sign, as replicas do in turn: each reads what the other one signed."""
    monkeypatch.setattr(world.database, "is_shared", True)
    key = world.services.identity.receipt_key
    return AuditHeads(world.database, key), AuditHeads(world.database, key)


def cut_to(path: Path, number: int) -> None:
    """Removes the newest entries together with their heads."""
    with by_hand(path / "sieve.db") as database:
        database.execute("DELETE FROM audit_heads WHERE number > ?", [number])
        database.execute("DELETE FROM audit_entries WHERE number > ?", [number])


async def three_heads(world: World, replicas: tuple[AuditHeads, AuditHeads]) -> str:
    for number in range(3):
        async with world.database.write() as session:
            await world.services.audit.note(session, "anna", "labels-lowered", f"d{number}", reason="x")
        await replicas[number % 2].sign()
    assert replicas[0].current is not None
    return replicas[0].current


@pytest.mark.parametrize("left", [0, 1, 2])
async def test_a_replica_does_not_follow_back_to_a_head_before_its_own(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture, replicas: tuple[AuditHeads, AuditHeads], left: int
) -> None:
    last = await three_heads(world, replicas)
    cut_to(tmp_path, left)
    await replicas[0].sign()
    assert f"the audit log does not have its head {last} any more" in caplog.text
    assert replicas[0].current == last


async def test_a_part_that_was_begun_at_another_replica_is_followed(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture, replicas: tuple[AuditHeads, AuditHeads]
) -> None:
    """Also if its first entry has a lower number, because the other one did not know all heads that are gone."""
    await three_heads(world, replicas)
    with by_hand(tmp_path / "sieve.db") as database:
        database.execute("UPDATE audit_entries SET actor = 'adam' WHERE number = 1")
    cut_to(tmp_path, 1)
    begun = (await replicas[1].begin_part(world.services.audit, "root", (await chain(world))["head"], "restored")).head
    assert begun.number < 3
    await replicas[0].sign()
    assert replicas[0].current == replicas[1].current
    assert "the audit log does not have its head" not in caplog.text
