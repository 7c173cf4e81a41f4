"""Makes glibc's allocator keep freed memory.

By default it gives large blocks back to the system at once, and the next one of the same size is made of fresh pages,
each of which costs a fault: for buffers of 64 KiB to 1 MiB, as they come and go here by the thousand, that costs more
than what is done with them (docs/benchmarks, "what was tried").
"""

import ctypes
from typing import Final

# From malloc.h, where they are part of the interface that mallopt(3) describes.
_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3

_KEPT: Final = 64 * 1024 * 1024
_TAKEN_AT_A_TIME: Final = 16 * 1024 * 1024


def keep_freed_memory() -> None:
    """From now on up to 64 MiB of freed memory stay with this process. Does nothing with another C library."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _KEPT)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)
        mallopt(_M_TOP_PAD, _TAKEN_AT_A_TIME)
