"""`sieve peers`: pairing from the command line."""

from pathlib import Path

from command_world import Served, Sieve
from sieve.gateway.peering.invitation import Invitation


def test_pairing(served: Served, sieve: Sieve, ours: Invitation, identities: Path, tmp_path: Path) -> None:
    from pki import invitation_of, new_identity
    from sieve.gateway.peering.invitation import comparison_codes

    charlie = invitation_of(new_identity(identities, "charlie"), "charlie")
    assert sieve("peers", "invitation", who="root")[1] == ours.to_text() + "\n"
    file = tmp_path / "invitation"
    file.write_text(charlie.to_text() + "\n")
    status, code, _ = sieve("peers", "add", str(file), who="root")
    assert status == 0
    assert sieve("peers", "confirm", "charlie", "AAAAA", who="root")[0] == 1
    codes = comparison_codes(ours, charlie)
    assert code == codes.ours + "\n" == sieve("peers", "code", "charlie", who="root")[1]
    assert sieve("peers", "confirm", "charlie", codes.theirs, who="root")[0] == 0
    assert "charlie\tactive\t" in sieve("peers", "list", who="root")[1]
    assert float(sieve("peers", "test", "charlie", who="root")[1]) >= 0
    assert sieve("peers", "remove", "charlie", who="root")[0] == 0
