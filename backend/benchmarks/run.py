"""Step one: measure. Raw samples go to results/raw, one line each, as they are taken."""

import os
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from statistics import median

import httpx

from benchmarks import arrivals, core_parts, triple_des
from benchmarks.cases import Case
from benchmarks.deployments import RunningDeployment, deploy
from benchmarks.extract import by_case, extract
from benchmarks.forms import Block, Form, share
from benchmarks.gateways import Gateways, NotTaken, TransferFailed, two_gateways
from benchmarks.large import large
from benchmarks.limited_links import LinksUnavailable
from benchmarks.machine import machine
from benchmarks.references import Go, references
from benchmarks.relay import RelayMissing, own_ms_per_mb
from benchmarks.rounds import OVER, Rounds, not_run, shuffled
from benchmarks.samples import RawFile
from benchmarks.thesis import exhibits
from sieve.demo import DemoError, documents

RELAYED = 5
SECTIONS = ("core", "large", "throughput", "points")
# Errors for which a whole deployment cannot be measured; the others continue.
NO_DEPLOYMENT = (NotTaken, TransferFailed, RelayMissing, LinksUnavailable, DemoError, httpx.HTTPError, OSError)


def run(
    form: Form, cases: Iterable[Case], results: Path, folder: Path | None, sections: Iterable[str] = SECTIONS
) -> Path:
    """Measures; returns the raw file. `folder`: where gateways and nginx put their files, else a temporary one."""
    at_latest = time.monotonic() + form.ends_after_s
    with (
        tempfile.TemporaryDirectory(prefix="sieve-bench-", dir=folder) as temporary,
        RawFile(results, form.name) as raw,
    ):
        here = Path(temporary)
        raw.add("machine", form=form.name, **machine(here))
        if "core" in sections:
            core(form, raw)
        if "large" in sections or "throughput" in sections:
            try:
                with two_gateways(made(here / "aside")) as gateways:
                    # First memory: what many small documents leave behind would count as idle.
                    if "large" in sections:
                        one_large(form, raw, gateways)
                    if "throughput" in sections:
                        throughput(form, raw, gateways)
            except NO_DEPLOYMENT as error:  # the points have gateways of their own
                raw.add("section-broke", name="large and throughput", reason=_reason(error))
        if "points" in sections:
            points(form, cases, raw, here, at_latest)
        say("")
        return raw.path


def core(form: Form, raw: RawFile) -> None:
    """The core's parts, in turns."""
    say("the core alone")
    parts = core_parts.parts()
    for number in range(form.warm_up + form.core_rounds):
        for name in shuffled(parts):
            raw.add("core", name=name, warm_up=number < form.warm_up, ms=parts[name]())


def one_large(form: Form, raw: RawFile, gateways: Gateways) -> None:
    """The large document; why not, if it cannot be measured."""
    say(f"a document of {form.large_mb} MB")
    try:
        for sample in large(gateways, form.large_mb, form.large_s):
            raw.add("large", **sample)
    except NO_DEPLOYMENT as error:
        raw.add("section-broke", name="large", reason=_reason(error))


def throughput(form: Form, raw: RawFile, gateways: Gateways) -> None:
    """Which rates are kept up, in either mode and in batches."""
    document_ids = arrivals.upload(gateways)
    for mode, batch in (("sieve", 1), ("secure-only", 1), ("sieve", arrivals.BATCH)):
        try:
            # Warm-up: enough for a few batches, too.
            arrivals.at_rate(gateways, document_ids, mode, batch, form.rates[0], min(1.0, form.rate_s))

            def keeps_up(rate: float, mode: str = mode, batch: int = batch) -> bool:
                say(f"{mode}: {rate:.0f} documents a second{f' in batches of {batch}' if batch > 1 else ''}")
                for_s = form.rate_s if batch == 1 else form.batch_rate_s
                step = arrivals.at_rate(gateways, document_ids, mode, batch, rate, for_s)
                raw.add(
                    "throughput",
                    mode=mode,
                    batch=batch,
                    bytes=arrivals.DOCUMENT_BYTES,
                    p=arrivals.P,
                    **step.to_json(),
                )
                return step.kept_up

            arrivals.climb(form.rates if batch == 1 else form.batch_rates, keeps_up)
        except NO_DEPLOYMENT as error:
            raw.add("throughput-not-run", mode=mode, batch=batch, reason=_reason(error))


