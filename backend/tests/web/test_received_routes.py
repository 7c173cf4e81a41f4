"""Received documents, for admins: names, totals and states, never content."""

from sieve.channel.held_ranges import Held
from sieve.core import markup
from sieve.gateway.inbound.partials import KEPT_NS, Kept
from sieve.gateway.telemetry import timing_record
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarks
from sieve.gateway.telemetry.timing_record import ReceivedDocument
from sieve.store.queries import timing_records
from web_world import World, manifest_of

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E>. Weather: fair."
SIZES = {"document_bytes": 46, "classified_bytes": 19, "plain_bytes": 27}


async def record_of(world: World, transfer_id: str, peer_id: str, stored_ns: int) -> None:
    document = ReceivedDocument(transfer_id, 1, peer_id, "sieve", 46, 19, 1, 1, "TLS_AES_256_GCM_SHA384", "x25519", 1)
    marks = TimingMarks(taken=[TimingMark("announced", "", 0)])
    async with world.database.write() as session:
        await timing_records.add_all(session, [timing_record.of_received(document, marks, 5, stored_ns)])


async def test_an_admin_sees_what_arrived_for_whom_and_whether_it_was_opened(world: World) -> None:
    transfer_id = await world.deliver(MARKED, name="Harbour plan.md")
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    await record_of(world, transfer_id, bravo.id, 7_500_000)
    # Another peer's transfer may have the same id.
    await record_of(world, transfer_id, "another", 1)
    async with world.client("bruno") as api:
        [entry] = (await api.get("/inbox")).json()["items"]
        await api.get(f"/inbox/{entry['id']}/content")
        await api.patch(f"/inbox/{entry['id']}", json={"read": True})
    async with world.client("rosa") as api:
        [entry] = (await api.get("/inbox")).json()["items"]
        await api.delete(f"/inbox/{entry['id']}")

    async with world.client("root") as api:
        answer = await api.get("/received")
    [shown] = answer.json()["items"]
    assert shown | SIZES == shown
    assert (shown["name"], shown["peer"], shown["sender"]) == ("Harbour plan.md", "bravo", "Berta at bravo")
    assert (shown["transfer_id"], shown["stored_ms"], shown["mode"]) == (transfer_id, 7.5, "sieve")
    assert (shown["cipher"], shown["key_exchange"]) == ("TLS_AES_256_GCM_SHA384", "x25519")
    assert shown["received_at"] == "2023-11-14T22:13:20Z" and shown["document_deleted_at"] is None
    bruno, rosa = shown["recipients"]
    assert (bruno["name"], bruno["opened_at"] is not None, bruno["deleted"]) == ("bruno", True, False)
    assert (rosa["name"], rosa["opened_at"], rosa["deleted"]) == ("rosa", None, True)
    assert "Heron" not in answer.text and "Weather" not in answer.text


async def test_received_documents_are_filtered_sorted_paged_and_counted(world: World) -> None:
    for name, to, text in (("b.md", ["bruno"], MARKED), ("A.md", ["rosa"], MARKED * 2), ("c.md", ["bruno"], MARKED)):
        await world.deliver(text, to, name=name)
    async with world.client("root") as api:

        async def names(**params: str | int | bool) -> list[str]:
            found: list[str] = []
            after: dict[str, str] = {}
            while True:
                answer = (await api.get("/received", params={**params, **after})).json()
                found += [each["name"] for each in answer["items"]]
                if answer["next"] is None:
                    return found
                after = {"after": answer["next"]}

        async def counted(**params: str) -> tuple[int, int]:
            answer = (await api.get("/received/counts", params=params)).json()
            return answer["documents"], answer["bytes"]

        assert sorted(await names(limit=1)) == ["A.md", "b.md", "c.md"]
        assert await names(limit=1, sort="name", descending=False) == ["A.md", "b.md", "c.md"]
        assert (await names(sort="size"))[0] == "A.md"
        assert await names(recipient="Rosa") == ["A.md"]
        assert await names(search="B.M") == ["b.md"]
        assert len(await names(search="berta", peer="bravo", since="2023-11-14T22:13:20Z")) == 3
        assert await names(peer="charlie") == await names(recipient="nobody") == []
        assert await names(since="2023-11-14T22:13:21Z") == []
        assert (await counted(), await counted(recipient="bruno")) == ((3, 184), (2, 92))
        [one, *_] = (await api.get("/received")).json()["items"]
        assert await names(transfer=one["transfer_id"]) == [one["name"]]
        assert await names(transfer=one["transfer_id"], peer="charlie") == await names(transfer="none") == []
        # The cursor is the folded name; a peer may choose one that folds to 33 times as many bytes.
        await world.deliver(MARKED, name="\ufdfa" * 300)
        assert len(await names(limit=1, sort="name")) == 4


async def test_a_document_of_which_a_part_arrived_is_incomplete(world: World) -> None:
    partials = world.services.partials
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    manifest = manifest_of(markup.parse(MARKED), recipients=("bruno",))
    blob = world.services.blobs.new_plain(owner=manifest.transfer_id, purpose="document")
    kept = Kept(blob.begun(7), None, None, Held(((0, 5),), ((0, 7),)))
    now_ns = partials.clock.now_ns()
    await partials.keep((bravo.id, manifest.transfer_id), manifest, kept, "handle")
    async with world.client("root") as api:
        [shown] = (await api.get("/received/incomplete")).json()
    assert (shown["transfer_id"], shown["peer"]) == (manifest.transfer_id, "bravo")
    assert (shown["bytes"], shown["held_bytes"], shown["arriving"]) == (46, 12, False)
    [incoming] = partials.all()
    assert incoming.partial.until_ns == min(manifest.deadline_at_ns, incoming.partial.touched_at_ns + KEPT_NS)
    assert incoming.partial.touched_at_ns >= now_ns
