"""The limits of a reading process, and how it gives up everything else.

Invariant: limits are set once, after all code is loaded and before the first byte of a file arrives, and the kernel
enforces them. From then on the process cannot open anything: no file, no socket, no other process.
"""

import importlib
import os
import pkgutil
import resource
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from sieve.gateway.runtime import confinement, system_calls
from sieve.gateway.runtime.confinement import Confinement

IDLE: Final = 0
TOO_MUCH: Final = 3
"""Exit statuses: no request for a long time, and no memory left."""

_CONTROL: Final = 3


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """`memory`: bytes beyond what the process has when it starts. `seconds`: of one request, by the wall clock; also of
    processor time, so that the process ends if its gateway vanishes during a request.
    """

    memory: int = 1024**3
    seconds: float = 20.0


def load_all() -> None:
    """Loads what libraries load on first use, since nothing can be opened then."""
    import encodings

    import phonenumbers
    import pikepdf
    from PIL import Image

    import sieve.formats

    for module in pkgutil.walk_packages(sieve.formats.__path__, "sieve.formats."):
        importlib.import_module(module.name)
    for module in pkgutil.iter_modules(encodings.__path__, "encodings."):
        with suppress(ImportError):  # those of other systems
            importlib.import_module(module.name)
    Image.init()
    phonenumbers.PhoneMetadata.load_all()
    # qpdf loads the code for each kind of encryption with the first file of that kind.
    for revision in (2, 3, 4, 6):
        with pikepdf.new() as pdf:
            written = BytesIO()
            pdf.add_blank_page()
            pdf.save(written, encryption=pikepdf.Encryption(R=revision, aes=revision > 3, metadata=revision > 3))
        pikepdf.open(BytesIO(written.getvalue())).close()


def confine(control: int, limits: ReadingLimits) -> tuple[int, Confinement]:
    """Closes all descriptors but standard input, output and error, and `control`; returns the new number of that one,
    and what the kernel enforces.

    These limits hold on every kernel: memory, no core dumps, no written files, no new processes or threads, and no open
    file beyond these four.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_AS, _address_space() + limits.memory)
    if control != _CONTROL:
        os.dup2(control, _CONTROL)
    os.closerange(_CONTROL + 1, 65_536)
    enforced = confinement.confine(system_calls.of_reading())
    _limit(resource.RLIMIT_NOFILE, _CONTROL + 1)  # last: Landlock needs a descriptor for a moment
    return _CONTROL, enforced


def begin_request(limits: ReadingLimits) -> None:
    """Grants processor time for one request; after that, the kernel ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime + limits.seconds
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit(which: int, most: int) -> None:
    hard = resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
