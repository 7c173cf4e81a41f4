"""Two gateways that a command starts for a measurement, on loopback, with an author and a recipient."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from sieve import demo
from sieve.cli.errors import Failed
from sieve.cli.lab.open_loop import refusal

CLIENT_S: Final = 120.0
_FREE: Final = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
# Classified and plain parts of measured documents share their words, so the leak check would find them.
_SETTINGS: Final = {"SIEVE_LOG_LEVEL": "warning", "SIEVE_OPEN_FINDINGS": "off"}


@dataclass(frozen=True, slots=True)
class OwnGateways:
    """Alpha and bravo, paired. `author`: at alpha; `recipient`: at bravo, with clearance."""

    alpha: demo.Running
    bravo: demo.Running
    author_token: str
    author: httpx.Client
    recipient: httpx.Client

    def upload(self, name: str, marked: bytes) -> str:
        """The id of the new document.

        Raises:
            Failed: alpha refuses it.
        """
        params = {"name": name, "media_type": "text/plain", "form": "marked"}
        answer = self.author.post("/documents", params=params, content=marked)
        if answer.is_error:
            raise Failed(f"alpha did not take a document: {refusal(answer)}")
        return str(answer.json()["id"])


@contextmanager
def own_gateways(folder: Path, identities: Path, settings: Mapping[str, str]) -> Iterator[OwnGateways]:
    """Starts both with these further settings and their data in `folder`, and stops them at the end.

    Raises:
        DemoError: one does not start.
    """
    start = partial(demo.start, extra=_SETTINGS | dict(settings))
    with demo.two_gateways(folder, identities, dict.fromkeys(demo.NAMES, _FREE), start) as (alpha, bravo):
        demo.pair(alpha, bravo)
        token = demo.add_person(alpha, demo.AUTHOR, "Anna", is_author=True)
        bruno = demo.add_person(bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True)
        with _client(alpha, token) as author, _client(bravo, bruno) as recipient:
            yield OwnGateways(alpha, bravo, token, author, recipient)


def _client(gateway: demo.Running, token: str) -> httpx.Client:
    return httpx.Client(
        base_url=f"{gateway.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=CLIENT_S,
        trust_env=False,
        verify=demo.NO_TLS,
    )
