"""Several front ends, rotating ticket keys, and processes that die."""

import os
import signal
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sieve.lab.errors import LabError
from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.assignment import OWN_RECORDS, Design
from sieve.lab.tls_split.processes.site import Site
from tls_in_memory import TLS12, TLS13, client_context, identity
from tls_over_sockets import get

MOST_ATTEMPTS = 200
"""Of clients that connect at once, until each of two handlers has had one."""


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


@pytest.mark.parametrize("design", ["direct", "through-handler"])
def test_processes_that_die_are_replaced_without_a_failed_connection(design: Design) -> None:
    context = client_context()
    agents = ["handler-agent"] if design == "through-handler" else []
    with Site(design, identity("ecdsa")[0]) as site:
        for role in ("worker", "delegate-agent", "worker", "handler", *agents):
            (victim,) = site.pids(role)
            os.kill(victim, signal.SIGKILL)
            # New connections wait in a queue until the next process takes them. A worker serves until it notices that
            # its agent is gone.
            while site.pids(role) == [victim]:
                assert get(site, context, 5000)[0] == document(5000)
            assert get(site, context, 5000)[0] == document(5000)


def test_workers_that_are_killed_under_load_take_only_the_connections_that_they_had() -> None:
    """A connection that a worker has taken ends with it. Its client connects again, and nobody else notices."""
    context, kills, clients = client_context(), 3, 4
    with Site("direct", identity("ecdsa")[0], workers=2) as site:
        stop, lost, served, wrong = threading.Event(), list[int](), list[int](), list[str]()

        def ask_again_and_again(number: int) -> None:
            while not stop.is_set():
                try:
                    body = get(site, context, 200_000)[0]
                except OSError:  # TLS errors are such errors, too
                    lost.append(number)
                else:
                    served.append(number)
                    # What ended early has lost its end; all else is right.
                    if body != document(200_000):
                        lost.append(number)
                        if not document(200_000).startswith(body):
                            wrong.append("another document")

        threads = [threading.Thread(target=ask_again_and_again, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            before, victims = len(served), site.pids("worker")
            os.kill(victims[0], signal.SIGKILL)
            while len(served) < before + clients or site.pids("worker") == victims:
                assert any(thread.is_alive() for thread in threads)
        stop.set()
        for thread in threads:
            thread.join()
        assert not wrong
        # Each client has one connection at a time, so a kill ends at most that of each.
        assert len(lost) <= kills * clients
        assert get(site, context, 5000)[0] == document(5000)


@pytest.mark.parametrize("version", [TLS12, TLS13])
def test_one_process_serves_with_the_records_of_a_worker(version: ssl.TLSVersion) -> None:
    context = client_context(version=version)
    with Site(OWN_RECORDS, identity("ecdsa")[0]) as site:
        assert site.pids("one-process") and not site.pids("worker")
        body, session, _ = get(site, context, 200_000)
        assert (body, get(site, context, 10, session)[2]) == (document(200_000), True)


def test_handlers_share_a_listener() -> None:
    with Site("direct", identity("ecdsa")[0], handlers=2) as site:
        context = client_context()
        for _ in range(MOST_ATTEMPTS):
            with ThreadPoolExecutor(8) as clients:
                assert set(clients.map(lambda _: get(site, context)[0], range(8))) == {document(100)}
            if all(site.handshakes_by_handler()):
                break
        else:
            pytest.fail(f"one handler had no connection: {site.handshakes_by_handler()}")


def test_a_handler_that_cannot_start_is_an_error_and_leaves_nothing_behind() -> None:
    with pytest.raises(LabError):
        Site("direct", b"no key")
