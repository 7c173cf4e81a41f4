"""Nothing that is done with a file asks anybody: no name is looked up and nobody but this machine is called, neither by
the gateway nor by what reads files, whatever the file says.
"""

import asyncio
import socket
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from any_files import GOOD, SECRET
from office_files import archive
from pdf_files import by_reportlab
from web_world import World

LOCAL = ("127.0.0.1", "::1", "localhost")


class Called(Exception):
    """There was a network access."""


@pytest.fixture
def cut_off(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """No names and no way out; what was tried."""
    tried: list[object] = []

    def refuse(*asked: object, **_: object) -> Any:
        tried.append(asked)
        raise Called(asked)

    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getnameinfo"):
        monkeypatch.setattr(socket, name, refuse)
    for name in ("connect", "connect_ex", "sendto", "sendmsg"):
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, *asked: Any, real: Any = real, name: str = name) -> Any:
            if name == "sendmsg" and len(asked) < 4:
                return real(self, *asked)  # to whom it was connected before
            address = asked[-1]
            if self.family == socket.AF_UNIX or (isinstance(address, tuple) and address[0] in LOCAL):
                return real(self, *asked)
            return refuse(address)

        monkeypatch.setattr(socket.socket, name, guarded)
    yield tried
    assert tried == []


def calling(url: str) -> dict[str, bytes]:
    """Files that name an address in every way that makes some reader of theirs call it."""
    formats = b"http://schemas.openxmlformats.org/package/2006/"
    kinds = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    types = (
        b'<Types xmlns="%bcontent-types"><Default Extension="rels" '
        b'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        b'PartName="/word/document.xml" ContentType="application/'
        b'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>' % formats
    )
    document = (
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="%b">'
        % (kinds[:-1])
    )
    at = url.encode()
    linked = (
        b'<w:body><w:p><w:r><w:t>%b</w:t></w:r></w:p><w:altChunk r:id="a"/></w:body></w:document>' % SECRET.encode()
    )
    outside = b"".join(
        b'<Relationship Id="%c" Type="%b%b" Target="%b/%b" TargetMode="External"/>' % (97 + n, kinds, kind, at, kind)
        for n, kind in enumerate((b"aFChunk", b"image", b"attachedTemplate", b"oleObject", b"hyperlink"))
    )
    main = b'<Relationship Id="x" Type="%bofficeDocument" Target="word/document.xml"/>' % kinds
    related = b'<Relationships xmlns="%brelationships">%b</Relationships>'
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": related % (formats, main),
        "word/_rels/document.xml.rels": related % (formats, outside),
    }
    entity = b'<!DOCTYPE w [<!ENTITY %% a SYSTEM "%b/a.dtd"> %%a; <!ENTITY b SYSTEM "%b/b">]>' % (at, at)
    include = b'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="%b/c"/>' % at
    sheet = b'<?xml-stylesheet type="text/xsl" href="%b/d"?>' % at
    with pikepdf.open(BytesIO(by_reportlab(["one", "two"], SECRET))) as pdf:
        away = Dictionary(FS=Name.URL, F=String(f"{url}/e"))
        picture = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Image, Width=1, Height=1, F=away)
        picture.ColorSpace, picture.BitsPerComponent = Name.DeviceGray, 8
        pdf.pages[0].obj.Resources.XObject = Dictionary(Away=picture)
        pdf.pages[0].obj.Contents = pdf.make_stream(b"q 9 0 0 9 0 0 cm /Away Do Q")
        pdf.Root.OpenAction = Dictionary(S=Name.URI, URI=String(f"{url}/f"))
        pdf.Root.AA = Dictionary(WC=Dictionary(S=Name.JavaScript, JS=String(f"app.launchURL('{url}/g')")))
        pdf.Root.AcroForm = Dictionary(Fields=Array([]), XFA=pdf.make_stream(entity + b"<x>&b;</x>"))
        pdf.Root.Metadata = pdf.make_stream(entity + b"<x>&b;</x>", Type=Name.Metadata, Subtype=Name.XML)
        written = BytesIO()
        pdf.save(written, fix_metadata_version=False)
    return {
        "linking.docx": archive({**parts, "word/document.xml": document + linked}),
        "included.docx": archive({**parts, "word/document.xml": sheet + document + include + linked}),
        "entity.docx": archive({**parts, "word/document.xml": entity + document + b"&b;" + linked}),
        "calling.pdf": written.getvalue(),
        "calling.csv": f'a,b\n"=WEBSERVICE(""{url}/h"")",{SECRET}\n'.encode(),
    }


