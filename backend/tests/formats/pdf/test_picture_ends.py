"""A picture in a PDF ends where its bytes do, or it is not taken for one that is understood."""

import struct
from collections.abc import Callable
from io import BytesIO

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Dictionary, Name
from PIL import Image, TiffImagePlugin

from documents import modest
from pdf_files import by_reportlab, holds
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading
from sieve.formats.pdf.picture_ends import is_whole
from sieve.formats.reading import redact

sizes = st.tuples(st.integers(1, 40), st.integers(1, 40))
SECRET = "XQZVK PLMRT"


def pixels(mode: str, size: tuple[int, int], seed: bytes) -> Image.Image:
    count = size[0] * size[1] * (3 if mode == "RGB" else 1)
    made = Image.frombytes("RGB" if mode == "RGB" else "L", size, (seed * count)[:count])
    return made.convert(mode)


def jpeg(size: tuple[int, int], seed: bytes) -> bytes:
    out = BytesIO()
    pixels("RGB", size, seed).save(out, "JPEG", progressive=seed[0] % 2 == 0, comment=b"a remark")
    return out.getvalue()


def jpeg_2000(size: tuple[int, int], seed: bytes, *, boxed: bool = True) -> bytes:
    out = BytesIO()
    pixels("RGB", size, seed).save(out, "JPEG2000", no_jp2=not boxed, num_resolutions=1)
    return out.getvalue()


def codestream(size: tuple[int, int], seed: bytes) -> bytes:
    return jpeg_2000(size, seed, boxed=False)


def fax(size: tuple[int, int], seed: bytes) -> bytes:
    return _strip(pixels("1", size, seed))


def _strip(picture: Image.Image) -> bytes:
    out = BytesIO()
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[278] = picture.height  # all rows in one strip
    picture.save(out, "TIFF", compression="group4", tiffinfo=tags)
    with Image.open(out) as saved:
        assert isinstance(saved, TiffImagePlugin.TiffImageFile)
        (at,), (count,) = saved.tag_v2[273], saved.tag_v2[279]
    return out.getvalue()[at : at + count]


def jbig2(size: tuple[int, int], seed: bytes) -> bytes:
    """A page, a region whose pixels are not unpacked here, and the end of the page."""

    def segment(number: int, kind: int, body: bytes) -> bytes:
        return struct.pack(">L3BL", number, kind, 0, 1, len(body)) + body

    return (
        segment(0, 48, struct.pack(">4LBH", *size, 0, 0, 0, 0))
        + segment(1, 38, struct.pack(">4LB", *size, 0, 0, 0) + seed * 3)
        + segment(2, 49, b"")
    )


KINDS: dict[str, list[Callable[[tuple[int, int], bytes], bytes]]] = {
    "/DCTDecode": [jpeg],
    "/JPXDecode": [jpeg_2000, codestream],
    "/JBIG2Decode": [jbig2],
    "/CCITTFaxDecode": [fax],
}
CASES = [(name, make) for name, made in KINDS.items() for make in made]


@pytest.mark.parametrize(("name", "make"), CASES)
@modest
@given(sizes, st.binary(min_size=1, max_size=30), st.sampled_from([b"", b"\n", b"\r\n", b"\0"]))
def test_a_picture_is_whole(
    name: str, make: Callable[[tuple[int, int], bytes], bytes], size: tuple[int, int], seed: bytes, white: bytes
) -> None:
    assert is_whole(name, make(size, seed) + white)


@pytest.mark.parametrize(("name", "make"), CASES)
@modest
@given(
    sizes,
    st.binary(min_size=1, max_size=30),
    st.binary(min_size=1, max_size=40).filter(lambda t: t.strip(b"\0\t\n\f\r ")),
)
def test_a_picture_with_a_tail_is_not(
    name: str, make: Callable[[tuple[int, int], bytes], bytes], size: tuple[int, int], seed: bytes, tail: bytes
) -> None:
    whole = make(size, seed)
    assert not is_whole(name, whole + tail)
    assert not is_whole(name, whole + tail + whole[-2:])
    assert not is_whole(name, whole + tail + whole[-3:])


@pytest.mark.parametrize(("name", "make"), CASES)
@modest
@given(st.binary(max_size=200), st.data())
def test_any_bytes_get_an_answer(
    name: str, make: Callable[[tuple[int, int], bytes], bytes], noise: bytes, data: st.DataObject
) -> None:
    whole = bytearray(make((9, 9), b"\1\2\3"))
    at = data.draw(st.integers(0, len(whole)))
    for hostile in (noise, bytes(whole[:at]), bytes(whole[:at]) + noise, bytes(whole[:at]) + noise + bytes(whole[at:])):
        assert is_whole(name, hostile) in (True, False)


@pytest.mark.parametrize(("name", "make"), CASES)
def test_a_tail_of_a_picture_is_neither_plain_nor_in_an_edition(
    name: str, make: Callable[[tuple[int, int], bytes], bytes]
) -> None:
    whole = make((40, 40), bytes(range(29)))
    tails = {"none": b"", "some": b"\0" + "".join(chr(ord(letter) ^ 1) for letter in SECRET).encode()}
    plain: dict[str, bytes] = {}
    for said, tail in tails.items():
        with pikepdf.open(BytesIO(by_reportlab(["green hills", "it is here"]))) as pdf:
            image = pikepdf.Stream(
                pdf,
                whole + tail,
                Type=Name.XObject,
                Subtype=Name.Image,
                Width=40,
                Height=40,
                ColorSpace=Name.DeviceGray if name in ("/CCITTFaxDecode", "/JBIG2Decode") else Name.DeviceRGB,
                BitsPerComponent=1 if name in ("/CCITTFaxDecode", "/JBIG2Decode") else 8,
                Filter=Name(name),
                DecodeParms=Dictionary(K=-1, Columns=40, Rows=40) if name == "/CCITTFaxDecode" else Dictionary(),
            )
            page = pdf.pages[0].obj
            page.Resources = Dictionary(XObject=Dictionary(Im=pdf.make_indirect(image)))
            page.Contents = pdf.make_stream(b"q 40 0 0 40 9 9 cm /Im Do Q")
            written = BytesIO()
            pdf.save(
                written, static_id=True, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none
            )
        data = written.getvalue()
        reading = PdfReading(data)
        plain[said] = separate(Document(data, reading.spans([Mark("page/2")]))).plain
        assert (whole in plain[said]) is (said == "none")
        if tail:
            assert tail[1:] in data
            assert tail[1:] not in redact(reading, [Mark("page/2")])
    assert not holds(plain["some"], SECRET)
