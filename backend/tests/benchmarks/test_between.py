"""What is between gateways: relays that burn time, connections that are cut from outside, what openssl says."""

import os
import socket
import subprocess
import sys
import time

import pytest
from benchmarks.cut_connections import cut_connections
from benchmarks.relay import burn, own_ms_per_mb, relays
from benchmarks.slowed import slowed

from benchmarks import triple_des

SAYS = """\
version: 3.0.19
The 'numbers' are in 1000s of bytes per second processed.
type          16384 bytes
DES-EDE3-CBC     33701.89k
"""


def test_milliseconds_for_a_megabyte_by_openssl() -> None:
    assert triple_des.parse(SAYS) == pytest.approx(29.67, abs=0.01)


def test_an_openssl_without_3des_says_so() -> None:
    with pytest.raises(triple_des.SpeedUnknown, match="without it"):
        triple_des.parse("speed: des-ede3-cbc is an unknown cipher or digest\n")


def test_what_is_burnt_is_processor_time_by_bytes() -> None:
    before = time.thread_time_ns()
    burn(1_000_000, 3.0)
    assert time.thread_time_ns() - before >= 3_000_000


def test_two_relays_pass_on_every_byte_both_ways() -> None:
    sent = os.urandom(300_000)
    with socket.create_server(("127.0.0.1", 0)) as listening, relays(0.1) as between:
        between.pass_on(f"127.0.0.1:{listening.getsockname()[1]}")
        with socket.create_connection(("127.0.0.1", between.port), 10) as ours:
            ours.settimeout(10)
            listening.settimeout(10)
            theirs, _ = listening.accept()
            with theirs:
                theirs.settimeout(10)
                ours.sendall(sent)
                ours.shutdown(socket.SHUT_WR)
                assert _first(theirs, len(sent)) == sent


def _first(sock: socket.socket, size: int) -> bytes:
    read = bytearray()
    while len(read) < size and (data := sock.recv(65536)):
        read += data
    return bytes(read)


def test_what_relays_take_for_themselves_is_measured() -> None:
    assert own_ms_per_mb(200_000) > 0


_HOLDER = """
import socket, sys
held = [socket.create_connection(("127.0.0.1", int(port))) for port in sys.argv[1:]]
print("up", flush=True)
sys.stdin.read()
"""


def test_connections_to_an_address_are_cut_and_no_others() -> None:
    with socket.create_server(("127.0.0.1", 0)) as cut, socket.create_server(("127.0.0.1", 0)) as kept:
        ports = [str(server.getsockname()[1]) for server in (cut, kept)]
        holder = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, *ports], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            assert holder.stdout.readline() == "up\n"
            with cut.accept()[0] as gone, kept.accept()[0] as stays:
                try:
                    count = cut_connections([holder.pid], [f"127.0.0.1:{ports[0]}"])
                except PermissionError as error:  # a container that may not trace even its own children
                    holder.stdin.close()
                    pytest.skip(f"no other process's socket can be had here: {error}")
                assert count == 1
                gone.settimeout(10)
                assert gone.recv(1) == b""
                stays.setblocking(False)
                with pytest.raises(BlockingIOError):
                    stays.recv(1)
            holder.stdin.close()


def test_a_slowed_process_runs_on_afterwards() -> None:
    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    process = subprocess.Popen([sys.executable, "-c", echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        with slowed([process.pid], 0.5):
            for number in range(20):
                print(number, file=process.stdin, flush=True)
                assert process.stdout.readline() == f"{number}\n"
        print("over", file=process.stdin, flush=True)
        assert process.stdout.readline() == "over\n"
        process.stdin.close()
