"""Searches of long lists for a part of a name.

A page of a common word is found among the latest rows, by reading their names. For a rare word the index of parts of
names (`store.name_index`) says which rows have it, and these few are sorted. More names are read only for a word that
many rows have, but no late ones; for one of fewer than three letters; without the index; and of a person's list, if the
index would look at too many rows of other people. Then a page ends after some thousand rows, full or not, and the next
one reads on.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Select, TextClause, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, Session

from sieve.store import postgres_name_index, sqlite_name_index
from sieve.store.case_folding import folded
from sieve.store.dialect import texts_of
from sieve.store.name_index import SHORTEST
from sieve.store.queries.sorting import After, Found, SizeUpToMost, SortedBy, has_more_rows, size_of_all

LATEST: Final = 2_000
"""Rows whose names are read before the index is asked."""
READ_AT_ONCE: Final = 5_000
"""Rows whose names a page reads if the index does not help: some 30 ms, of an inbox 60 ms."""
MOST: Final = 4_000
"""Rows that the index may find, and rows of everybody that it may look at for a person's. A word that more rows have is
common, and the list is read instead."""
MOST_SORTED: Final = 10_000
"""The same for a list that is sorted for each page: without the index, all of it is read."""
TOO_MANY: Final = 10
"""PostgreSQL's index finds all names with the word, 10,000 in 5 ms, before it says that they are more than the most. So
it is not asked if the server takes them for so many times more. It knows 100 names of each table."""

Ids: TypeAlias = Sequence[str]
Matching: TypeAlias = Callable[[Ids | None, After | None], Awaitable[Select[Any]]]
"""Selects, in the list's order, the ids of all rows after that one that its filter finds; or of those of these ids,
which are the rows with the word."""

# The first column of each is the id. SQLite reads the tables in the written order, PostgreSQL the names first. A NULL
# says that the index would look at more than it may; SQLite counts them before.
_IN_SQLITE: Final = {
    "sent": """
SELECT transfer_id FROM transfer_names WHERE transfer_names MATCH :part LIMIT :most""",
    "sent by": """
SELECT transfer_id FROM transfer_names WHERE transfer_names MATCH :part AND author_id = :person LIMIT :most""",
    "received": """
SELECT received_id FROM received_names WHERE received_names MATCH :part LIMIT :most""",
    "inbox": """
SELECT inbox.id FROM received_names
CROSS JOIN inbox ON inbox.user_id = :person AND inbox.received_id = received_names.received_id
WHERE received_names MATCH :part
UNION ALL SELECT inbox.id FROM peers CROSS JOIN received ON received.peer_id = peers.id
CROSS JOIN inbox ON inbox.user_id = :person AND inbox.received_id = received.id
WHERE instr(sieve_folded(peers.name), :folded) > 0 LIMIT :most""",
}
_SEEN_IN_SQLITE: Final = {
    "sent by": text(
        "SELECT count(*) FROM (SELECT 1 FROM transfer_names WHERE transfer_names MATCH :part LIMIT :most) AS seen"
    ),
    "inbox": text("""
SELECT count(*) FROM (SELECT 1 FROM received_names WHERE received_names MATCH :part
UNION ALL SELECT 1 FROM peers CROSS JOIN received ON received.peer_id = peers.id
WHERE instr(sieve_folded(peers.name), :folded) > 0 LIMIT :most) AS seen"""),
}
_IN_POSTGRESQL: Final = {
    "sent": """
WITH named AS MATERIALIZED (SELECT id FROM documents WHERE sieve_folded(name) LIKE :part LIMIT :most)
SELECT NULL WHERE :most <= (SELECT count(*) FROM named)
UNION ALL SELECT transfers.id FROM named JOIN transfers ON transfers.document_id = named.id LIMIT :most""",
    "sent by": """
WITH named AS MATERIALIZED (
    SELECT id FROM documents WHERE sieve_folded(name) LIKE :part AND owner_id = :person LIMIT :most
)
SELECT NULL WHERE :most <= (SELECT count(*) FROM named)
UNION ALL SELECT transfers.id FROM named
JOIN transfers ON transfers.document_id = named.id AND transfers.author_id = :person LIMIT :most""",
    "received": """
