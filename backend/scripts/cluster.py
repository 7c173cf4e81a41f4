"""`make cluster` and `make demo CLUSTER=1`: alpha as three replicas behind nginx, on PostgreSQL and an S3 store, and
bravo.

Everything is on loopback, on free ports, without Docker. nginx has the configuration of docker-compose.yml's profile
`cluster`. The servers are those of the tests: their data is in temporary folders, and ends with them.

    browser ──▶ nginx ──▶ alpha-1, alpha-2, alpha-3 ──▶ PostgreSQL, S3 store
    bravo   ──▶ nginx ──▶ the one that nginx chose for bravo's address
"""

import argparse
import json
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import httpx

import s3_server
from postgres_server import PostgresServer
from reserved_ports import ReservedPorts
from s3_server import S3Server
from scripts import nginx
from scripts.producers import Missing
from sieve import demo
from sieve.demo.gateways import ROOT
from sieve.demo.once import QUIET, SAMPLE, once
from sieve.demo.people import SavedAccess
from sieve.demo.run import POLL_S, access, prepare, table

ALPHA, BRAVO = demo.NAMES
DATA: Final = ROOT / "data" / "cluster"
BUCKET: Final = "documents"
START_S: Final = 30.0
INTERRUPTED: Final = 130


@dataclass(slots=True)
class Cluster:
    """`alpha`: the gateway as nginx shows it; its process is nginx. `replicas`: by their labels, such as alpha-1."""

    folder: Path
    places: dict[str, str]
    shared: Mapping[str, str]
    log: bool
    replicas: dict[str, demo.Running] = field(default_factory=dict)
    alpha: demo.Running = field(init=False)
    bravo: demo.Running = field(init=False)

    def start(self, number: int) -> demo.Running:
        """Starts a replica, perhaps again."""
        label = f"{ALPHA}-{number}"
        data = self.folder / label / ALPHA
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if number > 1 and not (data / "admin.token").exists():
            shutil.copy(self.folder / f"{ALPHA}-1" / ALPHA / "admin.token", data)
        own = {"SIEVE_PLAIN_URL": f"http://{self.places[str(8080 + number)]}"}
        started = self.replicas[label] = demo.start(
            ALPHA,
            self.folder / label,
            self.folder / "identities",
            nginx.binds(self.places, number),
            extra={**self.shared, **own},
            log_file=self.log_of(label),
        )
        return started

    def log_of(self, label: str) -> Path | None:
        """Where a process logs; None: to our stderr."""
        return self.folder / f"{label}.log" if self.log else None