POLICY = {
    "name": "names",
    "guard": True,
    "rules": [
        {"kind": "keywords", "keywords": [SECRET], "granularity": "sentence"},
        *({"kind": "detector", "detector": detector} for detector in ("email", "phone", "iban", "birth-date")),
        {"kind": "regex", "pattern": "https?://[a-z.]+"},
        {"kind": "columns", "columns": ["pay"]},
    ],
}


async def _everything(world: World, name: str, data: bytes) -> bool:
    """Does with a file all that can be done; whether it was taken."""
    async with world.client("root") as admin:
        assert (await admin.post("/policies", json=POLICY)).status_code in (201, 409)
    async with world.client("anna") as api:
        made = await api.post("/drafts", params={"form": "file", "name": name}, content=data)
        if made.status_code != 201:
            assert made.status_code == 422, made.text
            return False
        draft = made.json()
        at = f"/drafts/{draft['id']}"
        units = (await api.get(f"{at}/units", params={"limit": 1000})).json()["units"]
        marks = [{"address": unit["address"]} for unit in units if SECRET in unit["text"]] or [
            {"address": units[0]["address"]}
        ]
        marked = await api.put(f"{at}/marks", json={"marks": marks}, headers={"If-Match": '"1"'})
        assert marked.status_code == 200, marked.text
        asked = [
            "marks",
            "outline",
            "rows",
            "pages/1.png",
            "pages/1/words",
            "content",
            "content?edition=redacted",
            "plain",
        ]
        for path in asked:
            assert (await api.get(f"{at}/{path}")).status_code in (200, 409, 422)
        assert (await api.post(f"{at}/check")).status_code == 200
        assert (await api.post(f"{at}/policies/names/preview")).status_code == 200
    return True


@pytest.mark.parametrize("name", [name for name in GOOD if name != "memo.txt"])
async def test_every_format_is_worked_with_offline(cut_off: list[object], world: World, name: str) -> None:
    assert await _everything(world, name, GOOD[name][1])


async def test_a_text_is_worked_with_offline(cut_off: list[object], world: World) -> None:
    text = f"<$S>{SECRET}<$E> wrote to ida@example.org, see https://example.org/{SECRET}, or call +47 22 12 34 56.\n"
    async with world.client("root") as admin:
        assert (await admin.post("/policies", json=POLICY)).status_code == 201
    async with world.client("anna") as api:
        made = (await api.post("/drafts", params={"form": "marked", "name": "memo.txt"}, content=text.encode())).json()
        at = f"/drafts/{made['id']}"
        rules = {hit["rule"] for hit in (await api.post(f"{at}/policies/names/preview")).json()["hits"]}
        assert {"names/1#1", "names/1#2", "names/1#3", "names/1#6"} <= rules
        assert (await api.post(f"{at}/check")).json()["kinds"]["policy"]
        redacted = await api.get(f"{at}/content", params={"edition": "redacted"})
        assert redacted.status_code == 200 and not redacted.text.startswith(SECRET)


async def test_what_a_file_wants_called_is_not_called(cut_off: list[object], world: World) -> None:
    calls: list[object] = []

    async def called(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append(await reader.readline())
        writer.close()

    listening = socket.create_server(("127.0.0.1", 0))
    async with await asyncio.start_server(called, sock=listening):
        files = calling(f"http://127.0.0.1:{listening.getsockname()[1]}")
        taken = {name: await _everything(world, name, data) for name, data in files.items()}
    assert calls == []
    assert taken == {name: name != "entity.docx" for name in files}
