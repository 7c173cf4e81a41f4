"""Several front ends, rotating ticket keys, processes that die, and what is in whose memory."""

import os
import re
import signal
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from sieve.lab.errors import LabError
from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.site import Site
from tls_in_memory import TLS12, TLS13, client_context, identity

LIMIT_S = 60


def get(
    site: Site, context: ssl.SSLContext, size: int = 100, session: ssl.SSLSession | None = None
) -> tuple[bytes, ssl.SSLSession | None, bool]:
    """The document, the session to resume, and whether this one was resumed."""
    with (
        socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S) as plain,
        context.wrap_socket(plain, server_hostname="localhost", session=session) as tls,
    ):
        tls.sendall(b"GET /%d HTTP/1.1\r\nConnection: close\r\n\r\n" % size)
        answer = b""
        while more := tls.recv(2**16):
            answer += more
        return answer.partition(b"\r\n\r\n")[2], tls.session, bool(tls.session_reused)


@pytest.mark.parametrize("version", [TLS12, TLS13])
def test_a_ticket_resumes_at_every_front_end_also_while_keys_rotate(version: ssl.TLSVersion) -> None:
    context = client_context(version=version)
    with Site("direct", identity("ecdsa")[0], front_ends=3, handlers=1, workers=2) as site:
        _, session, _ = get(site, context)
        stop, failures = threading.Event(), list[str]()

        def resume_again_and_again() -> None:
            own = session
            while not stop.is_set():
                body, following, is_resumed = get(site, context, 100, own)
                # In TLS 1.2 the ticket stays the same, so it lasts for one rotation only.
                if body != document(100) or (not is_resumed and version == TLS13):
                    failures.append("a client failed, or its session was not resumed")
                own = following

        clients = [threading.Thread(target=resume_again_and_again) for _ in range(3)]
        for client in clients:
            client.start()
        for _ in range(3):
            site.rotate_ticket_keys()
            for _ in range(5):
                get(site, context)
        stop.set()
        for client in clients:
            client.join()
        assert not failures
        # The kernel divides connections: with three front ends and dozens of connections each had some.
        assert all(site.handshakes_by_handler())


def test_workers_and_back_ends_that_die_are_replaced_without_a_failed_connection() -> None:
    context = client_context()
    with Site("direct", identity("ecdsa")[0]) as site:
        for role in ("worker", "delegate-agent", "worker", "handler", "handler-agent"):
            (victim,) = site.pids(role)
            os.kill(victim, signal.SIGKILL)
            # New connections wait in a queue until the next process takes them. A worker serves until it notices that
            # its agent is gone.
            while site.pids(role) == [victim]:
                assert get(site, context, 5000)[0] == document(5000)
            assert get(site, context, 5000)[0] == document(5000)


def test_a_handler_that_cannot_start_is_an_error_and_leaves_nothing_behind() -> None:
    with pytest.raises(LabError):
        Site("direct", b"no key")


def numbers_of(pem: bytes) -> Sequence[bytes]:
    """What gives the private key away: each secret number, in both orders of bytes, and the text."""
    key = load_pem_private_key(pem[pem.index(b"-----BEGIN PRIVATE KEY") :], None)
    if isinstance(key, rsa.RSAPrivateKey):
        private = key.private_numbers()
        numbers, size = [private.p, private.q, private.dmp1, private.d], 128
    else:
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        numbers, size = [key.private_numbers().private_value], 32
    found = [
        number.to_bytes(max(size, (number.bit_length() + 7) // 8), order)
        for number in numbers
        for order in ("big", "little")
    ]
    return [*found, pem.splitlines()[-5]]


def memory_of(pid: int) -> Iterator[bytes]:
    """Every readable part of a process's memory."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r[w-]", line)
            # Pages of the kernel have no memory of the process.
            if match and not line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                begin, end = (int(each, 16) for each in match.groups())
                memory.seek(begin)
                try:
                    yield memory.read(end - begin)
                except OSError:  # a file's end that is mapped, but not there
                    continue


def holds(pid: int, secrets: Sequence[bytes]) -> bool:
    return any(secret in part for part in memory_of(pid) for secret in secrets)


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_only_the_handler_has_the_private_key_in_its_memory(kind: str) -> None:
    pem = identity("rsa" if kind == "rsa" else "ecdsa")[0]
    secrets, context = numbers_of(pem), client_context("rsa" if kind == "rsa" else "ecdsa")
    with Site("direct", pem) as site:
        for _ in range(3):
            get(site, context)
        # Else the search would find nothing anywhere.
        assert holds(site.pids("handler")[0], secrets)
        for role in ("worker", "delegate-agent", "handler-agent"):
            assert not holds(site.pids(role)[0], secrets), role


def test_secrets_of_a_connection_are_gone_when_it_is_over(tmp_path: Path) -> None:
    keylog = tmp_path / "keylog"
    with Site("direct", identity("ecdsa")[0]) as site:
        for version in (TLS12, TLS13):
            context = client_context(version=version)
            context.keylog_filename = str(keylog)
            get(site, context, 50_000)
        # Another connection, so that the last one's end is over, too.
        for _ in range(3):
            get(site, client_context(), 50_000)
        labels = (b"CLIENT_RANDOM", b"CLIENT_TRAFFIC_SECRET_0", b"SERVER_TRAFFIC_SECRET_0")
        digits = [line.split()[2] for line in keylog.read_bytes().splitlines() if line.startswith(labels)]
        assert len(digits) == 3
        secrets = [*digits, *(bytes.fromhex(each.decode()) for each in digits)]
        assert not holds(site.pids("worker")[0], secrets)
        # OpenSSL encodes a session for its ticket, and frees that memory without clearing it. So the handler has the
        # last master secret of TLS 1.2, which is the first secret here.
        assert not holds(site.pids("handler")[0], [each for each in secrets if each not in (digits[0], secrets[3])])
