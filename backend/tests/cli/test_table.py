"""Tables on a terminal."""

from sieve.cli.table import visible


def test_what_others_say_moves_no_cursor() -> None:
    assert visible("no\r\n\x1b[2Jreason\u202e") == "no   [2Jreason "
