"""Pictures: the file travels classified as a whole, and the edition has only pixels that are not marked."""

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from picture_files import HIDDEN, SIZE, claiming, drawn, jpeg, png, tiff
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace
from sieve.formats.images import pixels
from sieve.formats.images.reading import ImageReading
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary
from sieve.formats.reading import read, redact
from sieve.formats.recognition import may_be

SECRET = "XQZVK PLMRT"
AREA = Mark(f"page/1/area/{HIDDEN[0]},{HIDDEN[1]}-{HIDDEN[2]},{HIDDEN[3]}")
MODES = ("RGB", "L", "1")


def of(data: bytes, name: str) -> ImageReading:
    reading = read(name, data)
    assert isinstance(reading, ImageReading)
    return reading


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def everything(secret: str) -> dict[str, bytes]:
    return {
        "a.png": png(drawn(), [("Title", f"{secret} in a text")], secret),
        "a.jpg": jpeg(drawn(), secret),
        "a.tiff": tiff([drawn(), drawn(1)], secret),
    }


def says(data: bytes, text: str) -> bool:
    return any(text.encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be"))


@pytest.mark.parametrize("name", everything(SECRET))
def test_metadata_beside_the_pixels_is_found_and_is_in_no_edition(name: str) -> None:
    data = everything(SECRET)[name]
    reading = of(data, name)
    *pages, metadata = reading.units()
    assert [unit.address for unit in pages] == [f"page/{number}" for number in range(1, reading.pages + 1)]
    assert metadata.hidden.startswith("a picture with data about it (")
    places = {"a.png": 8, "a.jpg": 6, "a.tiff": 6}
    assert metadata.text.count(SECRET) >= places[name], metadata.text
    for marks in ([], [AREA], reading.initial_marks, [Mark("metadata", 0, 3)]):
        edition = redact(reading, marks)
        assert not says(edition, SECRET.split()[0])
        left = of(edition, name)
        assert not any(unit.text for unit in left.units())
        if name != "a.tiff":
            assert is_fully_known(edition, lambda text: SECRET in text) and not metadata_summary(edition)
        else:
            for page in range(left.pages):
                image = opened(edition)
                image.seek(page)
                assert not {*image.getexif()} - {256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317}


@given(seed=st.integers(1, 1000), mode=st.sampled_from(MODES), orientation=st.integers(1, 8), progressive=st.booleans())
@settings(max_examples=25, deadline=None)
def test_another_secret_in_the_area_leaves_the_edition_identical(
    seed: int, mode: str, orientation: int, progressive: bool
) -> None:
    one, other = drawn(0, mode), drawn(seed, mode)
    grey = mode if mode != "1" else "L"
    left, top, right, bottom = HIDDEN
    width, height = SIZE
    turned = {
        1: HIDDEN,
        2: (width - right, top, width - left, bottom),
        3: (width - right, height - bottom, width - left, height - top),
        4: (left, height - bottom, right, height - top),
        5: (top, left, bottom, right),
        6: (height - bottom, left, height - top, right),
        7: (height - bottom, width - right, height - top, width - left),
        8: (top, width - right, bottom, width - left),
    }[orientation]
    area = Mark("page/1/area/{},{}-{},{}".format(*turned))
    options: dict[str, Any] = {"progressive": progressive, "subsampling": 2, "quality": 40}
    for name, (first, second), mark in (
        ("a.png", (png(one), png(other)), AREA),
        ("a.jpg", [jpeg(image.convert(grey), orientation=orientation, **options) for image in (one, other)], area),
        ("a.tiff", [tiff([drawn(3), image]) for image in (one, other)], Mark(AREA.address.replace("1", "2", 1))),
        ("b.tiff", [tiff([image.convert("RGB")], compression="jpeg", quality=40) for image in (one, other)], AREA),
    ):
        assert first != second
        assert redact(of(first, name), [mark]) == redact(of(second, name), [mark]), name


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_pixels_outside_the_area_stay(data: st.DataObject) -> None:
    left, top = data.draw(st.integers(0, 158)), data.draw(st.integers(0, 94))
    right, bottom = data.draw(st.integers(left + 1, 160)), data.draw(st.integers(top + 1, 96))
    mode = data.draw(st.sampled_from(MODES))
    image = drawn(1, mode)
    edition = opened(redact(of(png(image), "a.png"), [Mark(f"page/1/area/{left},{top}-{right},{bottom}")]))
    if (left, top, right, bottom) == (0, 0, *SIZE):
        return
    image.paste(0 if mode != "RGB" else (0, 0, 0), (left, top, right, bottom))
    assert edition.mode == mode and edition.tobytes() == image.tobytes()


def test_any_mark_classifies_the_file_and_none_leaves_it_plain() -> None:
    for name, data in everything(SECRET).items():
        reading = of(data, name)
        for marks in ([AREA], reading.initial_marks, [Mark("metadata")], [Mark("metadata", 1, 2)]):
            assert separate(Document(data, reading.spans(marks))).plain == b""
            assert not reading.plain_places(marks)("metadata") and not reading.in_plain_stream(marks)("page/1")
        assert separate(Document(data, reading.spans([]))).secure == b""
        assert reading.plain_places([])("metadata")


def test_a_page_that_is_marked_whole_leaves_not_even_its_size() -> None:
    small, large = (redact(of(png(drawn(size=size)), "a.png"), [Mark("page/1")]) for size in ((90, 200), (300, 100)))
    assert small == large
    pages = redact(of(tiff([drawn(), drawn(1, size=(200, 200))]), "a.tif"), [Mark("page/2")])
    assert of(pages, "a.tif").pictures.sizes == [SIZE, (640, 480)]


def test_colours_under_transparent_pixels_are_gone() -> None:
    shown = Image.new("RGBA", (20, 20), (9, 9, 9, 255))
    shown.paste((200, 0, 0, 0), (5, 5, 10, 10))
    other = shown.copy()
    other.paste((0, 200, 0, 0), (5, 5, 10, 10))
    editions = [redact(of(png(image), "a.png"), [Mark("page/1/area/0,0-1,1")]) for image in (shown, other)]
    assert editions[0] == editions[1] and opened(editions[0]).getpixel((7, 7)) == (255, 255, 255)


def test_deep_grey_and_palettes_are_kept() -> None:
    deep = Image.new("I;16", (4, 4), 0x8000)
    assert opened(redact(of(png(deep), "a.png"), [])).getpixel((0, 0)) == 0x80
    table = drawn().convert("P", palette=Image.Palette.ADAPTIVE)
    edition = opened(redact(of(png(table), "a.png"), [AREA]))
    assert edition.mode == "RGB" and edition.palette is None
    assert edition.getpixel((1, 1)) == table.convert("RGB").getpixel((1, 1))


@pytest.mark.parametrize(
    "address",
    [
        "page/2",
        "page/0",
        "page/1/area/0,0-161,5",
        "page/1/area/5,5-5,9",
        "page/1/area/9,9-3,10",
        "page/1/area/1,2",
        "x",
    ],
)
def test_a_mark_that_does_not_fit_is_refused(address: str) -> None:
    reading = of(png(drawn()), "a.png")
    for use in (reading.spans, lambda marks: redact(reading, marks)):
        with pytest.raises(UnknownPlace, match=address.split("/area")[0]):
            use([Mark(address)])
    with pytest.raises(UnknownPlace):
        reading.spans([Mark("page/1", 0, 1)])


def test_bytes_decide_and_damaged_pictures_are_refused() -> None:
    assert read("a.jpg", png(drawn())).name == "png" and may_be("png", "a.jpg", png(drawn())[:100], None)
    assert read("a", jpeg(drawn())).name == "jpeg"
    assert read("a.nef", tiff([drawn()])).name == "bytes"
    with pytest.raises(Damaged):
        read("a.png", b"\x89PNG\r\n\x1a\n and no more")
    with pytest.raises(Damaged):
        read("a.tiff", b"II*\0 and no more")
    cut = of(jpeg(drawn())[:-300], "a.jpg")
    with pytest.raises(Damaged):
        redact(cut, [AREA])
    with pytest.raises(Damaged):
        cut.page_image(1)
    floats = BytesIO()
    Image.new("F", (4, 4)).save(floats, "TIFF")
    assert isinstance(read("a.tiff", floats.getvalue()), BytesReading)


def test_bombs_are_refused_before_they_unpack(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLarge, match="50,000,000 pixels"):
        read("a.png", claiming(60_000, 60_000))
    monkeypatch.setattr(pixels, "MAX_PAGES", 3)
    with pytest.raises(TooLarge, match="3 pages"):
        read("a.tiff", tiff([drawn(size=(100, 70), mode="1")] * 4))
    monkeypatch.setattr(pixels, "MAX_ALL_PIXELS", 10_000)
    with pytest.raises(TooLarge, match="10,000 pixels"):
        read("a.tiff", tiff([drawn(size=(100, 70), mode="1")] * 2))


def test_pages_are_shown_upright_and_small() -> None:
    reading = of(jpeg(drawn(), orientation=6), "a.jpg")
    assert reading.page_size(1) == (96, 160)
    assert opened(reading.page_image(1, 0.5)).size == (48, 80)
    assert opened(reading.page_image(1, 9)).size == (96, 160)
    with pytest.raises(UnknownPlace):
        reading.page_image(2)


def test_the_form_of_an_area_is_said() -> None:
    with pytest.raises(UnknownPlace, match="it has 1 page, and areas such as page/1/area/LEFT,TOP-RIGHT,BOTTOM"):
        of(png(drawn()), "a.png").areas([Mark("page/1/area/10,10,20,20")])
