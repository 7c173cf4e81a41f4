"""The user interface: its files and nothing else, each with the headers that it needs."""

import gzip
from dataclasses import replace
from itertools import product
from pathlib import Path

import httpx
import pytest

from cases import each
from sieve.gateway.errors import StartError
from sieve.web.ui import interface
from web_world import World

INDEX = b'<!doctype html><script type="module" src="/assets/app-1a2b.js"></script>'
SCRIPT = b"console.log('what is secret travels apart');\n" * 100


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_bytes(INDEX)
    (folder / "icon.svg").write_bytes(b"<svg/>")
    (folder / "assets" / "app-1a2b.js").write_bytes(SCRIPT)
    (folder / "assets" / "serif-3c4d.woff2").write_bytes(bytes(200))
    (tmp_path / "outside.txt").write_bytes(b"no")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest.fixture
def browser(world: World, dist: Path) -> httpx.AsyncClient:
    world.app.state.services = replace(world.services, ui=interface(dist))
    return httpx.AsyncClient(transport=httpx.ASGITransport(world.app), base_url="http://alpha")


@each("path", ["/", "/index.html", "/documents", "/inbox/0a1b", "/sign-in?to=%2Finbox", "/a.b/c"])
async def test_every_page_is_the_index(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.content) == (200, INDEX)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


async def test_a_page_has_a_policy_of_its_own_and_the_other_headers_of_every_answer(browser: httpx.AsyncClient) -> None:
    headers = (await browser.get("/")).headers
    policy = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        **dict.fromkeys(
            ("script-src", "style-src", "img-src", "font-src", "connect-src", "manifest-src"),
            "'self'",
        ),
        **dict.fromkeys(("base-uri", "form-action", "frame-ancestors"), "'none'"),
        "require-trusted-types-for": "'script'",
        "trusted-types": "ProseMirrorClipboard pasted-html",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers.get_list("content-security-policy") == [headers["content-security-policy"]]


async def test_answers_of_the_api_keep_the_strictest_policy(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/api/v1/me")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


async def test_an_asset_is_kept_for_ever_and_compressed_for_who_takes_that(browser: httpx.AsyncClient) -> None:
    path = "/assets/app-1a2b.js"
    async with browser.stream("GET", path, headers={"Accept-Encoding": "br, gzip;q=0.5"}) as answer:
        raw = b"".join([piece async for piece in answer.aiter_raw()])
    assert gzip.decompress(raw) == SCRIPT
    assert len(raw) < len(SCRIPT)
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    answer = await browser.get(path, headers={"Accept-Encoding": "identity"})
    assert answer.content == SCRIPT
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_answers_that_may_hold_a_secret_are_never_compressed(browser: httpx.AsyncClient) -> None:
    for path in ("/api/v1/openapi.json", "/healthz"):
        assert "content-encoding" not in (await browser.get(path, headers={"Accept-Encoding": "gzip"})).headers


async def test_other_files_are_asked_for_again_and_not_sent_again(browser: httpx.AsyncClient) -> None:
    first = await browser.get("/icon.svg")
    assert first.headers["content-type"] == "image/svg+xml"
    assert first.headers["cache-control"] == "no-cache"
    again = await browser.get("/icon.svg", headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert (await browser.get("/icon.svg", headers={"If-None-Match": '"other"'})).status_code == 200


@pytest.mark.parametrize("path", ["/", "/documents", "/icon.svg"])
async def test_head_says_what_get_would(browser: httpx.AsyncClient, path: str) -> None:
    headers = {"Accept-Encoding": "identity"}
    said, got = await browser.head(path, headers=headers), await browser.get(path, headers=headers)
    assert said.status_code == 200
    assert said.content == b""
    assert said.headers == got.headers


@each(
    "path",
    ["/../outside.txt", "/%2e%2e/outside.txt", "/..%2foutside.txt", "//etc/passwd", "/link.txt"],
)
async def test_nothing_but_the_files_can_be_reached(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(httpx.URL("http://alpha").copy_with(raw_path=path.encode()))
    assert (answer.status_code, answer.content) == (200, INDEX)


@each("path", ["/assets", "/assets/", "/assets/app-old.js", "/assets/../assets/app-old.js"])
async def test_an_asset_that_is_not_there_is_not_a_page(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(httpx.URL("http://alpha").copy_with(raw_path=path.encode()))
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"


@each(
    ("method", "path"),
    product(["GET", "POST"], ["/api", "/api/", "/api/v1/nothing", "/api/nothing", "/healthz/x", "/metrics/"]),
)
async def test_paths_of_the_api_are_no_pages(browser: httpx.AsyncClient, path: str, method: str) -> None:
    answer = await browser.request(method, path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_known_path_with_another_method_still_says_so(browser: httpx.AsyncClient) -> None:
    assert (await browser.put("/api/v1/transfers")).status_code == 405
    assert (await browser.get("/api/v1/transfers/0a/cancel")).status_code == 405
    assert (await browser.post("/documents")).status_code == 405


async def test_without_an_interface_the_root_says_so_in_one_sentence(world: World) -> None:
    async with world.client() as api:
        answer = await api.get("http://alpha/")
        other = await api.get("http://alpha/documents")
    assert answer.status_code == other.status_code == 404
    assert "SIEVE_UI_DIR" in answer.json()["detail"]
    assert "SIEVE_UI_DIR" not in other.json()["detail"]


def test_a_folder_without_an_interface_stops_the_start(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "not there"):
        with pytest.raises(StartError, match="SIEVE_UI_DIR"):
            interface(folder)
    with pytest.raises(StartError):
        interface(tmp_path / "outside.txt")
