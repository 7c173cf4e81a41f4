"""The layout of a zip archive, read from its bytes; and hostile archives."""

import struct
import zipfile
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from office_files import Unseekable, archive, docx
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import Damaged, FormatError, Protected, TooLarge, Unsupported
from sieve.formats.zip.container import ZipContainer

names = st.lists(
    st.from_regex(r"[a-z]{1,6}(/[a-zé]{1,6}\.xml)?", fullmatch=True), unique_by=str.casefold, min_size=1, max_size=6
)


@settings(deadline=None)
@given(st.data(), names)
def test_every_byte_is_of_one_entry_or_of_none(data: st.DataObject, given_names: list[str]) -> None:
    parts = {name: data.draw(st.binary(max_size=300)) * 3 for name in given_names}
    out = Unseekable() if data.draw(st.booleans()) else BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
            with file.open(info, "w", force_zip64=data.draw(st.booleans())) as target:
                target.write(content)
        file.comment = data.draw(st.binary(max_size=20).filter(lambda comment: b"PK" not in comment))
    before = b"" if isinstance(out, Unseekable) else data.draw(st.binary(max_size=20))
    whole = before + out.getvalue()
    container = ZipContainer(whole)
    assert {name: container.read(name) for name in container.entries} == parts
    last = 0
    for entry in sorted(container.entries.values(), key=lambda entry: entry.start):
        assert last <= entry.header < entry.start <= entry.end <= len(whole)
        last = entry.end
        packed = whole[entry.start : entry.end]
        assert (packed if entry.method == 0 else zlib.decompress(packed, -15)) == parts[entry.name]


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(Damaged):
        ZipContainer(data)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_an_archive_that_is_cut_is_refused(data: st.DataObject) -> None:
    whole = archive({"a": b"1" * 50, "b": b"2" * 50})
    with pytest.raises(FormatError):
        ZipContainer(whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(TooLarge, match="unpacks to far more"):
        ZipContainer(archive({"bomb": bytes(64 << 20)}))


def test_an_entry_that_is_longer_than_it_says_is_not_unpacked_further() -> None:
    whole = bytearray(archive({"a": bytes(8 << 20)}))
    for offset in (22, whole.rindex(b"PK\1\2") + 24):
        struct.pack_into("<L", whole, offset, 100)
    with pytest.raises(Damaged, match="longer than it says"):
        ZipContainer(bytes(whole))


def test_bytes_behind_a_compressed_stream_are_refused() -> None:
    content = b"hello" * 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    made = bytearray(archive({"a": content, "b": b""}))
    at = made.index(packed) + len(packed)
    made[at:at] = b"XQZVK"
    for offset in (18, made.index(b"PK\1\2") + 20):
        struct.pack_into("<L", made, offset, len(packed) + 5)
    second = made.index(b"PK\1\2", made.index(b"PK\1\2") + 1)
    struct.pack_into("<L", made, second + 42, struct.unpack_from("<L", made, second + 42)[0] + 5)
    end = made.rindex(b"PK\5\6")
    struct.pack_into("<L", made, end + 16, struct.unpack_from("<L", made, end + 16)[0] + 5)
    with pytest.raises(Damaged, match="after its end"):
        ZipContainer(bytes(made))


def test_entries_that_overlap_or_share_a_name_are_refused() -> None:
    whole = bytearray(archive({"aa": b"1" * 50, "ab": b"2" * 50}))
    second = whole.index(b"PK\1\2", whole.index(b"PK\1\2") + 1)
    twice = whole.replace(b"ab", b"AA")
    with pytest.raises(Damaged, match="same name"):
        ZipContainer(bytes(twice))
    # Both say that they are the first.
    struct.pack_into("<L", whole, second + 42, 0)
    with pytest.raises(FormatError):
        ZipContainer(bytes(whole))
    first = whole.index(b"PK\1\2")
    whole[second : second + 48] = whole[first : first + 48]
    with pytest.raises(Damaged):
        ZipContainer(bytes(whole))


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "a\\b", "a//b", "c:/a", "a\0b", "a/./b"])
def test_names_that_lead_out_are_refused(name: str) -> None:
    with pytest.raises(Damaged, match="leads out"):
        ZipContainer(archive({name: b"x"}))


def test_encrypted_and_old_files_have_different_errors() -> None:
    whole = bytearray(archive({"a": b"x"}))
    whole[6] |= 1
    whole[whole.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(Protected, match="remove the password"):
        ZipContainer(bytes(whole))
    ole = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100)
    with pytest.raises(Protected, match="password"):
        DocxReading(ole + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(Unsupported, match="save it as .docx"):
        DocxReading(ole + "WordDocument".encode("utf-16-le"))


def test_too_many_entries_are_refused() -> None:
    with pytest.raises(TooLarge):
        ZipContainer(archive({str(number): b"" for number in range(10_001)}))


@pytest.mark.parametrize(
    "source",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
        '<!DOCTYPE x SYSTEM "http://localhost/x"><x/>',
        '<?xml version="1.0" encoding="UTF-7"?><x/>',
        "<a>" * 300 + "</a>" * 300,
        "<x>&nothing;</x>",
        "<x",
        "",
    ],
)
def test_xml_that_could_do_harm_is_refused(source: str) -> None:
    whole = docx("XQZVK")
    with zipfile.ZipFile(BytesIO(whole)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["word/document.xml"] = source.encode()
    with pytest.raises(Damaged):
        list(DocxReading(archive(parts)).units())


def test_a_tree_that_would_take_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.formats.office.xml_source.MAX_NODES", 100)
    with pytest.raises(TooLarge, match="too many elements"):
        list(DocxReading(docx("XQZVK")).units())
