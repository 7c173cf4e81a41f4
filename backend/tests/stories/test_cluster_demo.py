"""`make cluster` and `make demo CLUSTER=1`: three replicas behind nginx, on PostgreSQL and an S3 store."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import psutil

from stories.ending import end

CLUSTER: Final = (sys.executable, "-m", "scripts.cluster")
BACKEND: Final = Path(__file__).parents[2]
ENVIRONMENT: Final = os.environ | {"PYTHONPATH": f"{BACKEND}:{BACKEND / 'tests'}"}
PATIENCE_S: Final = 180.0


@contextmanager
def running(folder: Path) -> Iterator[dict[str, Any]]:
    """`make cluster`, ended as a service manager would, and what it printed."""
    command = [*CLUSTER, "run", "--json", "--data", str(folder / "data")]
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=ENVIRONMENT)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline() or (folder / "errors").read_text())
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert psutil.wait_procs(started, 10)[1] == []
    finally:
        end(process, 60)


@contextmanager
def signed_in(gateway: dict[str, Any], name: str) -> Iterator[httpx.Client]:
    """A client that asks as that person's browser."""
    headers = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=f"{gateway['url']}/api/v1", headers=headers, timeout=30, trust_env=False) as client:
        answer = client.post("/session", json={"name": name, "password": gateway["people"][name]["password"]})
        assert answer.status_code == 200, answer.text
        yield client


def test_the_demo_sends_a_document_through_replicas() -> None:
    done = subprocess.run([*CLUSTER, "once"], capture_output=True, check=False, timeout=600, env=ENVIRONMENT)

    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["mode"], result["identical"], result["receipt_verified"]) == ("sieve", True, True)


def kill(pid: int) -> None:
    """Kills a replica, and waits until it is gone: one that is dying may still accept connections."""
    replica = psutil.Process(pid)
    replica.kill()
    replica.wait(PATIENCE_S)


def test_people_notice_nothing_of_a_killed_replica(tmp_path: Path) -> None:
    with running(tmp_path) as told, signed_in(told["alpha"], "anna") as anna:
        [draft] = anna.get("/drafts").json()["items"]
        with signed_in(told["bravo"], "bruno") as bruno:
            for label, replica in told["replicas"].items():
                kill(replica["pid"])
                asked = {"document_id": draft["document_id"], "peer": "bravo", "recipients": ["bruno"]}
                sent = anna.post("/transfers", json=asked)
                assert sent.status_code == 202, sent.text
                until = time.monotonic() + PATIENCE_S
                while sent.json()["id"] not in {each["transfer_id"] for each in bruno.get("/inbox").json()["items"]}:
                    assert time.monotonic() < until
                    time.sleep(0.1)  # the gateways are other processes, and only their answers show it
                while f"{label} ended with status -9, and runs again" not in (tmp_path / "errors").read_text():
                    assert time.monotonic() < until
                    time.sleep(0.1)  # so is the one that starts replicas