WITH named AS MATERIALIZED (SELECT id FROM documents WHERE sieve_folded(name) LIKE :part LIMIT :most),
sent_so AS MATERIALIZED (SELECT id FROM received WHERE sieve_folded(sender_name) LIKE :part LIMIT :most)
SELECT NULL WHERE :most <= greatest((SELECT count(*) FROM named), (SELECT count(*) FROM sent_so))
UNION ALL SELECT received.id FROM named JOIN received ON received.document_id = named.id
UNION ALL SELECT id FROM sent_so LIMIT :most""",
    "inbox": """
WITH named AS MATERIALIZED (SELECT id FROM documents WHERE sieve_folded(name) LIKE :part LIMIT :most),
sent_so AS MATERIALIZED (SELECT id FROM received WHERE sieve_folded(sender_name) LIKE :part LIMIT :most),
of_peers AS MATERIALIZED (
    SELECT received.id FROM peers JOIN received ON received.peer_id = peers.id
    WHERE sieve_folded(peers.name) LIKE :part LIMIT :most
)
SELECT NULL WHERE :most <= greatest(
    (SELECT count(*) FROM named), (SELECT count(*) FROM sent_so), (SELECT count(*) FROM of_peers)
)
UNION ALL SELECT inbox.id FROM named JOIN received ON received.document_id = named.id
JOIN inbox ON inbox.user_id = :person AND inbox.received_id = received.id
UNION ALL SELECT inbox.id FROM sent_so JOIN inbox ON inbox.user_id = :person AND inbox.received_id = sent_so.id
UNION ALL SELECT inbox.id FROM of_peers JOIN inbox ON inbox.user_id = :person AND inbox.received_id = of_peers.id
LIMIT :most""",
}
_OF_DOCUMENTS: Final = ("ix_documents_name_parts",)
_OF_SENDERS_TOO: Final = (*_OF_DOCUMENTS, "ix_received_sender_name_parts")
_INDEXES_IN_POSTGRESQL: Final = {
    "sent": _OF_DOCUMENTS,
    "sent by": _OF_DOCUMENTS,
    "received": _OF_SENDERS_TOO,
    "inbox": _OF_SENDERS_TOO,
}
"""What these statements read."""


def is_among(column: InstrumentedAttribute[str], ids: Ids) -> ColumnElement[bool]:
    """Whether the column has one of these ids."""
    return column.bool_op("IN")(texts_of(json.dumps(ids)))


def usable(found: Ids | None, most: int | None = None) -> Ids | None:
    """What the index found, unless it has no answer, or one of more than `most` (`MOST` by default)."""
    return None if found is None or len(found) > (MOST if most is None else most) else found


class Searched:
    """A list that is searched for a `part` of names. `which`: whose names, a key of the statements above. `person`: of
    the list, if it is a person's. `keys`: selects what the list is sorted by in time, and the ids, of the whole list
    without a filter."""

    def __init__(
        self,
        session: AsyncSession,
        which: str,
        part: str,
        person: str | None,
        keys: Select[Any],
        matching: Matching,
    ) -> None:
        self._session, self._which, self._part, self._person = session, which, folded(part), person
        self._keys, self._matching = keys, matching

    async def first(self, limit: int, after: After | None) -> Ids:
        """The first `limit` ids of a list that is sorted for each page."""
        among = usable(await self.indexed(MOST_SORTED), MOST_SORTED)
        return await self._scalars((await self._matching(among, after)).limit(limit))

    async def first_in_order(self, limit: int, order: SortedBy, after: After | None) -> Found[str]:
        """The first `limit` ids of a list that an index has in its order, which is in time; fewer if the page ends
        before, because it reads no more than `READ_AT_ONCE` names."""
        if len(self._part) < SHORTEST:
            return await self._read(READ_AT_ONCE, limit, order, after)
        latest = await self._read(LATEST, limit, order, after)
        if latest.read_to is None:
            return latest
        among = usable(await self.indexed())
        if among is not None:
            return Found(await self._scalars((await self._matching(among, after)).limit(limit)))
        others = await self._read(READ_AT_ONCE - LATEST, limit - len(latest.rows), order, latest.read_to)
        return Found([*latest.rows, *others.rows], others.read_to)

    async def _read(self, number: int, limit: int, order: SortedBy, after: After | None) -> Found[str]:
        """The first `limit` ids among that many rows after `after`."""
        matching, last = await self._matching(None, after), await self._row(number, order, after)
        found = await self._scalars((matching if last is None else order.up_to(matching, last)).limit(limit))
        return Found(found, None if len(found) == limit else last)

    async def size(
        self,
        filtered: Callable[[Ids | None], Awaitable[Select[Any]]],
        order: SortedBy,
        document_id: InstrumentedAttribute[str],
    ) -> SizeUpToMost:
        """The size of the list. `filtered`: selects the ids of its rows. `document_id`: their document's."""
        among = usable(await self.indexed())
        rows = await filtered(among)
        part = await self.first_part(rows, order) if among is None else None
        if part is None:
            return await size_of_all(self._session, rows, document_id)
        found = await self._session.scalar(select(func.count()).select_from(part.subquery()))
        return SizeUpToMost(found or 0, None, more=True)

    async def first_part(self, wanted: Select[Any], order: SortedBy) -> Select[Any] | None:
        """`wanted` of the first `READ_AT_ONCE` rows; None if the list has no more than these."""
        last = await self._row(READ_AT_ONCE, order, None)
        return None if last is None else order.up_to(wanted, last)

    async def indexed(self, most: int | None = None) -> Ids | None:
        """The ids of all rows with that part, without another filter, or of some, if they are more than `most` (`MOST`
        by default). None if the index does not say, or is not worth asking. One that has the part in two names may be
        there twice.
        """
        most = MOST if most is None else most
        if len(self._part) < SHORTEST or (self._person is not None and await self._is_short()):
            return None
        statement, part = await self._session.run_sync(self._asked, most)
        if statement is None:
            return None
        given = {"part": part, "folded": self._part, "person": self._person, "most": most + 1}
        found = (await self._session.scalars(statement, given)).all()
        return None if None in found else found

    async def _is_short(self) -> bool:
        """Whether the list has fewer rows than are read before the index is asked."""
        return not await has_more_rows(self._session, self._keys, LATEST - 1)

    async def _row(self, number: int, order: SortedBy, after: After | None) -> After | None:
        """The place of that row of the list after `after`, counted from 1; None if there are fewer."""
        in_order = order.apply(self._keys, after).offset(number - 1).limit(1)
        found = (await self._session.execute(in_order)).first()
        return None if found is None else After(*found)

    def _asked(self, session: Session, most: int) -> tuple[TextClause | None, str]:
        """The statement, and the part as it has it; None if there is no index, or it is not worth asking."""
        connection = session.connection()
        if connection.dialect.name == "sqlite":
            # FTS5 reads what it looks for up to a NUL, and no name has one.
            there = "\0" not in self._part and sqlite_name_index.is_there(connection)
            quoted = '"' + self._part.replace('"', '""') + '"'
            if there and self._person is not None:
                given = {"part": quoted, "folded": self._part, "most": most + 1}
                there = (connection.scalar(_SEEN_IN_SQLITE[self._which], given) or 0) <= most
            return text(_IN_SQLITE[self._which]) if there else None, quoted
        escaped = self._part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        like = f"%{escaped}%"
        there = postgres_name_index.is_there(connection) and all(
            postgres_name_index.estimated(connection, index, like) <= TOO_MANY * most
            for index in _INDEXES_IN_POSTGRESQL[self._which]
        )
        return text(_IN_POSTGRESQL[self._which]) if there else None, like

    async def _scalars(self, wanted: Any) -> Ids:
        return (await self._session.scalars(wanted)).all()
