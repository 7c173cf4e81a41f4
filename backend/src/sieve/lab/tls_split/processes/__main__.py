"""One process of the experiment: `python -m sieve.lab.tls_split.processes ASSIGNMENT`, started by `site` only."""

import contextlib
import os
import resource
import socket
import sys
from pathlib import Path

from sieve.lab.errors import LabError
from sieve.lab.tls_split.processes import core_dumps
from sieve.lab.tls_split.processes.assignment import Assignment
from sieve.lab.tls_split.processes.tally import Tally


def main(text: str) -> None:
    """Takes on the role."""
    given = Assignment.of(text)
    if given.cores:
        os.sched_setaffinity(0, given.cores)
        # The kernel divides a core among processes, or among sessions (autogroup). Without priority over other work, a
        # design of three processes would get three times the share of one process.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, -20)
            Path("/proc/self/autogroup").write_text("-20")
    core_dumps.forbid()
    # The handler of the thesis's design needs three descriptors for each connection.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    control = socket.socket(fileno=0)
    sockets = [socket.socket(fileno=descriptor) for descriptor in given.descriptors]
    tally = Tally(given.tally)
    # Imported by role, so that a worker never loads what does handshakes.
    if given.role == "handler-agent":
        from sieve.lab.tls_split.processes.front_end import run_handler_agent

        run_handler_agent(control, *sockets)
    elif given.role == "delegate-agent":
        from sieve.lab.tls_split.processes.back_end import run_delegate_agent

        run_delegate_agent(control, sockets[0], tally, given.slot, given.workers)
    else:
        from sieve.lab.tls_split.processes.event_loop import run
        from sieve.lab.tls_split.processes.front_end import Handler, KeyHolder

        assert given.identity is not None  # noqa: S101 -- `site` gives it to those that do handshakes
        back_end = sockets[1] if len(sockets) > 1 else None
        if back_end:
            back_end.setblocking(False)
        run(Handler(KeyHolder(control, given.identity), tally.row(given.slot), given.design, back_end).run(sockets[0]))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (LabError, OSError) as error:  # TLS errors are such errors, too
        sys.exit(f"sieve lab: {error}")
