"""Step one: measure. Raw samples go to results/raw, one line each, as they are taken.

Every round takes each point that is still open once, and each reference once, in a fresh shuffle: so drift of the
machine falls on all of them alike. The first rounds are warm-up; they are kept, marked, and count for nothing, and it
is in them that memory is watched, for watching it costs time.
"""

import os
import platform
import random
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from benchmarks import arrivals, core_parts, documents
from benchmarks.cases import Case, Form
from benchmarks.copies import copies
from benchmarks.gateways import Gateways, two_gateways
from benchmarks.intervals import figure
from benchmarks.large import large
from benchmarks.nginx import NginxMissing, nginx
from benchmarks.plain_way import plain_way
from benchmarks.samples import RawFile
from benchmarks.watching import PeakMemory

SECTIONS = ("points", "core", "throughput", "large")
REFERENCE_MB = 10
REFERENCE_P = 0.1
# Of what is sent again and again: the sieve's time is measured when a document is taken in.
UPLOADS = 5


def run(form: Form, results: Path, folder: Path | None, sections: Iterable[str] = SECTIONS) -> Path:
    """Measures; returns the raw file. `folder`: where gateways and nginx put their files, else a temporary one."""
    with (
        tempfile.TemporaryDirectory(prefix="sieve-bench-", dir=folder) as temporary,
        RawFile(results, form.name) as raw,
    ):
        here = Path(temporary)
        raw.add("machine", form=form.name, **machine(here))
        if "core" in sections:
            core(form, raw)
        if "points" in sections or "throughput" in sections:
            with two_gateways(_made(here / "pair")) as gateways:
                cipher = gateways.secure_cipher()
                if "points" in sections:
                    points(form, raw, gateways, cipher, here)
                if "throughput" in sections:
                    throughput(form, raw, gateways)
        if "large" in sections and form.large_mb is not None:
            _say(f"a document of {form.large_mb} MB")
            for mode in ("sieve", "secure-only"):
                raw.add("large", **large(here / f"large-{mode}", form.large_mb, mode))
        return raw.path


def core(form: Form, raw: RawFile) -> None:
    """The core's parts, in turns."""
    _say("the core alone")
    parts = core_parts.parts()
    for number in range(form.warm_up + form.core_rounds):
        for name in _shuffled(parts):
            raw.add("core", name=name, warm_up=number < form.warm_up, ms=parts[name]())


def points(form: Form, raw: RawFile, gateways: Gateways, cipher: str, folder: Path) -> None:
    """The points and the references, in turns."""
    uploaded = _uploads(form.points, gateways)
    with ExitStack() as stack:
        references = _references(stack, raw, gateways, folder)
        responses: dict[Case, list[float]] = {case: [] for case in form.points}
        ends_at = time.monotonic() + form.seconds
        number = 0
        while left := [case for case in form.points if not _is_done(form, responses[case])]:
            warm_up = number < form.warm_up
            # One round that counts is taken however slow the machine is: rows without figures help nobody.
            if number > form.warm_up and time.monotonic() > ends_at:
                break
            _say(f"round {number + 1}: {len(left)} of {len(form.points)} points open")
            for what in _shuffled([*left, *references]):
                if isinstance(what, str):
                    raw.add("reference", name=what, warm_up=warm_up, ms=references[what]())
                    continue
                document = uploaded[what.x_mb, what.p][number % UPLOADS]
                sample = _one(gateways, what, document, watch_memory=warm_up)
                raw.add("transfer", case=what.to_json() | {"cipher": cipher}, warm_up=warm_up, **sample)
                if not warm_up:
                    responses[what].append(sample["timings"]["response"])
            gateways.empty_inbox()
            number += 1
    _say("")


def _one(gateways: Gateways, case: Case, document: str, *, watch_memory: bool) -> dict[str, Any]:
    if not watch_memory:
        return gateways.send(document, case.mode, case)
    with PeakMemory(gateways.watched) as watching:
        sample = gateways.send(document, case.mode, case)
    return sample | {"peak_bytes": watching.peaks}