def points(form: Form, cases: Iterable[Case], raw: RawFile, folder: Path, at_latest: float) -> None:
    """Every case for the first part of the time, then in each further part those of the claims that are not decided
    yet (`thesis.decisions`)."""
    blocks = form.blocks(cases)
    ms_per_mb = 0.0
    try:
        if any(block.deployment.is_emulated for block in blocks):
            ms_per_mb = triple_des.ms_per_mb()
            raw.add("calibration", name="3des", ms_per_mb=round(ms_per_mb, 3))
            raw.add("calibration", name="relays", ms_per_mb=round(median(own_ms_per_mb() for _ in range(RELAYED)), 3))
    except (triple_des.SpeedUnknown, RelayMissing, OSError) as unknown:
        not_run(
            raw, (case for block in blocks if block.deployment.is_emulated for case in block.cases), _reason(unknown)
        )
        blocks = [block for block in blocks if not block.deployment.is_emulated]
    measurable = {case for block in blocks for case in block.cases}
    began, looks = time.monotonic(), []
    for number, part in enumerate(accumulate(form.parts)):
        _blocks(form, blocks, raw, made(folder / f"part-{number}"), ms_per_mb, began + part * (at_latest - began))
        if number + 1 < len(form.parts):
            raw.add("look")
            looks.append(by_case(extract(raw.path, exhibits.cases())["rows"]))
            blocks = form.blocks(case for case in exhibits.undecided(looks) if case in measurable)


def _blocks(form: Form, blocks: list[Block], raw: RawFile, folder: Path, ms_per_mb: float, at_latest: float) -> None:
    """Every block, at its deployment; deployments that cannot be had say why for each of their cases."""
    while blocks:
        if time.monotonic() > at_latest:
            not_run(raw, (case for block in blocks for case in block.cases), OVER)
            return
        here = [block for block in blocks if block.deployment == blocks[0].deployment]
        try:
            with ExitStack() as stack:
                say(str(here[0].deployment))
                at = stack.enter_context(
                    deploy(here[0].deployment, made(folder / f"deployment-{len(blocks)}"), ms_per_mb)
                )
                beside = (
                    references(stack, raw, at.gateways.folder / "identities" / "bravo", folder)
                    if here[0].experiment == "channels"
                    else {}
                )
                _on_deployment(form, blocks, here, raw, at, beside, at_latest)
        except NO_DEPLOYMENT as error:
            not_run(raw, (case for block in here if block in blocks for case in block.cases), _reason(error))
        blocks = [block for block in blocks if block not in here]


def _on_deployment(
    form: Form,
    blocks: list[Block],
    here: list[Block],
    raw: RawFile,
    at: RunningDeployment,
    beside: dict[str, Go],
    at_latest: float,
) -> None:
    uploaded = uploads(form, (case for block in here for case in block.cases), at.gateways)
    for block in here:
        now = time.monotonic()
        rounds = Rounds(form, raw, at, uploaded, say, beside if block.experiment == "channels" else {})
        rounds.take(block, now + share(blocks, at_latest - now), at_latest)
        # Its time is used up; what it left goes to the others. It is off the list, so it does not count as not run.
        blocks.remove(block)


def uploads(form: Form, cases: Iterable[Case], gateways: Gateways) -> dict[tuple[int, float], list[str]]:
    """Each document, uploaded several times, since the sieve's time is measured when a document is taken in: in
    shuffled rounds, after one that warms up."""
    texts = {(x, p): documents.x_mb(x, p) for x, p in {document for case in cases for document in case.documents}}
    uploaded: dict[tuple[int, float], list[str]] = {document: [] for document in texts}
    for number in range(1 + form.uploads):
        say(f"uploading {len(texts)} documents, round {number + 1} of {1 + form.uploads}")
        for x, p in shuffled(texts):
            document_id = gateways.upload(texts[x, p], f"{x}MB-{p * 100:.0f}.txt")
            if number:
                uploaded[x, p].append(document_id)
    return uploaded


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def made(folder: Path) -> Path:
    """The folder, once it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def say(text: str) -> None:
    """Shows on one line of a terminal what is being measured; shows nothing in a pipe."""
    if os.isatty(2):
        os.write(2, f"\r\x1b[K{text}".encode())
