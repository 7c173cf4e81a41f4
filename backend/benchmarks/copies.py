"""The floor: the same bytes copied to another process over loopback, raw TCP and raw TLS 1.3, nothing around them.

Run as a program it is the other process: `python -m benchmarks.copies CERTIFICATE KEY` prints its two ports.
"""

import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LENGTH_BYTES = 8
CIPHER = "TLS_AES_256_GCM_SHA384"


class FloorMissing(Exception):
    """The floor cannot be measured; says why."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Connections, open all the time, to the process that takes the copies."""

    tcp: socket.socket
    tls: ssl.SSLSocket

    def tcp_ms(self, content: bytes) -> float:
        """How long a copy takes, from the first byte until the other end says that it has the last."""
        return _copy_ms(self.tcp, content)

    def tls_ms(self, content: bytes) -> float:
        """The same under AES-256-GCM."""
        return _copy_ms(self.tls, content)


@contextmanager
def copies(identity: Path) -> Iterator[Copies]:
    """`identity`: the folder of the certificate that the other process shows."""
    certificate, key = identity / "identity.pem", identity / "identity.key"
    process = subprocess.Popen(  # noqa: S603 -- this module, by this interpreter
        [sys.executable, "-m", "benchmarks.copies", str(certificate), str(key)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    try:
        if process.stdout is None or not (ports := process.stdout.readline().split()):
            raise FloorMissing("the process that takes the copies did not start; the lines above say why")
        plain, secured = (socket.create_connection(("127.0.0.1", int(port))) for port in ports)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with plain, context.wrap_socket(secured) as tls:
            agreed = tls.cipher()
            if agreed is None or agreed[0] != CIPHER:
                raise FloorMissing(f"OpenSSL agreed with itself on {agreed}, not on {CIPHER}")
            for sock in (plain, tls):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield Copies(plain, tls)
    finally:
        process.terminate()
        process.wait()


def _copy_ms(sock: socket.socket, content: bytes) -> float:
    began = time.perf_counter_ns()
    sock.sendall(len(content).to_bytes(LENGTH_BYTES, "big"))
    sock.sendall(content)
    if sock.recv(1) != b"\1":
        raise ConnectionError("the other end of a raw copy left")
    return (time.perf_counter_ns() - began) / 1e6


def _take(listening: socket.socket, context: ssl.SSLContext | None) -> None:
    """Takes copies on one connection until it ends, each into the same memory."""
    sock, _ = listening.accept()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if context is not None:
        sock = context.wrap_socket(sock, server_side=True)
    memory = bytearray()
    while head := sock.recv(LENGTH_BYTES):
        length = int.from_bytes(head, "big")
        if len(memory) < length:
            memory = bytearray(length)
        view, at = memoryview(memory), 0
        while at < length:
            at += sock.recv_into(view[at:length])
        view.release()
        sock.sendall(b"\1")


def main() -> None:
    """Entry point of the other process."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    taking = [
        threading.Thread(target=_take, args=(listener, used))
        for listener, used in zip(listening, (None, context), strict=True)
    ]
    for thread in taking:
        thread.start()
    print(*(listener.getsockname()[1] for listener in listening), flush=True)
    for thread in taking:
        thread.join()


if __name__ == "__main__":
    main()
