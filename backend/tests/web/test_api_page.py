"""The API's page: every route, and nothing that its policy would have to let in."""

import base64
import hashlib
import re

from sieve.web.api_page import sheet
from web_world import World


async def test_the_page_shows_every_route_and_runs_nothing(world: World) -> None:
    async with world.client() as api:
        page = await api.get("http://alpha/api/docs")
        document = (await api.get("/openapi.json")).json()
    for path in document["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert "<script" not in page.text
    assert not re.search(r'(src|href)="(?!/)', page.text)
    style = re.search("<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page.headers["content-security-policy"]


def test_what_it_shows_is_text() -> None:
    api = {
        "info": {"title": "<b>", "version": "1", "description": "<i>"},
        "paths": {"/<u>": {"get": {"description": "<em>", "responses": {}}}},
    }
    assert not re.search("<(b|i|u|em)>(?!GET)", sheet(api))
