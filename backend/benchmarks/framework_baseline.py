"""The processor time of one exchange with the packages that the product is built on, and without the product: FastAPI
under uvicorn, httpx, SQLAlchemy on SQLite, two processes, TLS 1.3.

The sender answers an author's request after it has committed a row. Then it POSTs the document, of a few bytes, to the
other process over a kept-open connection; that one commits a row and answers with a line, and the sender commits
another row. There is no sign-in, file, manifest, claim, receipt or plain channel. The time that a transfer takes beyond
this is the product's own. It is measured at the pace of the transfers, because the caches of the processor hold nothing
of a process that was idle for a while.

Run as a program, it is one of the two: `python -m benchmarks.framework_baseline taker FOLDER CERTIFICATE KEY`, or
`... sender FOLDER PORT` with the taker's port. It prints its own port.
"""

import asyncio
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import uvicorn
from fastapi import FastAPI, Request
from sqlalchemy import Column, Engine, LargeBinary, MetaData, String, Table, create_engine, event, insert, update

from benchmarks.copies import FloorMissing
from benchmarks.watching import cpu_s

DOCUMENT_BYTES = 10_000
REST_S = 0.06
"""The pause after each request, in seconds: an exchange takes less."""
UNDER_WAY = 32
"""Exchanges of the sender's at a time. More gain nothing, and httpx looks through all that wait whenever one ends."""

_metadata = MetaData()
ROWS = Table(
    "rows", _metadata, Column("id", String, primary_key=True), Column("state", String), Column("content", LargeBinary)
)


@dataclass(frozen=True, slots=True)
class FrameworkBaseline:
    """The two processes, and a client of the sender's that stays connected."""

    watched: list[psutil.Process]
    client: httpx.Client

    def cpu_ms(self) -> float:
        """Milliseconds of processor time that both take for one exchange."""
        before = cpu_s(self.watched)
        self.client.post("/send", content=bytes(DOCUMENT_BYTES)).raise_for_status()
        time.sleep(REST_S)  # as a transfer is measured: nobody asks while it runs
        return (cpu_s(self.watched) - before) * 1e3


@contextmanager
def framework_baseline(folder: Path, identity: Path) -> Iterator[FrameworkBaseline]:
    """`identity`: the folder of the certificate that the taker shows.

    Raises:
        FloorMissing: one of the two did not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    started: list[subprocess.Popen[bytes]] = []
    try:
        keys = [str(identity / name) for name in ("identity.pem", "identity.key")]
        taker = _start(started, "taker", str(folder / "taker.db"), *keys)
        sender = _start(started, "sender", str(folder / "sender.db"), taker)
        with httpx.Client(base_url=f"http://127.0.0.1:{sender}", trust_env=False) as client:
            yield FrameworkBaseline([psutil.Process(process.pid) for process in started], client)
    finally:
        for process in started:
            process.terminate()
            process.wait()


def _start(started: list[subprocess.Popen[bytes]], *arguments: str) -> str:
    """Its port."""
    process = subprocess.Popen(  # noqa: S603 -- this module, by this interpreter
        [sys.executable, "-m", "benchmarks.framework_baseline", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    started.append(process)
    if process.stdout is None or not (port := process.stdout.readline().split()):
        raise FloorMissing("the process of the framework baseline did not start; the lines above say why")
    return port[0].decode()


def _database(path: str) -> Engine:
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    _metadata.create_all(engine)
    return engine


def _taker(engine: Engine) -> FastAPI:
    app = FastAPI(openapi_url=None)

    @app.post("/take/{row}")
    async def take(row: str, request: Request) -> dict[str, str]:
        content = await request.body()
        with engine.begin() as connection:
            connection.execute(insert(ROWS), {"id": row, "state": "delivered", "content": content})
        return {"receipt": row}

    return app


def _sender(engine: Engine, port: str) -> FastAPI:
    app = FastAPI(openapi_url=None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    link = httpx.AsyncClient(base_url=f"https://127.0.0.1:{port}", verify=context, trust_env=False, timeout=None)  # noqa: S113 -- under overload, exchanges wait long
    free = asyncio.Semaphore(UNDER_WAY)
    under_way: set[asyncio.Task[None]] = set()

    async def carry(row: str, content: bytes) -> None:
        async with free:
            answer = await link.post(f"/take/{row}", content=content)
        with engine.begin() as connection:
            settled = update(ROWS).where(ROWS.c.id == row).values(state=answer.json()["receipt"])
            connection.execute(settled)

    @app.post("/send", status_code=202)
    async def send(request: Request) -> dict[str, str]:
        row, content = uuid4().hex, await request.body()
        with engine.begin() as connection:
            connection.execute(insert(ROWS), {"id": row, "state": "queued"})
        task = asyncio.create_task(carry(row, content))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        return {"id": row}

    return app


def main() -> None:
    """Entry point of either process."""
    role, path, *more = sys.argv[1:]
    engine = _database(path)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        if role == "taker":
            config = uvicorn.Config(
                _taker(engine), ssl_certfile=more[0], ssl_keyfile=more[1], log_level="error", lifespan="off"
            )
        else:
            config = uvicorn.Config(_sender(engine, more[0]), log_level="error", lifespan="off")
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
