"""`sieve recipients`, `sieve groups`, and `sieve send` to several gateways, this one among them."""

import json
from pathlib import Path

import pytest

from command_world import Served, Sieve
from fake_parts import FakeLink
from sieve.gateway.peering.links import RemoteRecipient


@pytest.fixture
def own(served: Served) -> FakeLink:
    """The gateway alpha as its own peer, with Bruno."""
    world = served.world

    async def store() -> None:
        async with world.database.write() as session:
            await world.services.peers.store_own(session, "https://127.0.0.1:2")
        await world.services.peers.load()

    served.run(store())
    link = world.links.others["alpha"] = FakeLink([RemoteRecipient("bruno", "Bruno", True)])
    return link


def test_recipients_are_listed_the_own_gateway_first(served: Served, sieve: Sieve, own: FakeLink) -> None:
    rows = [
        "alpha\tbruno\tBruno\t\tcleared",
        "bravo\tberta\tBerta\tHarbour office\tcleared",
        "bravo\tbob\tBob\t\tnot cleared",
    ]
    assert sieve("recipients") == (0, "\n".join(rows) + "\n", "")
    assert sieve("recipients", "--peer", "alpha") == (0, rows[0] + "\n", "")
    served.world.links.link.reachable = False
    status, out, error = sieve("recipients", "--json")
    assert status == 0 and {each["gateway"] for each in json.loads(out)} == {"alpha", "bravo"}
    assert error.startswith("bravo does not answer. Its list is from ")


def test_a_group_is_made_changed_and_deleted(sieve: Sieve) -> None:
    assert sieve("groups", "create", "us", "alpha/Bruno", "bravo/berta") == (0, "alpha/bruno\nbravo/berta\n", "")
    assert sieve("groups", "add", "us", "bravo/bob", "bravo/berta")[1] == "alpha/bruno\nbravo/berta\nbravo/bob\n"
    assert sieve("groups", "remove", "us", "bravo/berta")[1] == "alpha/bruno\nbravo/bob\n"
    assert sieve("groups", "show", "us")[1] == "alpha/bruno\nbravo/bob\n"
    assert sieve("groups", "list")[1] == "us\talpha/bruno, bravo/bob\n"
    assert json.loads(sieve("groups", "show", "us", "--json")[1])["members"][0] == {"peer": "alpha", "name": "bruno"}
    for arguments, sentence in (
        (("add", "us", "bob"), "'bob' names no gateway or no login; write GATEWAY/LOGIN, such as bravo/bob"),
        (("add", "them", "bravo/bob"), "you have no group named 'them'"),
        (("remove", "us", "bravo/zoe"), "bravo/zoe is not in the group 'us'"),
        (("remove", "us", "alpha/bruno", "bravo/bob"), "delete it with `sieve groups delete`"),
    ):
        status, out, error = sieve("groups", *arguments)
        assert (status, out, sentence in error, error.count("\n")) == (2, "", True, 1), error
    assert sieve("groups", "delete", "us") == (0, "", "")
    assert sieve("groups", "list", "--json")[1] == "[]\n"


def test_one_send_goes_to_several_gateways_or_to_none(
    served: Served, sieve: Sieve, own: FakeLink, tmp_path: Path
) -> None:
    memo = tmp_path / "memo.md"
    memo.write_bytes(b"open <$S>secret<$E>")
    assert sieve("groups", "create", "us", "alpha/bruno", "bravo/bob")[0] == 0
    for arguments, sentence in (
        ((), "name a recipient with --to, or a group with --group"),
        (("--to", "berta"), "write GATEWAY/LOGIN"),
        (("--to", "alpha/zoe", "--to", "bravo/berta"), "nobody named zoe can receive at alpha"),
        (("--group", "us", "--split", "es", "--mode", "sieve"), "--split es is for one gateway"),
    ):
        status, _, error = sieve("send", str(memo), *arguments)
        assert (status, sentence in error) == (2, True), error
    assert sieve("sent", "--json")[1] == "[]\n"
    send = ("send", str(memo), "--peer", "bravo", "--to", "berta", "--group", "us", "--mode", "sieve", "--no-wait")
    status, out, error = sieve(*send, "--json")
    assert (status, error) == (0, "")
    sent = json.loads(out)["transfers"]
    assert [(each["peer"], each["mode"]) for each in sent] == [("bravo", "sieve"), ("alpha", "secure-only")]
    assert [each["recipients"] for each in json.loads(sieve("sent", "--json")[1])] == [["bruno"], ["berta", "bob"]]
    assert "memo.md to alpha: transfer " in sieve(*send)[1]