def _is_done(form: Form, responses: list[float]) -> bool:
    if len(responses) < form.least:
        return False
    return len(responses) >= form.transfers or figure(responses).relative <= form.within


def _uploads(cases: Iterable[Case], gateways: Gateways) -> dict[tuple[int, float], list[str]]:
    """Each document, uploaded several times; each upload has been through its sieve once."""
    uploaded: dict[tuple[int, float], list[str]] = {}
    wanted = {(case.x_mb, case.p) for case in cases}
    for number, (x, p) in enumerate(sorted(wanted)):
        _say(f"document {number + 1} of {len(wanted)}")
        text = documents.x_mb(x, p)
        uploaded[x, p] = [gateways.upload(text, f"{x}MB-{p * 100:.0f}.txt") for _ in range(UPLOADS)]
    return uploaded


def _references(stack: ExitStack, raw: RawFile, gateways: Gateways, folder: Path) -> dict[str, Callable[[], float]]:
    """What the points are held against: each a function that gives the milliseconds of one go over 10 MB."""
    text = documents.content(documents.x_mb(REFERENCE_MB, REFERENCE_P))
    identity = gateways.folder / "identities" / "bravo"
    raw_copies = stack.enter_context(copies(identity))
    way = stack.enter_context(plain_way(folder / "plain-way", text))
    references: dict[str, Callable[[], float]] = {
        "tcp_copy_ms": lambda: raw_copies.tcp_ms(text),
        "tls_copy_ms": lambda: raw_copies.tls_ms(text),
        "plain_way_ms": way.ms,
    }
    try:
        server = stack.enter_context(nginx(folder / "nginx", identity))
    except NginxMissing as missing:
        raw.add("missing", names=["nginx_tls_put_ms", "nginx_plain_put_ms"], reason=str(missing))
    else:
        references["nginx_tls_put_ms"] = lambda: server.tls_ms(text)
        references["nginx_plain_put_ms"] = lambda: server.plain_ms(text)
    return references


def throughput(form: Form, raw: RawFile, gateways: Gateways) -> None:
    """Rising rates, until one is not kept up any more."""
    document_ids = arrivals.upload(gateways)
    for mode in ("sieve", "secure-only"):
        arrivals.at_rate(gateways, document_ids, mode, form.rates[0], min(1.0, form.rate_s))
        for rate in form.rates:
            _say(f"{mode}: {rate:.0f} documents a second")
            step = arrivals.at_rate(gateways, document_ids, mode, rate, form.rate_s)
            raw.add("throughput", mode=mode, bytes=arrivals.DOCUMENT_BYTES, p=arrivals.P, **step.to_json())
            if not step.kept_up:
                break
    _say("")


def machine(folder: Path) -> dict[str, Any]:
    """What the figures hang on."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_mib": psutil.virtual_memory().total // 1024**2,
        "system": platform.platform(),
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        "filesystem": _filesystem(folder),
        "load_at_start": [round(load, 2) for load in os.getloadavg()],
        "commit": _commit(),
    }


def _filesystem(folder: Path) -> str:
    mounted = [part for part in psutil.disk_partitions(all=True) if folder.is_relative_to(part.mountpoint)]
    return max(mounted, key=lambda part: len(part.mountpoint)).fstype if mounted else "unknown"


def _commit() -> str | None:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"],  # noqa: S607 -- the user's own git
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or None


def _shuffled(what: Iterable[Any]) -> list[Any]:
    # Any order will do, as long as it is not the same one each time.
    listed = list(what)
    return random.sample(listed, len(listed))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _say(text: str) -> None:
    """What is under way, on one line of a terminal; nothing in a pipe."""
    if os.isatty(2):
        os.write(2, f"\r\x1b[K{text}".encode())
