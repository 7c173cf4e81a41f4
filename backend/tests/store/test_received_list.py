"""Received documents as a list: what a filter finds, page by page."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from examples import examples
from sieve.store.models import Received
from sieve.store.queries import inbox, name_search, received_list
from sieve.store.queries.received_list import Order, ReceivedFilter, place
from sieve.store.queries.sorting import After
from store.test_inbox import delivery
from store.test_name_search import undone
from store_rows import a_peer, a_user

PEOPLE = ("bob", "carol", "dora")


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    received=st.lists(
        st.tuples(st.sampled_from(["memo", "Memo plan", "other"]), st.sets(st.sampled_from(PEOPLE), min_size=1)),
        min_size=1,
        max_size=7,
    ),
    few=st.integers(0, 4),
    search=st.sampled_from(["", "memo"]),
    order=st.builds(Order, st.sampled_from(["time", "size"]), st.booleans()),
)
def test_what_a_person_received_is_found_however_many_they_are(
    migrated: Path,
    tmp_path: Path,
    received: Sequence[tuple[str, set[str]]],
    few: int,
    search: str,
    order: Order,
) -> None:
    """Each document once, in order. Nobody is called eve."""
    path = tmp_path / "sieve.db"
    if not path.exists():
        shutil.copyfile(migrated, path)

    async def compare(session: AsyncSession) -> None:
        peer = await a_peer(session)
        for name in PEOPLE:
            await a_user(session, name)
        for at_ns, (name, people) in enumerate(received):
            one = delivery(f"{at_ns:032x}", name=name, size=100 - at_ns // 2, recipients=sorted(people))
            await inbox.deliver(session, peer.id, [one], at_ns // 2)
        ids = {int(sent, 16): own for sent, own in await session.execute(select(Received.transfer_id, Received.id))}
        for recipient in (*PEOPLE, "eve"):
            which = ReceivedFilter(recipient=recipient, search=search or None)
            expected = [
                ((number // 2 if order.sort == "time" else 100 - number // 2), ids[number])
                for number, (name, people) in enumerate(received)
                if recipient in people and search in name.lower()
            ]
            found: list[str] = []
            after: After | None = None
            while rows := (await received_list.page(session, which, order, after=after, limit=2)).rows:
                found += [row.id for row in rows]
                after = place(rows[-1], order)
            assert found == [own for _, own in sorted(expected, reverse=order.descending)]
            assert (await received_list.count(session, which)).rows == len(expected)

    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(name_search, "MOST", few)
        asyncio.run(undone(path, compare))
