"""Overwriting of secrets after use. Python frees memory without clearing it, so a copy would stay readable for long.

Slices of `bytes` and `bytearray` are copies, and so are what `+` makes and what is assigned to a slice of a
`bytearray`. Only slices of `memoryview` are not.
"""

import ctypes
from typing import Final

_CONTENT: Final = bytes.__basicsize__ - 1
"""Where CPython keeps the content of a `bytes` object; its last byte is the final zero."""


def wipe(*secrets: bytes | bytearray | memoryview) -> None:
    """Overwrites secrets with zeros. Only for objects that nobody else uses: `bytes` are overwritten, too, although
    they are immutable by contract. The empty one and those of one byte are shared, and left alone.
    """
    for secret in secrets:
        if isinstance(secret, bytearray | memoryview):
            secret[:] = bytes(len(secret))
        elif len(secret) > 1:
            ctypes.memset(id(secret) + _CONTENT, 0, len(secret))
