"""What is in whose memory: the private key, and the secrets of a connection while it is open and after that."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.assignment import Design
from sieve.lab.tls_split.processes.identity import KeyKind
from sieve.lab.tls_split.processes.site import ROLES, Site
from tls_in_memory import TLS12, TLS13, client_context, identity
from tls_over_sockets import OpenConnection, get
from tls_secrets import private_forms


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


def found_in(pid: int, secrets: Mapping[str, bytes]) -> set[str]:
    return {name for part in memory_of(pid) for name, secret in secrets.items() if secret in part}


@pytest.mark.parametrize(("design", "kind"), [("direct", "rsa"), ("through-handler", "ecdsa")])
def test_only_the_handler_has_the_private_key_in_its_memory(design: Design, kind: KeyKind) -> None:
    pem = identity(kind)[0]
    secrets, context = private_forms(pem), client_context(kind)
    with Site(design, pem) as site:
        for _ in range(3):
            get(site, context)
        # Else the search would find nothing anywhere.
        assert holds(site.pids("handler")[0], secrets)
        others = [pid for role in ROLES if role != "handler" for pid in site.pids(role)]
        assert len(others) == (2 if design == "direct" else 3)
        for pid in others:
            assert not holds(pid, secrets), Path(f"/proc/{pid}/cmdline").read_text()


@pytest.mark.parametrize("design", ["through-handler", "direct"])
def test_secrets_of_a_connection_are_gone_when_it_is_over(design: Design, tmp_path: Path) -> None:
    cases = [(TLS13, None), (TLS12, "ECDHE+CHACHA20"), (TLS12, "ECDHE+AESGCM")]
    with Site(design, identity("ecdsa")[0]) as site:
        (worker,), (handler,) = site.pids("worker"), site.pids("handler")
        for number, (version, ciphers) in enumerate(cases):
            context = client_context(version=version)
            if ciphers:
                context.set_ciphers(ciphers)
            connection = OpenConnection(site, context, tmp_path / str(number))
            assert connection.ask(50_000) == document(50_000)
            secrets = connection.secrets()
            # Else the search would find nothing anywhere.
            assert {"read secret", "write secret"} <= found_in(worker, secrets)
            connection.close()
            # Another connection, so that the end of that one is over, too.
            get(site, client_context(), 50_000)
            assert not found_in(worker, secrets)
            assert not found_in(handler, secrets)
