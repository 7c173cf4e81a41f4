"""Archives in the leak check: every file in one is read, or reported as unread."""

import zlib
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from any_files import GOOD, HOSTILE, SECRET
from office_files import archive as archive_of
from sieve.formats.archive import unpacked as archive
from sieve.formats.archive.unpacked import ArchiveReading
from sieve.formats.errors import FormatError, Protected, TooLarge
from sieve.formats.zip.container import unpacked_size
from sieve.gateway.reading.open_file import open_file

NOISE = zlib.compress(bytes(range(256)) * 50)


def packed(files: dict[str, bytes], comment: bytes = b"") -> bytes:
    whole = BytesIO()
    with ZipFile(whole, "w", ZIP_DEFLATED) as written:
        for name, data in files.items():
            written.writestr(name, data)
        written.comment = comment
    return whole.getvalue()


def read(data: bytes) -> ArchiveReading:
    reading = open_file(data, name="a.bin", media_type=None, size=len(data), format_name="unknown").reading
    assert isinstance(reading, ArchiveReading)
    return reading


def test_each_file_is_read_as_what_it_is_or_said_not_to_be() -> None:
    within = packed({"deep.txt": SECRET.encode()})
    broken = HOSTILE["cut.pdf"]()
    files = {"letters/anna.txt": "Zoë met us.".encode("utf-16"), "memo": GOOD["memo.docx"][1], "photo": NOISE}
    units = [*read(packed(files | {"more.zip": within, "cut.pdf": broken}, b"For Ida")).units()]
    shown = {unit.address: unit.text for unit in units if not unit.hidden}
    assert shown["archive/names"].splitlines() == [*files, "more.zip", "cut.pdf"]
    assert shown["archive/remarks"] == "For Ida"
    assert "Zoë met us." in shown["archive/letters/anna.txt"]
    assert any(SECRET in unit.text for unit in units if unit.address.startswith("archive/memo/"))
    unread = {unit.address for unit in units if unit.kind == "file" and unit.hidden and not unit.text}
    assert unread == {"archive/photo", "archive/more.zip", "archive/cut.pdf"}


def test_data_between_the_files_is_reported() -> None:
    files = {"a.txt": b"Anna", "b.txt": b"Berta"}
    assert not [unit for unit in read(archive_of(files)).units() if unit.hidden]
    for more in (archive_of(files, between=b"PK\x01\x02"), archive_of(files, extra=b"C"), packed(files, NOISE)):
        [between] = [unit for unit in read(more).units() if unit.hidden]
        assert between.address == "archive/between"


def test_files_with_a_reader_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    memo = GOOD["memo.docx"][1]
    files = {f"{number}.docx": memo for number in range(4)}

    def opened_files() -> set[str]:
        return {unit.address.split("/")[1] for unit in read(packed(files)).units() if SECRET in unit.text}

    assert opened_files() == {*files}
    monkeypatch.setattr(archive, "MAX_CONTAINERS", 3)
    assert opened_files() == {"0.docx", "1.docx", "2.docx"}
    monkeypatch.setattr(archive, "MAX_BYTES", max(2 * unpacked_size(memo), 4 * len(memo)))
    assert opened_files() == {"0.docx", "1.docx"}
    assert [unit.address for unit in read(packed(files)).units() if unit.kind == "file"] == [
        "archive/2.docx",
        "archive/3.docx",
    ]


def test_what_is_packed_tightly_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLarge):
        read(packed({"bomb": bytes(64 << 20)}))
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    with pytest.raises(TooLarge):
        read(packed({"a": b"a" * 60, "b": b"b" * 60}))


def test_a_damaged_or_protected_archive_is_refused() -> None:
    whole = packed({"a.txt": b"Anna"})
    with pytest.raises(FormatError):
        read(whole[: len(whole) // 2])
    protected = bytearray(whole)
    protected[6] |= 1
    protected[whole.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Protected):
        read(bytes(protected))
