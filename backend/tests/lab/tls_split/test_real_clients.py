"""curl, `openssl s_client` and httpx against running servers of each design."""

import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest

from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.site import Site
from tls_in_memory import TLS12, TLS13, client_context

LIMIT_S = 60
OPENSSL, CURL = shutil.which("openssl") or "openssl", shutil.which("curl") or "curl"
SUITES = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
CIPHERS_12 = ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305")


def s_client(site: Site, ca_file: Path, typed: str, *options: str) -> str:
    """What `openssl s_client` prints; `typed` is its input, in which `K`, `R` and `Q` are commands."""
    command = [OPENSSL, "s_client", "-connect", f"localhost:{site.port}", "-CAfile", str(ca_file), *options]
    command += ["-verify_return_error", "-servername", "localhost"]
    done = subprocess.run(
        command, input=typed.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False
    )
    return done.stdout.decode()


@pytest.mark.parametrize("options", [("--tlsv1.3",), ("--tls-max", "1.2")])
def test_curl(site: Site, ca_file: Path, options: tuple[str, ...]) -> None:
    # Two documents over one connection, which curl keeps.
    urls = [f"https://localhost:{site.port}/{size}" for size in (200_000, 10)]
    command = [CURL, "--silent", "--show-error", "--cacert", str(ca_file), *options, *urls]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=True)
    assert done.stdout == document(200_000) + document(10)


@pytest.mark.parametrize("version", [TLS12, TLS13])
def test_httpx(site: Site, version: ssl.TLSVersion) -> None:
    with httpx.Client(verify=client_context(version=version), base_url=f"https://localhost:{site.port}") as client:
        for size in (0, 2000, 200_000):
            assert client.get(f"/{size}").content == document(size)
        assert client.get("/none").status_code == 404


@pytest.mark.parametrize("suite", SUITES)
def test_s_client_on_tls_13(site: Site, ca_file: Path, suite: str) -> None:
    typed = "GET /300 HTTP/1.1\nConnection: close\n\n"
    said = s_client(site, ca_file, typed, "-tls1_3", "-ciphersuites", suite, "-crlf", "-ign_eof")
    assert f"Cipher is {suite}" in said
    assert document(300).decode() in said
    assert "Verify return code: 0 (ok)" in said
    assert said.count("Post-Handshake New Session Ticket arrived") == 2


@pytest.mark.parametrize("cipher", CIPHERS_12)
def test_s_client_on_tls_12(site: Site, ca_file: Path, cipher: str) -> None:
    typed = "GET /300 HTTP/1.1\nConnection: close\n\n"
    said = s_client(site, ca_file, typed, "-tls1_2", "-cipher", cipher, "-crlf", "-ign_eof")
    assert f"Cipher is {cipher}" in said
    assert document(300).decode() in said


def test_key_updates_of_s_client(site: Site, ca_file: Path) -> None:
    """`K` updates its keys and asks the server to do the same; the next answer is under new keys in both directions."""
    # The pipe stays open until the server's last answer, so that s_client reads line by line what was typed.
    command = [OPENSSL, "s_client", "-connect", f"localhost:{site.port}", "-CAfile", str(ca_file), "-tls1_3", "-crlf"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
    ) as running:
        assert running.stdin and running.stdout
        said = b""

        def until(wanted: bytes) -> None:
            nonlocal said
            while wanted not in said:
                more = running.stdout.read(4096) if running.stdout else b""
                assert more, said
                said += more

        for size in (100, 200):
            running.stdin.write(b"GET /%d HTTP/1.1\n\n" % size)
            until(b"Content-Length: %d\r\nConnection: keep-alive\r\n\r\n" % size + document(size))
            running.stdin.write(b"K\n")
            until(b"KEYUPDATE")
            said = b""
        running.stdin.write(b"GET /300 HTTP/1.1\nConnection: close\n\n")
        until(document(300))
    assert b"alert" not in said


def test_renegotiation_is_declined(site: Site, ca_file: Path) -> None:
    said = s_client(site, ca_file, "R\n", "-tls1_2")
    assert "RENEGOTIATING" in said
    assert "no renegotiation" in said