@contextmanager
def cluster(folder: Path, *, log: bool) -> Iterator[Cluster]:
    """Both gateways, paired. `log`: whether they log to files in `folder`, or only warnings to stderr.

    Raises:
        demo.DemoError: something is not installed, or does not start.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    demo.make_identities(folder / "identities")
    with ExitStack() as stack:
        ports = stack.enter_context(ReservedPorts())
        places = nginx.places(ports.address)
        # First, because it may be missing.
        try:
            balancer = stack.enter_context(nginx.balancer(folder, places))
        except Missing as missing:
            raise demo.DemoError(str(missing)) from missing
        settings = {**_servers(stack), **({} if log else QUIET)}
        shared = settings | {
            "SIEVE_MASTER_KEY_FILE": str(folder / "alpha-master.key"),
            "SIEVE_SECURE_URL": f"https://{places['8443']}",
            "SIEVE_TRUSTED_PROXY": "127.0.0.1",
            "SIEVE_ALLOWED_HOSTS": "localhost",
        }
        them = Cluster(folder, places, shared, log)
        stack.callback(lambda: _stop([*them.replicas.values()]))
        first = them.start(1)
        published = {"secure": places["8443"], "plain": places["8081"]}
        them.bravo = demo.start(
            BRAVO,
            folder,
            folder / "identities",
            dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0"),
            extra={} if log else QUIET,
            log_file=them.log_of(BRAVO),
        )
        stack.callback(them.bravo.stop)
        for number in range(2, nginx.REPLICAS + 1):
            them.start(number)
        them.alpha = replace(first, process=balancer, listeners={"web": places["8080"], **published})
        _wait_for(them.alpha)
        demo.pair(them.alpha, them.bravo)
        yield them


def _servers(stack: ExitStack) -> dict[str, str]:
    """Starts PostgreSQL and the S3 store; returns the settings that name them."""
    try:
        database = PostgresServer.start()
        stack.callback(database.stop)
        database.do(_make_database(database))
        store = S3Server.start()
        stack.callback(store.stop)
        store.make_bucket(BUCKET)
    except RuntimeError as error:
        raise demo.DemoError(f"a server did not start: {error}") from error
    return {
        "SIEVE_DATABASE_URL": database.address(ALPHA),
        "SIEVE_BLOBS": f"s3://{BUCKET}/{ALPHA}",
        "SIEVE_S3_ENDPOINT": store.endpoint,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": s3_server.KEY,
        "AWS_SECRET_ACCESS_KEY": s3_server.SECRET,
    }


async def _make_database(database: PostgresServer) -> None:
    connection = await database.connect("postgres")
    try:
        await connection.execute("CREATE ROLE gateway LOGIN")
        await connection.execute(f"CREATE DATABASE {ALPHA} OWNER gateway")
    finally:
        await connection.close()


def _wait_for(gateway: demo.Running) -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            if httpx.get(f"{gateway.url}/healthz", trust_env=False, verify=demo.NO_TLS).status_code == 200:
                return
        except httpx.TransportError as error:
            if gateway.process.poll() is not None or time.monotonic() > until:
                raise demo.DemoError("nginx did not start") from error
        time.sleep(POLL_S)  # only an answer shows that it is ready


def _stop(running: list[demo.Running]) -> None:
    for one in running:
        if one.process.poll() is None:
            one.process.terminate()
    for one in running:
        one.stop()


def run(folder: Path, *, as_json: bool) -> int:
    """Prints how to sign in, and starts replicas that stop again, until it is interrupted; returns the exit status.

    Everything in `folder` is removed at the start.
    """
    if folder.exists():
        if not (folder / nginx.BALANCER).exists():
            raise demo.DemoError(f"{folder} is not from an earlier start; name another folder")
        shutil.rmtree(folder)
    print("starting PostgreSQL, an S3 store, nginx and four gateways", file=sys.stderr)
    with cluster(folder, log=True) as them:
        saved = SavedAccess.read(folder / "people.json")
        prepare((them.alpha, them.bravo), saved, SAMPLE)
        print(json.dumps(_access(them, saved)) if as_json else _table(them, saved), flush=True)
        try:
            while True:
                for number, (label, one) in enumerate([*them.replicas.items()], 1):
                    if (status := one.process.poll()) is not None:
                        try:
                            again = them.start(number)
                        except demo.DemoError as error:
                            print(f"{label} ended with status {status}; {error}; trying again", file=sys.stderr)
                            continue
                        print(
                            f"{label} ended with status {status}, and runs again as process {again.process.pid}",
                            file=sys.stderr,
                        )
                time.sleep(POLL_S)  # no single call waits for several processes
        except KeyboardInterrupt:
            return 0


def _table(them: Cluster, saved: SavedAccess) -> str:
    lines = [f"  {label}   {one.url}   process {one.process.pid}" for label, one in them.replicas.items()]
    return "\n".join(
        [
            *table((them.alpha, them.bravo), saved),
            "",
            f"{ALPHA} is nginx (process {them.alpha.process.pid}) in front of three replicas:",
            *lines,
            "To try an outage, kill one: the others go on, and it starts again by itself.",
            f"Logs are in {them.folder}. The next start begins with nothing.",
            "Stop with Ctrl-C.",
        ]
    )


def _access(them: Cluster, saved: SavedAccess) -> dict[str, object]:
    replicas = {label: {"url": one.url, "pid": one.process.pid} for label, one in them.replicas.items()}
    return {**access((them.alpha, them.bravo), saved), "replicas": replicas}


@contextmanager
def _quiet_cluster(folder: Path) -> Iterator[tuple[demo.Running, demo.Running]]:
    with cluster(folder, log=False) as them:
        yield them.alpha, them.bravo


def main() -> int:
    """Entry point; returns the exit status. An error is one line."""
    parser = argparse.ArgumentParser(prog="scripts.cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("once", help="send one document, then stop")
    one.add_argument("--file", type=Path, default=SAMPLE)
    one.add_argument("send_options", nargs="*")
    runs = commands.add_parser("run", help="run until interrupted")
    runs.add_argument("--data", type=Path, default=DATA, help="the folder for logs, keys and spools; emptied first")
    runs.add_argument("--json", action="store_true", help="print one line of JSON instead of a table")
    arguments, more = parser.parse_known_args()
    # SIGTERM stops everything in the same orderly way as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if arguments.command == "once":
            options = [option for option in [*arguments.send_options, *more] if option != "--"]
            return once(arguments.file, options, _quiet_cluster)
        if more:
            runs.error(f"unknown options: {' '.join(more)}")
        return run(arguments.data, as_json=arguments.json)
    except (demo.DemoError, OSError) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
