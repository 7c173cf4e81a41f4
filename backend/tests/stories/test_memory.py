"""100 MB in and out, and no process of either gateway takes more than 64 MiB above what it takes when idle.

As one document over one channel of each kind and over several, and as a batch: of what is held for an exchange, the
documents in it must not each have their own. That one goes over several channels, where the most is held; one document
over several is for `make soak`.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import psutil
import pytest

from stories.documents import Report, report
from stories.pair import COMMAND, Pair, pair

LIMIT = 64 * 1024 * 1024
SIZE = 100_000_000
PAGE = 1_000_000


SEVERAL = {"secure_channels": 3, "plain_channels": 2}


Exchange: TypeAlias = tuple[dict[str, int], list[int]]
ONE: Exchange = ({}, [SIZE])
BATCH: Exchange = (SEVERAL, [SIZE // 4, SIZE // 2, SIZE // 4])


@pytest.mark.parametrize(
    "exchanges", [[ONE, BATCH], pytest.param([(SEVERAL, [SIZE])], marks=pytest.mark.soak)], ids=["most", "several"]
)
async def test_what_is_large_streams_through_every_process(tmp_path: Path, exchanges: list[Exchange]) -> None:
    async with pair(tmp_path, launch=COMMAND) as both:
        # Once with a small document, so that "idle" has loaded what it needs and opened what it keeps open.
        small = report(200_000, spans=10)
        _, ended = await both.send(small.marked)
        assert ended["state"] == "delivered"
        processes = _processes(both)
        assert len(processes) == 4, "each gateway is two processes"
        idle = {pid: _resident(pid, "VmRSS") for pid in processes}
        for pid in processes:
            # From here on the peak counts. Their memory is private: for an ordinary user the start's peak counts, too.
            with suppress(PermissionError):
                Path(f"/proc/{pid}/clear_refs").write_text("5")
            # A core dump would hold clear text.
            assert re.search(r"^Max core file size +0 +0 ", Path(f"/proc/{pid}/limits").read_text(), re.MULTILINE)

        for channels, sizes in exchanges:
            made = [_large(size) for size in sizes]
            sent = await both.send_all([each.marked for each in made], "sieve", **channels)
            for (transfer_id, ended), each in zip(sent, made, strict=True):
                assert ended["state"] == "delivered", ended
                for edition, wanted in (("full", each.content), ("marked", each.marked)):
                    assert await both.download(transfer_id, edition) == wanted

            above = {processes[pid]: _resident(pid, "VmHWM") - idle[pid] for pid in processes}
            told = {name: f"{extra / 2**20:.0f} MiB" for name, extra in above.items()}
            assert all(extra <= LIMIT for extra in above.values()), (channels, sizes, told)


def _large(size: int) -> Report:
    """A report that says the same again and again: one that does not takes seconds to make."""
    page = report(PAGE, spans=5)
    times = size // PAGE
    return Report(page.marked * times, page.content * times, page.secrets)


def _processes(both: Pair) -> dict[int, str]:
    found = {}
    for gateway in (both.alpha, both.bravo):
        found[gateway.process.pid] = gateway.name
        for child in psutil.Process(gateway.process.pid).children():
            found[child.pid] = f"{gateway.name}'s plain listener"
    return found


def _resident(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {field} for process {pid}")
