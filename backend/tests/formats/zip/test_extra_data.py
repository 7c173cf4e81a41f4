"""Bytes of an archive that no reader shows: anything besides files and their records is reported."""

import struct
import zipfile
from io import BytesIO

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from office_files import Unseekable, archive
from sieve.formats.errors import FormatError
from sieve.formats.zip.container import ZipContainer
from sieve.formats.zip.extra_data import extra_data

FILES = {"a.txt": b"Anna", "b.txt": b"Berta", "c.txt": b"Clara" * 9}


def written(*, later: bool, wide: bool, fields: bytes = b"", remark: bytes = b"") -> bytes:
    out = Unseekable() if later else BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in FILES.items():
            info = zipfile.ZipInfo(name)
            info.extra = fields
            with file.open(info, "w", force_zip64=wide) as target:
                target.write(data)
        file.comment = remark
    return out.getvalue()


def shows(data: bytes) -> bool:
    """Whether the archive is refused, or said to hold more than files."""
    try:
        return extra_data(ZipContainer(data)).unexplained
    except FormatError:
        return True


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_what_programs_write_is_no_remark(later: bool, wide: bool) -> None:
    times = struct.pack("<2HBl", 0x5455, 5, 1, 1_700_000_000) + struct.pack("<2H2BLBL", 0x7875, 11, 1, 4, 1000, 4, 1000)
    assert not shows(written(later=later, wide=wide))
    assert not shows(written(later=later, wide=wide, fields=times))
    assert extra_data(ZipContainer(written(later=later, wide=wide, remark=b"For Ida"))).comments == [b"For Ida"]


@settings(deadline=None)
@given(st.data(), st.booleans(), st.booleans(), st.binary(min_size=1, max_size=40))
@example(None, False, False, b"PK\1\2" + b"S" * 30).via("what looks like the directory")
def test_nothing_that_is_put_in_anywhere_passes_in_silence(
    data: st.DataObject | None, later: bool, wide: bool, put_in: bytes
) -> None:
    """Also if it shifts the bytes after it: the offsets are corrected, as repair programs do."""
    whole = written(later=later, wide=wide)
    container = ZipContainer(whole)
    edges = [*(entry.header for entry in container.entries.values()), container.directory.start]
    at = container.directory.start if data is None else data.draw(st.sampled_from(edges))
    assume(not later or b"PK\7\x08" not in put_in)
    moved = bytearray(whole[:at] + put_in + whole[at:])
    shift = len(put_in)
    place = container.directory.start + shift
    for entry in container.entries.values():
        if entry.header >= at:
            offset = struct.unpack_from("<L", moved, place + 42)[0]
            struct.pack_into("<L", moved, place + 42, offset + shift)
        sizes = struct.unpack_from("<3H", moved, place + 28)
        place += 46 + sum(sizes)
    struct.pack_into("<L", moved, len(moved) - 6, container.directory.start + shift)
    assert shows(bytes(moved))


@settings(deadline=None)
@given(st.booleans(), st.integers(0, 0xFFFF), st.binary(min_size=1, max_size=40))
@example(False, 0x5455, b"\1SECR" * 5).via("times that are none")
@example(False, 0x7875, b"\1\4SECR\4")
@example(False, 1, b"SECRETSECRETSECR").via("sizes that are none")
@example(True, 0xCAFE, b"S")
def test_no_field_of_a_header_hides_more_than_times_and_owners(later: bool, tag: int, held: bytes) -> None:
    assume(not (tag == 0x5455 and len(held) in (5, 9, 13) and held[0] < 8))
    assume(not (tag == 1 and not held.strip(b"\0")))
    assert shows(written(later=later, wide=False, fields=struct.pack("<2H", tag, len(held)) + held))


def test_what_follows_the_end_or_repeats_shows() -> None:
    time = struct.pack("<2HBl", 0x5455, 5, 1, 1_700_000_000)
    assert shows(written(later=False, wide=False, fields=time * 2))
    assert shows(written(later=False, wide=False) + b"S")
    assert shows(archive(FILES, extra=b"S"))
    told = bytearray(written(later=True, wide=False))
    told[14:18] = b"SECR"  # the digest in a header, which is repeated after the data
    assert shows(bytes(told))
