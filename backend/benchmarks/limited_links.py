"""Links with a limited rate: the receiver runs in a network namespace that two links reach, each a token bucket.

One link carries the secure channel, the other one the plain channel. If a case has one shared link, the plain address
is routed over the first link, too. Only the sender's direction is limited; the other one carries acknowledgements.
Needs root, iproute2 and a kernel with veth and tbf.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.cases import Link

# Longer than a bucket of one packet, short beside a transfer: 32 KiB are 2.6 ms of 100 Mbit/s.
BURST = "32kb"
LATENCY = "200ms"


class LinksUnavailable(Exception):
    """This machine cannot have limited links; the message says why."""


@dataclass(frozen=True, slots=True)
class LimitedLinks:
    """`namespace`: where the receiver runs. `secure`, `plain`: its addresses. `sender`: ours on the first link."""

    namespace: str
    sender: str
    secure: str
    plain: str
    devices: tuple[str, str]

    def shape(self, link: Link) -> None:
        """From now on the links have these rates."""
        for device, rate in zip(self.devices, (link.secure_mbit, link.plain_mbit), strict=True):
            _run(f"tc qdisc replace dev {device} root tbf rate {rate}mbit burst {BURST} latency {LATENCY}")
        way = self.devices[0] if link.is_shared else self.devices[1]
        _run(f"ip route replace {self.plain}/32 dev {way}")


@contextmanager
def limited_links() -> Iterator[LimitedLinks]:
    """Makes a namespace and two links, and removes them at the end.

    Raises:
        LinksUnavailable: the machine does not allow it.
    """
    if os.geteuid():
        raise LinksUnavailable("limited links want root: network namespaces and tc")
    if missing := [name for name in ("ip", "tc") if shutil.which(name) is None]:
        raise LinksUnavailable(f"{' and '.join(missing)} missing (Debian: apt-get install iproute2)")
    pid = os.getpid()
    # 198.18.0.0/15 is kept for benchmarks (RFC 2544). By pid, so that two runs do not meet.
    net, namespace = f"198.18.{pid % 256}", f"sieve-bench-{pid}"
    devices = (f"sb{pid}s", f"sb{pid}p")
    made = LimitedLinks(namespace, f"{net}.1", f"{net}.2", f"{net}.6", devices)
    try:
        _run(f"ip netns add {namespace}")
        _run(f"ip -n {namespace} link set lo up")
        for device, ours, theirs in ((devices[0], 1, 2), (devices[1], 5, 6)):
            _run(f"ip link add {device} type veth peer name {device}r netns {namespace}")
            _run(f"ip addr add {net}.{ours}/30 dev {device}")
            _run(f"ip -n {namespace} addr add {net}.{theirs}/30 dev {device}r")
            _run(f"ip link set {device} up")
            _run(f"ip -n {namespace} link set {device}r up")
        made.shape(Link(100, 100))
        yield made
    finally:
        # With the namespace its ends of the links go, and ours with them. Where setting up failed there may be none,
        # and what failed tells.
        command = f"ip netns del {namespace}".split()
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)  # noqa: S603 -- a command of this file


def _run(command: str) -> None:
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False)  # noqa: S603 -- from this file
    if done.returncode:
        raise LinksUnavailable(f"`{command}` failed: {done.stderr.strip() or f'status {done.returncode}'}")