def test_sessions_resume_by_ticket(site: Site, ca_file: Path, tmp_path: Path) -> None:
    for version in ("-tls1_2", "-tls1_3"):
        kept, typed = str(tmp_path / version), "GET /30 HTTP/1.1\nConnection: close\n\n"
        first = s_client(site, ca_file, typed, version, "-sess_out", kept, "-crlf", "-ign_eof")
        again = s_client(site, ca_file, typed, version, "-sess_in", kept, "-crlf", "-ign_eof")
        assert re.search(r"^New, ", first, re.MULTILINE)
        assert re.search(r"^Reused, ", again, re.MULTILINE)
        assert document(30).decode() in again


class RawClient:
    """A TLS client of which a test holds every byte."""

    def __init__(self, site: Site, version: ssl.TLSVersion = TLS13) -> None:
        self.socket = socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S)
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = client_context(version=version).wrap_bio(self._in, self._out, server_hostname="localhost")

    def shake_hands(self) -> bytes:
        """Up to Finished, which is not sent but returned."""
        while True:
            try:
                self.tls.do_handshake()
                return self._out.read()
            except ssl.SSLWantReadError:
                self.socket.sendall(self._out.read())
                self._in.write(self.socket.recv(2**16))

    def sealed(self, data: bytes) -> bytes:
        self.tls.write(data)
        return self._out.read()

    def closes(self) -> None:
        """Sends close_notify and takes the server's."""
        with pytest.raises(ssl.SSLWantReadError):
            self.tls.unwrap()
        self.socket.sendall(self._out.read())
        self._in.write(self.socket.recv(2**16))
        self.tls.unwrap()

    def heard(self, size: int) -> bytes:
        """Application data of this size, or up to close_notify."""
        plain = b""
        while len(plain) < size:
            try:
                content = self.tls.read(2**16)
            except ssl.SSLWantReadError:
                received = self.socket.recv(2**16)
                assert received, "closed without close_notify"
                self._in.write(received)
                continue
            if not content:
                break
            plain += content
        return plain


ASKED = b"GET /20000 HTTP/1.1\r\nConnection: close\r\n\r\n"


def test_a_client_that_speaks_early_and_one_whose_record_is_half_read(site: Site) -> None:
    for cut in (-len(ASKED), 3, 40, None):
        client = RawClient(site)
        with client.socket:
            finished = client.shake_hands()
            request = client.sealed(ASKED)
            # Finished and a part of the next record in one packet; the handler must not swallow that part.
            at = len(finished) + (cut if cut and cut > 0 else 0)
            whole = finished + request
            if cut is None:
                at = len(whole)
            client.socket.sendall(whole[:at])
            client.socket.sendall(whole[at:])
            assert client.heard(2**20).endswith(document(20_000))


def test_the_connection_ends_with_close_notify_and_answers_one(site: Site) -> None:
    client = RawClient(site)
    with client.socket:
        client.socket.sendall(client.shake_hands() + client.sealed(b"GET /9 HTTP/1.1\r\n\r\n"))
        assert client.heard(len(document(9)) + 60).endswith(document(9))
        client.closes()
        assert client.socket.recv(1) == b""


@pytest.mark.parametrize("version", [TLS12, TLS13])
def test_a_record_that_is_not_authentic_is_answered_with_an_alert(site: Site, version: ssl.TLSVersion) -> None:
    client = RawClient(site, version)
    with client.socket:
        client.socket.sendall(client.shake_hands())
        client.socket.sendall(b"\x17\3\3\0\x30" + bytes(0x30))
        with pytest.raises(ssl.SSLError, match="bad record mac"):
            client.heard(1)


def test_resets_hurt_nobody_else(site: Site, ca_file: Path) -> None:
    for step in range(3):
        client = RawClient(site)
        with client.socket:
            # A reset instead of an orderly end: before, in and after the handshake.
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            if step:
                finished = client.shake_hands()
                if step == 2:
                    client.socket.sendall(finished + client.sealed(b"GET /1000000 HTTP/1.1\r\n\r\n"))
    test_curl(site, ca_file, ("--tlsv1.3",))


def test_what_is_no_tls_is_refused(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        said = plain.recv(100)
        assert not said or said[0] == 21  # an alert
