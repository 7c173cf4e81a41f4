"""`sieve versions`: lists the versions of a document, prints one and brings one back."""

import json

import pytest

from command_world import Served, Sieve
from web.draft_calls import create, save, send


@pytest.fixture
def draft(served: Served) -> str:
    """A document with two versions, of which the first was sent."""
    made = served.run(create(served.world, b"Berth <$S>3<$E>", name="memo.md"))
    served.run(send(served.world, made["document_id"]))
    assert served.run(save(served.world, made["id"], 1, b"Berth <$S>4<$E>")).status_code == 200
    return str(made["id"])


def test_versions_are_listed_shown_and_brought_back(sieve: Sieve, draft: str) -> None:
    status, out, error = sieve("versions", "memo.md")
    assert (status, error) == (0, "")
    latest, first = (line.split("\t") for line in out.splitlines())
    assert (latest[0], latest[4], first[0], first[4]) == ("2", "", "1", "sent to bravo")
    assert sieve("versions", draft[:8], "--show", "1") == (0, "Berth <$S>3<$E>", "")
    status, out, error = sieve("versions", draft, "--restore", "1")
    assert (status, out, error) == (0, "memo.md is again as in version 1. This is version 3.\n", "")
    status, out, _ = sieve("versions", "memo.md", "--json")
    assert [each["revision"] for each in json.loads(out)["versions"]] == [3, 2, 1]
    status, _, error = sieve("versions", "memo.md", "--show", "9")
    assert status == 2 and "version 9 of memo.md is not kept" in error
