"""Pictures in Word and Excel files are understood to their last byte, or they are not."""

import struct
import zlib
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from documents import modest
from sieve.formats.pictures.metadata import is_fully_known, is_whole_jpeg


def tells_nothing(text: str) -> bool:
    return False


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))


def interlaced(width: int, height: int) -> bytes:
    """Grey, eight bits, in seven passes: Pillow writes none."""
    starts = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b"".join(
        b"\0" + bytes(len(range(x, width, right)))
        for x, y, right, down in starts
        for _ in range(y, height, down)
        if x < width
    )
    header = struct.pack(">2L5B", width, height, 8, 0, 0, 0, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def png(mode: str, size: tuple[int, int]) -> bytes:
    out = BytesIO()
    Image.new(mode, size).save(out, "PNG")
    return out.getvalue()


sizes = st.tuples(st.integers(1, 70), st.integers(1, 70))


@modest
@given(st.sampled_from(["1", "L", "P", "LA", "RGB", "RGBA", "I;16"]), sizes)
def test_pictures_by_pillow_are_known(mode: str, size: tuple[int, int]) -> None:
    data = png(mode, size)
    assert is_fully_known(data, tells_nothing)
    with Image.open(BytesIO(data)) as picture:
        picture.load()


@modest
@given(sizes)
def test_interlaced_pictures_are_known(size: tuple[int, int]) -> None:
    data = interlaced(*size)
    with Image.open(BytesIO(data)) as picture:
        picture.load()
    assert is_fully_known(data, tells_nothing)


@modest
@given(st.binary(min_size=1, max_size=40), st.sampled_from(["behind", "more rows", "another chunk", "less"]), sizes)
def test_data_after_the_pixels_is_not_known(secret: bytes, where: str, size: tuple[int, int]) -> None:
    """No reader shows it."""
    pixels = (b"\0" + bytes(size[0])) * size[1]
    packed = [zlib.compress(pixels)]
    if where == "behind":
        packed = [packed[0] + secret]
    elif where == "more rows":
        packed = [zlib.compress(pixels + secret)]
    elif where == "another chunk":
        packed.append(secret)
    else:
        packed = [zlib.compress(pixels[:-1])]
    header = chunk(b"IHDR", struct.pack(">2L5B", *size, 8, 0, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + header + b"".join(chunk(b"IDAT", one) for one in packed) + chunk(b"IEND", b"")
    assert not is_fully_known(data, tells_nothing)
    assert is_fully_known(
        data.replace(b"".join(chunk(b"IDAT", one) for one in packed), chunk(b"IDAT", zlib.compress(pixels))),
        tells_nothing,
    )


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(data: bytes) -> None:
    for start in (b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"):
        assert is_fully_known(start + data, tells_nothing) in (True, False)
        assert is_whole_jpeg(start + data) in (True, False)


@given(st.sampled_from([b"gAMA", b"hIST", b"cHRM", b"pHYs", b"sRGB", b"tIME"]), st.binary(min_size=600, max_size=700))
def test_a_chunk_that_is_longer_than_the_standard_allows_is_not_known(kind: bytes, secret: bytes) -> None:
    made = png("RGB", (4, 4))
    at = made.index(b"IDAT") - 4
    assert not is_fully_known(made[:at] + chunk(kind, secret) + made[at:], tells_nothing)


def test_a_chunk_that_may_occur_once_is_not_known_twice() -> None:
    made = png("RGB", (4, 4))
    at = made.index(b"IDAT") - 4
    measures = chunk(b"gAMA", b"PLMR")
    assert is_fully_known(made[:at] + measures + made[at:], tells_nothing)
    assert not is_fully_known(made[:at] + measures * 2 + made[at:], tells_nothing)


@given(st.sampled_from([0x02, 0xBF, *range(0xF0, 0xFE)]), st.binary(max_size=100))
def test_an_extension_of_jpeg_is_not_known(marker: int, secret: bytes) -> None:
    out = BytesIO()
    Image.new("RGB", (8, 8)).save(out, "JPEG")
    made = out.getvalue()
    assert is_fully_known(made, tells_nothing)
    segment = struct.pack(">2BH", 0xFF, marker, 2 + len(secret)) + secret
    assert not is_fully_known(made[:2] + segment + made[2:], tells_nothing)
