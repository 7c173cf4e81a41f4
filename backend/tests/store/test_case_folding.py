"""Searching a name: in any case, however its letters are written, and with no character that means more than itself."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.case_folding import contains
from sieve.store.models import Document
from store_rows import a_document, a_user


@pytest.mark.parametrize(
    ("name", "part", "found"),
    [
        ("Übersicht 2026.md", "übersicht", True),
        ("übersicht.md", "ÜBERS", True),
        ("e\u0301tude.txt", "ÉTUDE", True),
        ("Straße.txt", "STRASSE", True),
        ("Δελτίο.txt", "δελτίο", True),
        ("100%.txt", "0%.", True),
        ("memo.txt", "%", False),
        ("memo.txt", "_", False),
        ("memo.txt", "me_o", False),
        ("memo.txt", "memo.txt.bak", False),
        ("it's.txt", "'", True),
    ],
)
async def test_what_is_found(session: AsyncSession, name: str, part: str, found: bool) -> None:
    document = await a_document(session, await a_user(session), name)
    wanted = select(Document).where(contains(Document.name, part))
    assert (await session.scalars(wanted)).all() == ([document] if found else [])
