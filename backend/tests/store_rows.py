"""Rows to begin with; times are small numbers, so that a test reads as a story."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Document, Peer, Transfer, User, new_id
from sieve.store.open_store import Store
from sieve.store.queries import attempt_outcomes, claiming, documents, outbox, peers, people


def plain_ref() -> BlobRef:
    return BlobRef(new_id(), "plain", "owner", "document", 10)


def sealed_ref() -> BlobRef:
    return BlobRef(new_id(), "sealed", "owner", "document", 10, "0" * 16, b"wrapped")


async def a_user(session: AsyncSession, name: str = "anna") -> User:
    return await people.add(
        session, name=name, display_name=name.title(), is_author=True, is_recipient=True, cleared=True, now_ns=1
    )


async def a_peer(session: AsyncSession, name: str = "bravo", *, confirmed: bool = True) -> Peer:
    peer = await peers.add(
        session,
        name=name,
        secure_url="https://bravo:8443",
        plain_url="http://bravo:8081",
        ca_der=b"ca",
        receipt_key=bytes(32),
        pin=new_id() * 2,
        now_ns=1,
    )
    if confirmed:
        await peers.confirm(session, peer.id, 2)
    return peer


async def a_document(
    session: AsyncSession,
    owner: User,
    name: str = "memo.txt",
    now_ns: int = 1,
    refs: tuple[BlobRef, BlobRef] | None = None,
) -> Document:
    """`refs`: its plain and its sealed blob; without them, blobs that are nowhere."""
    plain, sealed = refs or (plain_ref(), sealed_ref())
    return await documents.add(
        session,
        document_id=new_id(),
        owner_id=owner.id,
        origin="authored",
        name=name,
        media_type="text/plain",
        size=20,
        classified_size=10,
        plain_digest="00" * 32,
        plain_blob=plain,
        sealed_blob=sealed,
        sieve_ns=5,
        now_ns=now_ns,
    )


async def store_document(store: Store, name: str = "memo.txt", plain: bytes = b"plain") -> tuple[BlobRef, BlobRef]:
    """A document with its two blobs, the second of which holds "secret"."""
    into = store.blobs.new_plain(owner="d", purpose="document")
    into.write_at(0, [plain])
    sealed = store.blobs.new_sealed(owner="d", purpose="document")
    sealed.write(b"secret")
    refs = into.finish(len(plain)), sealed.finish()
    store.blobs.sync_names()
    async with store.database.write() as session:
        await a_document(session, await a_user(session, f"anna-{new_id()}"), name, refs=refs)
    return refs


async def a_transfer(
    session: AsyncSession,
    document: Document,
    author: User,
    peer: Peer,
    *,
    now_ns: int = 1,
    deadline_at_ns: int = 10**9,
    redacted_size: int | None = None,
    marks_size: int | None = None,
) -> Transfer:
    (made,) = await outbox.enqueue(
        session,
        [outbox.NewTransfer(new_id(), document.id, sealed_ref(), "11" * 32, redacted_size, None, marks_size)],
        author_id=author.id,
        peer_id=peer.id,
        mode="sieve",
        recipients={"berta": "Berta", "bob": None},
        recipients_checked=True,
        deadline_at_ns=deadline_at_ns,
        now_ns=now_ns,
    )
    return made


async def claim_due(session: AsyncSession, *, now_ns: int, lease_ns: int, token: str, most: int) -> Sequence[Transfer]:
    """Those that have been due longest, claimed together."""
    found = await claiming.due(session, now_ns=now_ns, most=most)
    ids = [each.id for each in found[:most]]
    return (await claiming.claim(session, ids, now_ns=now_ns, lease_ns=lease_ns, token=token)).transfers


async def claim_next(session: AsyncSession, now_ns: int, lease_ns: int, token: str) -> Transfer | None:
    """The one that has been due longest, claimed."""
    claimed = await claim_due(session, now_ns=now_ns, lease_ns=lease_ns, token=token, most=1)
    return claimed[0] if claimed else None


async def settle(session: AsyncSession, token: str, ended: attempt_outcomes.Ended, now_ns: int) -> bool:
    """Whether one that was claimed by itself could be settled."""
    return await attempt_outcomes.record(session, token, [ended], now_ns) == {ended.transfer_id}
