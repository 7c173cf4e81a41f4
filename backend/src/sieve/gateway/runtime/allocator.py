"""Makes glibc's allocator keep freed memory.

By default it returns large blocks to the system at once, and the next block of that size causes a page fault for each
page. For buffers of 64 KiB to 1 MiB, of which a gateway uses thousands, this costs more than the work on them
(docs/benchmarks, "what was tried").
"""

import ctypes
from typing import Final

# From malloc.h; see mallopt(3).
_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3

_KEPT: Final = 64 * 1024 * 1024
_TAKEN_AT_A_TIME: Final = 16 * 1024 * 1024


def keep_freed_memory() -> None:
    """Makes this process keep up to 64 MiB of freed memory. Does nothing with another C library."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _KEPT)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)
        mallopt(_M_TOP_PAD, _TAKEN_AT_A_TIME)
