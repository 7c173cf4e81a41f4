"""The reference: a kept-open httpx client PUTs the same document to nginx, over TLS 1.3 and over plain HTTP."""

import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.cases import AES_256

START_S = 10.0
MISSING = "nginx is not on the PATH (Debian: apt-get install nginx-light)"

# One worker, and `user root` only where we are root: nginx would drop to nobody, who may not write into our folder.
_CONFIGURATION = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_max_body_size 0;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/unused;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    keepalive_requests 1000000;
    keepalive_timeout 3600;
    client_header_timeout 3600;
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{secure} ssl;
        ssl_certificate {identity}/identity.pem;
        ssl_certificate_key {identity}/identity.key;
        ssl_protocols TLSv1.3;
        root {folder}/www;
        dav_methods PUT;
    }}
}}
"""


class NginxMissing(Exception):
    """nginx cannot be measured here; the message says why."""


@dataclass(frozen=True, slots=True)
class Nginx:
    """Two clients, each with a connection that stays open."""

    plain: httpx.Client
    secure: httpx.Client

    def plain_ms(self, content: bytes) -> float:
        """How long a PUT over HTTP takes, answer included."""
        return _put_ms(self.plain, content)

    def tls_ms(self, content: bytes) -> float:
        """The same over HTTPS."""
        return _put_ms(self.secure, content)


@contextmanager
def nginx(folder: Path, identity: Path) -> Iterator[Nginx]:
    """An nginx of our own, with its files in `folder`.

    Raises:
        NginxMissing: there is none, or it does not start.
    """
    program = shutil.which("nginx")
    if program is None:
        raise NginxMissing(MISSING)
    (folder / "www").mkdir(parents=True, exist_ok=True)
    plain, secure = _free_port(), _free_port()
    user = "user root;" if folder.stat().st_uid == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(folder=folder, identity=identity, plain=plain, secure=secure, user=user)
    )
    process = subprocess.Popen(  # noqa: S603 -- the nginx of this machine
        [program, "-c", str(configuration), "-e", "stderr"], stdin=subprocess.DEVNULL
    )
    try:
        _wait_for(plain, process)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with (
            httpx.Client(base_url=f"http://127.0.0.1:{plain}", trust_env=False, timeout=60) as over_http,
            httpx.Client(
                base_url=f"https://127.0.0.1:{secure}", trust_env=False, timeout=60, verify=context
            ) as over_https,
        ):
            _check_cipher(over_https)
            yield Nginx(over_http, over_https)
    finally:
        process.terminate()
        process.wait()


def _check_cipher(client: httpx.Client) -> None:
    """Checks the cipher: with another one, the times could not be compared."""
    with client.stream("PUT", "/first", content=b"first") as answer:
        agreed = answer.extensions["network_stream"].get_extra_info("ssl_object").cipher()[0]
    if agreed != AES_256:
        raise NginxMissing(f"nginx agreed on {agreed}, not on {AES_256}")


def _put_ms(client: httpx.Client, content: bytes) -> float:
    began = time.perf_counter_ns()
    answer = client.put("/document", content=content)
    took = time.perf_counter_ns() - began
    answer.raise_for_status()
    return took / 1e6


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > until:
                raise NginxMissing("nginx did not start; the lines above say why") from error
            time.sleep(0.02)
