"""A running gateway whose disk is full: it still reads, reports the problem, and stops in order."""

import asyncio
import os
import resource
import shutil
import signal
from pathlib import Path

from sieve import demo
from stories.pair import FREE, PATIENCE_S, client, installed

NOTHING = (0, resource.RLIM_INFINITY)
"""Each write to a file fails, also for root: the kernel limits files to 0 bytes."""


async def test_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    shutil.copytree(installed(), tmp_path, dirs_exist_ok=True)
    # The log is no file: no disk takes one either.
    log = tmp_path / "log"
    os.mkfifo(log)
    logged = asyncio.create_task(asyncio.to_thread(log.read_text))
    gateway = await asyncio.to_thread(demo.start, "alpha", tmp_path, tmp_path / "identities", FREE, log_file=log)
    try:
        anna = demo.add_person(gateway, "anna", "Anna", is_author=True)
        params = {"name": "report.txt", "form": "marked"}
        async with client(gateway, anna) as api:
            kept = (await api.post("/documents", params=params, content=b"plain <$S>secret<$E>")).json()
            resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, NOTHING)
            assert (await api.get("/me")).status_code == 200
            for path in ("/transfers", "/documents", "/drafts"):
                assert (await api.get(path)).status_code == 200
            assert (await api.get(f"/documents/{kept['id']}/content")).content == b"plain secret"
            refused = await api.post("/documents", params=params, content=b"more")
            assert refused.status_code in (503, 507), refused.text
            assert refused.headers["content-type"] == "application/problem+json"
            web = f"http://{gateway.listeners['web']}"
            assert (await api.get(f"{web}/healthz")).status_code == 200
            ready = await api.get(f"{web}/readyz")
            async with asyncio.timeout(PATIENCE_S):
                while ready.status_code != 503:  # an answer from before may count for two seconds
                    await asyncio.sleep(0.1)
                    ready = await api.get(f"{web}/readyz")
            assert ready.status_code == 503 and "the database is not writable" in ready.json()["detail"]
        # What cannot be removed either is no reason to end badly.
        listeners = gateway.folder / "listeners.json"
        listeners.unlink()
        listeners.mkdir()
    finally:
        gateway.process.send_signal(signal.SIGTERM)
        status = await asyncio.to_thread(gateway.process.wait, 30)
    text = await logged
    assert status == 0 and "Traceback" not in text, text
    assert "listeners.json cannot be changed: " in text
