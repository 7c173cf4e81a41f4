"""Events reach the people concerned, and open event streams do not keep a gateway from stopping."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from stories.pair import PATIENCE_S, pair


class Ear:
    """One open stream of events."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()
        self._kind = ""

    async def next(self) -> tuple[str, Any] | None:
        """The next event's kind and data; None once the stream is over."""
        async with asyncio.timeout(PATIENCE_S):
            async for line in self._lines:
                if line.startswith("event: "):
                    self._kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    return self._kind, json.loads(line.removeprefix("data: "))
        return None

    async def until(self, kind: str, **members: Any) -> Any:
        """The data of the next event of that kind in which these members have these values."""
        while (event := await self.next()) is not None:
            if event[0] == kind and members.items() <= event[1].items():
                return event[1]
        raise AssertionError(f"the stream ended without {kind}")


@asynccontextmanager
async def listening(client: httpx.AsyncClient, path: str = "/events") -> AsyncIterator[Ear]:
    async with client as api, api.stream("GET", path) as response:
        assert response.status_code == 200
        yield Ear(response)


async def test_a_draft_is_saved_sent_and_arrives_and_everybody_hears(tmp_path: Path) -> None:
    async with pair(tmp_path) as both:
        async with (
            listening(both.author) as author,
            listening(both.cleared) as cleared,
            listening(both.reader) as reader,
            both.author as api,
        ):
            for stream in (author, cleared, reader):
                await stream.until("hello")
            made = await api.post("/drafts", params={"form": "marked", "name": "a.txt"}, content=b"Pier <$S>7<$E>")
            draft_id = made.json()["id"]
            await author.until("draft", id=draft_id, revision=1)
            saved = await api.put(
                f"/drafts/{draft_id}",
                params={"form": "marked"},
                headers={"If-Match": '"1"'},
                content=b"Pier <$S>8<$E>",
            )
            await author.until("draft", id=draft_id, revision=2)
            transfer_id = await both.dispatch(saved.json()["document_id"])
            done = await author.until("transfer", transfer_id=transfer_id, state="delivered")
            assert done["verified"]
            for stream in (cleared, reader):
                assert await stream.until("inbox") == {}
            assert await both.download(transfer_id, "full") == b"Pier 8"
            draft = (await api.get(f"/drafts/{draft_id}")).json()
            assert (draft["last_transfer"]["state"], draft["last_transfer"]["revision"]) == ("delivered", 2)
            stopping = [asyncio.create_task(asyncio.to_thread(gateway.stop)) for gateway in (both.alpha, both.bravo)]
            for stream in (author, cleared, reader):
                while await stream.next() is not None:  # whole: a connection that is cut raises
                    pass
            await asyncio.gather(*stopping)
        for name in ("alpha", "bravo"):
            assert "graceful shutdown exceeded" not in (tmp_path / f"{name}.log").read_text()
