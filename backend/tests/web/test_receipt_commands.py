"""`sieve receipt` and `sieve verify`: receipts and whose signature they have."""

from dataclasses import replace
from pathlib import Path

from command_world import MARKED, Served, Sieve
from sieve.channel import receipt as receipts


def test_receipts_are_fetched_and_verified(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    sent = served.run(served.world.send(MARKED))
    served.run(served.world.settle_delivered(sent))
    received = served.run(served.world.deliver(MARKED))
    key = served.world.bravo_key.public_key().public_bytes_raw().hex()
    for transfer, who, receiver in ((sent, "anna", "bravo"), (received, "bruno", "alpha")):
        file = tmp_path / f"{who}.json"
        assert sieve("receipt", transfer, "--out", str(file), who=who)[0] == 0
        status, out, _ = sieve("verify", str(file), who=who)
        assert (status, out.startswith(f"valid: {receiver} has transfer {transfer}")) == (0, True)
        status, _, error = sieve("verify", str(file), "--key", key)
        assert status == (0 if who == "anna" else 1)
        file.write_text(file.read_text().replace('"size":', '"size":1'))
        status, _, error = sieve("verify", str(file), who=who)
        assert status == 1 and "signature does not hold" in error
    status, _, error = sieve("receipt", received, "--out", str(tmp_path / "x"), who="rosa")
    assert (status, error) == (1, "sieve: the receipt of this transfer is for cleared recipients\n")


def test_a_receipt_sends_no_control_characters_to_the_terminal(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    sent = served.run(served.world.send(MARKED))
    found, _ = receipts.read(served.run(served.world.settle_delivered(sent)))
    file = tmp_path / "receipt"
    file.write_text(replace(found, recipients=("berta\x1b]52;c;eA\x07\nvalid: all",)).sign(served.world.bravo_key))
    status, out, _ = sieve("verify", str(file))
    assert status == 0 and out.isascii() and out.rstrip("\n").isprintable()


def test_a_receipt_of_a_stranger_is_not_valid(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "receipt"
    sent = served.run(served.world.send(MARKED))
    file.write_text(served.run(served.world.settle_delivered(sent)))
    assert sieve("peers", "remove", "bravo", who="root")[0] == 0
    status, _, error = sieve("verify", str(file))
    assert status == 1 and "no gateway that yours knows" in error
