"""What the plain channel's eavesdropper gets, and what lies on the disks afterwards: none of what is classified.

A recording proxy stands on the plain channel; after real transfers it, and every file of both gateways (databases,
blobs, logs), are searched for planted secrets in every encoding that the code uses, and for what betrays their places.
"""

import base64
import re
from collections.abc import Iterator
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


def test_the_search_finds_what_is_there() -> None:
    secret = b"PLANTED-0123456789abcdef quay"
    hay = b"..." + base64.b64encode(b"xy" + secret + b"tail") + b"..."
    assert any(needle in hay for needle in encodings(secret))


ONE: dict[str, int] = {}
SEVERAL = {"secure_channels": 3, "plain_channels": 2}


@pytest.mark.parametrize(("mode", "channels"), [("sieve", ONE), ("sieve", SEVERAL), ("secure-only", SEVERAL)])
async def test_nothing_classified_on_the_plain_channel_nor_at_rest(
    tmp_path: Path, mode: str, channels: dict[str, int]
) -> None:
    recording = Recording()
    async with Proxy(recording.pump).serving() as proxy:
        async with pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both:
            proxy.upstream = both.bravo.listeners["plain"]
            made = report(300_000, spans=60)
            transfer_id, ended = await both.send(made.marked, mode, **channels)
            assert ended["state"] == "delivered", ended
            # The reader without clearance looks at everything that the API offers them.
            shown = b""
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

        wire = recording.everything()
        stored = both.everything_stored()

    document = markup.parse(made.marked)
    streams = separate(document)
    betrayers = {
        "the spans": document.spans.to_bytes(),
        "a span's bounds": document.spans.to_bytes()[16:32],
        "the classified stream's own digest": blake3(streams.secure).digest(),
    }
    places = {"wire": wire, "shown to the uncleared": shown, **stored}
    for place, hay in places.items():
        for secret in made.secrets:
            assert not any(needle in hay for needle in encodings(secret)), f"a secret stands in {place}"
        for what, value in betrayers.items():
            assert value not in hay and value.hex().encode() not in hay, f"{what} stands in {place}"
    if mode == "sieve":
        # The search would have found it: the plain stream is there, whole.
        assert b"".join(chunk for _, chunk in sorted(chunks(recording.requests()))) == streams.plain
    else:
        assert wire == b""


def chunks(requests: bytes) -> list[tuple[tuple[int, int], bytes]]:
    """Each chunk that was put, by its place, whichever connection it came over."""
    _, *found = re.split(rb"PUT /[0-9a-f]{32}/(\d+)/(\d+) HTTP/1.1\r\n(?:[^\r\n]+\r\n)*\r\n", requests)
    return [((int(a), int(b)), body) for a, b, body in zip(found[::3], found[1::3], found[2::3], strict=True)]


@pytest.mark.parametrize("channels", [ONE, SEVERAL], ids=["1+1", "3+2"])
async def test_equal_plain_streams_look_the_same_whatever_their_gaps(tmp_path: Path, channels: dict[str, int]) -> None:
    """But for handle and seal, which are fresh in each attempt of even the same document."""
    plain = ("The harbour is open to everybody. " * 9000).encode()
    one = b"<$S>at the start<$E>" + plain + b"<$S>and at the end, much longer than the other<$E>"
    cut = [plain[i : i + 1000] for i in range(0, len(plain), 1000)]
    many = b"<$S>gap<$E>".join(cut)
    looks = []
    recording = Recording()
    async with (
        Proxy(recording.pump).serving() as proxy,
        pair(tmp_path, bravo_settings={"SIEVE_PLAIN_URL": f"http://{proxy.address}"}) as both,
    ):
        proxy.upstream = both.bravo.listeners["plain"]
        for marked in (one, many):
            before = len(recording.requests())
            _, ended = await both.send(marked, "sieve", **channels)
            assert ended["state"] == "delivered", ended
            looks.append(recording.requests()[before:])
    masked = [
        re.sub(rb"(PUT /)[0-9a-f]{32}|(seal: )[0-9a-f]{32}", rb"\1\2-", look, flags=re.IGNORECASE) for look in looks
    ]
    # Which connection brings which request is chance where there are several; so is whether one is sent again.
    requests = [sorted(set(re.split(rb"(?=PUT /-)", look))) for look in masked]
    assert requests[0] == requests[1]
    assert len(requests[0]) > sum(channels.values())
    assert looks[0] != looks[1]
