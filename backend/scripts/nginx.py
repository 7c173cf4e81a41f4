"""Runs the configurations of deploy/nginx with the installed nginx, at other addresses and in another folder.

`python -m scripts.nginx` (make check-nginx) asks nginx whether it accepts them; ends with 2 if it is not installed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from scripts.producers import NGINX, Missing
from sieve import demo

FOLDER: Final = Path(__file__).parents[2] / "deploy" / "nginx"
WHOLE: Final = tuple(sorted(path.name for path in FOLDER.glob("*.conf") if "events {" in path.read_text()))
"""The files that are no parts of others."""
BALANCER: Final = "compose.conf"
"""The one of docker-compose.yml's profile `cluster`: a gateway of `REPLICAS`, all on one machine."""
REPLICAS: Final = 3
_ADDRESS: Final = re.compile(r"(?<=listen )[0-9]+|(?<=server )[^ {;]+|(?<=proxy_pass )[a-z0-9.-]+:[0-9]+")
_STREAM: Final = "include /etc/nginx/modules-enabled/*.conf; events {} stream {}"


def prepared(name: str, folder: Path, address: Callable[[str], str]) -> Path:
    """A copy of that configuration in `folder`, with what it includes.

    `address`: what to write in place of a port that it listens on, such as `8443`, or of a server, `replica-1:8443`.
    """
    for path in FOLDER.glob("*.conf"):
        shutil.copy(path, folder)
    path = folder / name
    # Only root may take on another user, and write to /run.
    text = re.sub("^user .*", "", path.read_text(), flags=re.MULTILINE)
    text = re.sub("(?<= )/(run|tmp)/", f"{folder}/", text)
    path.write_text(_ADDRESS.sub(lambda found: address(found[0]), text))
    return path


def command(configuration: Path, *options: str) -> list[str]:
    """The words of a command that runs nginx with it.

    Raises:
        Missing: nginx is not installed, or has no stream module.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(_STREAM + f" pid {file.name}.pid;")
        file.flush()
        if _test(Path(file.name)).returncode:
            raise Missing(f"the stream module of nginx is not installed; on Debian: apt-get install {NGINX.package}")
        Path(f"{file.name}.pid").unlink(missing_ok=True)
    return [NGINX.path(), "-e", "stderr", "-c", str(configuration), *options]


def places(address: Callable[[], str]) -> dict[str, str]:
    """Free addresses in place of those in `BALANCER`: of nginx for browsers (`8080`), for peers (`8443`) and for the
    plain listener of each replica (`8081` and so on), and of the replicas (`replica-1:8080`). `address` gives one."""
    names = ["8080", "8443", *(str(8080 + number) for number in range(1, REPLICAS + 1))]
    names += [f"replica-{number}:{port}" for number in range(1, REPLICAS + 1) for port in (8080, 8443, 8081)]
    return {name: address() for name in names}


def binds(at: Mapping[str, str], number: int) -> dict[str, str]:
    """The listeners of a replica, counted from 1."""
    ports = (("web", 8080), ("secure", 8443), ("plain", 8081))
    return {listener: at[f"replica-{number}:{port}"] for listener, port in ports}


@contextmanager
def balancer(folder: Path, at: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """nginx with `BALANCER` at these `places`, in `folder`, until the block ends.

    Raises:
        Missing: see `command`.
    """
    words = command(prepared(BALANCER, folder, at.__getitem__), "-g", "daemon off;")
    with (folder / "nginx.log").open("ab") as log:
        # In its own process group, as the gateways: Ctrl-C reaches only us.
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _test(configuration: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [NGINX.path(), "-e", "stderr", "-t", "-q", "-c", str(configuration)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def main() -> int:
    """Checks every whole configuration; prints what was checked."""
    try:
        with tempfile.TemporaryDirectory(prefix="sieve-nginx-") as temporary:
            folder = Path(temporary)
            command(folder)
            demo.make_identities(folder / "identities", ("web",))
            for kind in ("pem", "key"):
                shutil.copy(folder / "identities" / "web" / f"identity.{kind}", folder / f"web.{kind}")
            for name in WHOLE:
                done = _test(prepared(name, folder, lambda address: f"unix:{folder}/{address}"))
                if done.returncode or done.stdout:
                    print(f"deploy/nginx/{name}: {done.stdout}", file=sys.stderr)
                    return 1
            print(f"{NGINX.version()} accepts {', '.join(WHOLE)}")
    except Missing as missing:
        print(f"make: {missing}; deploy/nginx is not checked", file=sys.stderr)
        return 2
    except demo.DemoError as error:
        print(f"make: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
