"""What an observer of the secure channel counts: the lengths of TLS records, over real sockets between two gateways.

Documents that differ in how much of them is classified, in how many places and where, look the same, as long as opening
and classified stream are of one Padmé class. `tests/channel/test_padding.py` says the same of every size and plan.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from stories.pair import pair
from stories.proxies import Proxy, Recording

PLAIN = "The harbour is open to everybody. " * 3000
# Of the requests that an exchange makes, those that carry something; how often the sender asks what is held is chance.
LEAST = 400
SEVERAL = {"secure_channels": 3, "plain_channels": 2}


def document(classified: int, spans: int, edge: int = 1) -> bytes:
    """Marked text: the same plain text, and so many classified bytes in so many places, from `edge` on."""
    bounds = [classified * part // spans for part in range(spans + 1)]
    parts = ["s" * (end - start) for start, end in pairwise(bounds)]
    places = [PLAIN[at * edge : (at + 1) * edge] for at in range(spans)]
    marked = "".join(f"{plain}<$S>{part}<$E>" for plain, part in zip(places, parts, strict=True))
    return (marked + PLAIN[spans * edge :]).encode()


def records(pieces: Sequence[bytes], start: int) -> Iterator[int]:
    """The lengths of the TLS records from byte `start` on."""
    data = b"".join(pieces)[start:]
    while data:
        length = int.from_bytes(data[3:5], "big")
        yield length
        data = data[5 + length :]


async def looks(
    folder: Path, settings: dict[str, str], exchanges: Sequence[tuple[list[bytes], str, dict[str, int]]]
) -> list[list[list[int]]]:
    """The records of each exchange, by connection."""
    recording, found = Recording(), []
    async with Proxy(recording.pump).serving() as proxy:
        bravo = {"SIEVE_SECURE_URL": f"https://{proxy.address}"}
        async with pair(folder, alpha_settings=settings, bravo_settings=bravo) as both:
            proxy.upstream = both.bravo.listeners["secure"]
            # Every connection is made, and everything asked that is asked once.
            for number in range(2):
                await both.send(f"<$S>first<$E>, then {number}".encode() * 1000, "sieve", **SEVERAL)
            for marked, mode, channels in exchanges:
                before = [sum(map(len, pieces)) for pieces in recording.sent]
                for _, ended in await both.send_all(marked, mode, **channels):
                    assert ended["state"] == "delivered", ended
                before += [0] * (len(recording.sent) - len(before))
                each = [[*records(pieces, at)] for pieces, at in zip(recording.sent, before, strict=True)]
                kept = [[length for length in lengths if length >= LEAST] for lengths in each]
                found.append(sorted(lengths for lengths in kept if lengths))
    return found


# Opening and stream have about 101,300 bytes: in the middle of a class, which is 2 KiB wide. A span takes 16 bytes.
ONE = document(100_300, 1)
MANY = document(100_300 - 16 * 199 + 500, 200, 17)
# Over several channels, the openings must be of one class, too: these have one span each, elsewhere.
FIRST = document(99_000, 1)
ELSEWHERE = document(99_500, 1, 90_000)
LARGER = document(110_000, 1)


async def test_documents_of_one_class_give_the_same_records(tmp_path: Path) -> None:
    beside = [document(5000, 3), document(70_000, 40)]
    kinds: list[tuple[str, dict[str, int], tuple[bytes, bytes]]] = [
        ("sieve", {}, (ONE, MANY)),
        ("secure-only", {}, (ONE, MANY)),
        ("sieve", SEVERAL, (FIRST, ELSEWHERE)),
        ("secure-only", SEVERAL, (FIRST, ELSEWHERE)),
    ]
    exchanges = [([each], mode, channels) for mode, channels, twins in kinds for each in (*twins, LARGER)]
    exchanges += [([beside[0], each, beside[1]], "sieve", {}) for each in (ONE, MANY, LARGER)]
    found = await looks(tmp_path, {}, exchanges)
    for at in range(0, len(found), 3):
        one, other, larger = found[at : at + 3]
        assert one == other, exchanges[at][1:]
        assert one != larger, "a recording that sees nothing would find everything the same"
        assert len(one) == exchanges[at][2].get("secure_channels", 1)


async def test_without_padding_they_reveal_everything(tmp_path: Path) -> None:
    """Why there is padding; and that it can be switched off."""
    one, other = await looks(
        tmp_path, {"SIEVE_PADDING": "false"}, [([each], "sieve", {}) for each in (FIRST, ELSEWHERE)]
    )
    assert sum(map(sum, other)) - sum(map(sum, one)) == 500
