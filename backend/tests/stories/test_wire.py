"""What the plain channel's eavesdropper gets, and what lies on the disks afterwards: none of what is classified.

A proxy records the plain channel; after real transfers the recording, and every file of both gateways (databases,
blobs, logs), are searched for planted secrets in every encoding that the code uses, and for what betrays their places.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

import pytest
from blake3 import blake3

from sieve.core import markup
from sieve.core.separate import separate
from stories.documents import report
from stories.pair import pair
from stories.proxies import Proxy, Recording


def encodings(secret: bytes) -> Iterator[bytes]:
    """The ways in which this code base writes bytes: raw, hexadecimal, base64 at each of its three offsets, UTF-16."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for offset in range(3):
        padded = base64.b64encode(b"\0" * offset + secret + b"\0\0\0")
        # Characters at the edges mix with their neighbours; the inside is the secret's alone.
        yield padded[4:-8]
        yield base64.urlsafe_b64encode(b"\0" * offset + secret + b"\0\0\0")[4:-8]
    yield secret.decode().encode("utf-16-le")


class Search:
    """Looks for any of many terms. They begin alike: a hay without these few beginnings is read a few times only."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        self._terms: defaultdict[bytes, list[bytes]] = defaultdict(list)
        for secret in secrets:
            for term in encodings(secret):
                self._terms[term[:6]].append(term)

    def finds_in(self, hay: bytes) -> bool:
        return any(start in hay and any(term in hay for term in terms) for start, terms in self._terms.items())


@pytest.mark.parametrize(
    "encoded",
    [
        lambda secret: secret,
        lambda secret: secret.hex().encode(),
        lambda secret: base64.b64encode(b"x" + secret + b"tail"),
        lambda secret: base64.urlsafe_b64encode(b"xy" + secret + b"tail"),
    ],
)
def test_the_search_finds_what_is_there(encoded: Callable[[bytes], bytes]) -> None:
    secret = b"PLANTED-0123456789abcdef quay"
    search = Search([secret, secret.replace(b"0", b"1")])
    assert search.finds_in(b"..." + encoded(secret) + b"...")
    assert not search.finds_in(b"..." + encoded(secret.replace(b"9", b"8")) + b"...")


ONE: dict[str, int] = {}
NOTE = "PLANTED-NOTE: the pilot boards at buoy nine."
SEVERAL = {"secure_channels": 3, "plain_channels": 2}
SEAL = re.compile(rb"seal: [0-9a-f]{32}", re.IGNORECASE)


WAYS = (("secure-only", SEVERAL), ("sieve", ONE), ("sieve", SEVERAL))


async def test_nothing_classified_on_the_plain_channel_nor_at_rest(tmp_path: Path) -> None:
    """Of a document that is sent alone, then of three that go together, whose chunks hold bytes of more than one. Each
    way on the same gateways: starting them takes longer than sending.
    """
    recording = Recording()
    alone = [report(300_000, spans=60)]
    together = [report(40_000, 7, seed=2), report(150_000, 20, seed=3), report(90_000, 9, seed=4)]
    shown = b""
    async with Proxy(recording.pump).serving() as proxy:
        async with pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both:
            proxy.upstream = both.bravo.listeners["plain"]
            for (mode, channels), exchange in product(WAYS, (alone, together)):
                sent = await both.send_all([made.marked for made in exchange], mode, note=NOTE, **channels)
                for made, (transfer_id, ended) in zip(exchange, sent, strict=True):
                    assert ended["state"] == "delivered", ended
                    assert ended["plan"]["batch"] == (len(exchange) if len(exchange) > 1 else None)
                    # The reader without clearance looks at everything that the API offers them.
                    async with both.reader as api:
                        for path in (
                            "/inbox",
                            f"/inbox/{transfer_id}",
                            f"/inbox/{transfer_id}/content?edition=redacted",
                            f"/inbox/{transfer_id}/content?edition=full",
                            f"/inbox/{transfer_id}/content?edition=marked",
                            f"/inbox/{transfer_id}/receipt",
                        ):
                            answer = await api.get(path)
                            shown += str(answer.headers).encode() + answer.content
                    # Bravo's audit log has an entry at least, its first admin, and the receipt says where it ended.
                    async with both.cleared as api:
                        receipt = await api.get(f"/inbox/{transfer_id}/receipt")
                    assert re.search(r"audit_head\W+\d+:[0-9a-f]{64}", receipt.text)
                    assert await both.download(transfer_id, "full") == made.content
                    assert await both.download(transfer_id, "marked") == made.marked
                # What goes wholly over the secure channel is sent first.
                assert mode == "sieve" or recording.everything() == b""

        wire = recording.everything()
        stored = both.everything_stored()

    logs = b"".join(hay for place, hay in stored.items() if place.endswith(".log"))
    assert logs.count(b"INFO") > 0 and not any(handle in logs for handle, _ in recording.requests())
    places = {"wire": wire, "shown to the uncleared": shown, **stored}
    plain = []
    for exchange in (alone, together):
        streams = [separate(markup.parse(made.marked)) for made in exchange]
        plain.append(b"".join(each.plain for each in streams))
        betrayers = [("the digest of all classified streams", blake3(b"".join(s.secure for s in streams)).digest())]
        for made, its in zip(exchange, streams, strict=True):
            spans = markup.parse(made.marked).spans.to_bytes()
            betrayers += [
                ("the spans", spans),
                ("a span's bounds", spans[16:32]),
                ("a classified stream's own digest", blake3(its.secure).digest()),
            ]
        search = Search(secret for made in exchange for secret in made.secrets)
        for place, hay in places.items():
            # Every recipient may read the note; nobody else, and not at rest.
            assert place.startswith("shown") or not any(term in hay for term in encodings(NOTE.encode())), place
            assert not search.finds_in(hay), f"a secret is in {place}"
            for what, value in betrayers:
                assert value not in hay and value.hex().encode() not in hay, f"{what} is in {place}"
    # The search would have found it: the plain streams are there, whole.
    carried = [b"".join(chunk for _, chunk in sorted(put.items())) for put in chunks(recording).values()]
    assert sorted(carried) == sorted(plain * sum(mode == "sieve" for mode, _ in WAYS))


def chunks(recording: Recording) -> dict[bytes, dict[tuple[int, int], bytes]]:
    """By the handle of each attempt, each chunk that was put, by its place, whichever connection it came over."""
    found: dict[bytes, dict[tuple[int, int], bytes]] = {}
    for handle, request in recording.requests():
        head, body = request.split(b"\r\n\r\n", 1)
        sub_stream, index = head.split(b" ", 2)[1].split(b"/")[2:]
        found.setdefault(handle, {})[int(sub_stream), int(index)] = body
    return found


async def test_equal_plain_streams_look_the_same_whatever_their_gaps(tmp_path: Path) -> None:
    """But for handle and seal, which are fresh in each attempt of even the same document. Alone, and between others,
    over one channel and over several.
    """
    plain = ("The harbour is open to everybody. " * 9000).encode()
    one = b"<$S>at the start<$E>" + plain + b"<$S>and at the end, much longer than the other<$E>"
    cut = [plain[i : i + 1000] for i in range(0, len(plain), 1000)]
    many = b"<$S>gap<$E>".join(cut)
    before, behind = b"<$S>first<$E>, then" * 1000, b"and last<$S>!<$E>" * 4000
    recording = Recording()
    async with (
        Proxy(recording.pump).serving() as proxy,
        pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both,
    ):
        proxy.upstream = both.bravo.listeners["plain"]
        pairs = [[one], [many]], [[before, one, behind], [before, many, behind]]
        for channels, exchanges in product((ONE, SEVERAL), pairs):
            looks = []
            for exchange in exchanges:
                earlier = {handle for handle, _ in recording.requests()}
                for _, ended in await both.send_all(exchange, "sieve", **channels):
                    assert ended["state"] == "delivered", ended
                looks.append({request for handle, request in recording.requests() if handle not in earlier})
            # Which connection brings which request is chance where there are several; so is whether one is sent again.
            masked = [{SEAL.sub(b"seal: -", each.replace(each[5:37], b"-")) for each in look} for look in looks]
            assert masked[0] == masked[1]
            assert len(masked[0]) > sum(channels.values())
            first, second = ({seal for each in look for seal in SEAL.findall(each)} for look in looks)
            assert first and second and not first & second
