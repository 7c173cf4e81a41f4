"""The groups in which the secure channel agrees on keys: elliptic curves, with the hybrid X25519MLKEM768 first where
OpenSSL has it (3.5 and later), and no finite-field group (ffdhe).

Python sets groups from 3.15 on (`SSLContext.set_groups`). Before that, this module calls OpenSSL on the context's own
handle, which Python keeps as the first field of the context; see decision 52.

Invariant: a handle is used only where Python's layout is known, and only if OpenSSL reads the same options from it as
Python does.
"""

import _ssl
import ctypes
import ssl
import sys
from collections.abc import Callable
from typing import Final, TypeAlias

HYBRID: Final = "*X25519MLKEM768:*X25519:P-256:X448:P-384:P-521"
"""`*`: the client sends a key for this group at once, so that a peer without the hybrid needs no second try."""
CURVES: Final = "X25519:P-256:X448:P-384:P-521"
NIST_CURVES: Final = "P-256:P-384:P-521"
"""What remains where only approved curves are there (FIPS)."""

Setter: TypeAlias = Callable[[str], bool]
"""Sets a list of groups; False if OpenSSL does not know one of them, and then nothing changed."""

# <openssl/ssl.h>
_SSL_CTRL_SET_GROUPS_LIST: Final = 92


def choose_groups(
    context: ssl.SSLContext, setter_of: "Callable[[ssl.SSLContext], Setter | None] | None" = None
) -> bool:
    """Sets the best list that OpenSSL knows. False: this Python does not let us, and OpenSSL's own groups apply."""
    setter = (setter_of or groups_setter)(context)
    return setter is not None and any(setter(groups) for groups in (HYBRID, CURVES, NIST_CURVES))


def groups_setter(context: ssl.SSLContext) -> Setter | None:
    set_groups: Callable[[str], None] | None = getattr(context, "set_groups", None)
    if set_groups is None:
        return groups_setter_by_handle(context)

    def set_by_name(groups: str) -> bool:
        try:
            set_groups(groups)
        except ssl.SSLError:
            return False
        return True

    return set_by_name


def groups_setter_by_handle(context: ssl.SSLContext) -> Setter | None:
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 15):
        return None
    try:
        # Through Python's own module: a second copy of OpenSSL must not work on a context of the first.
        library = ctypes.CDLL(_ssl.__file__)
        control, options, clear_errors = library.SSL_CTX_ctrl, library.SSL_CTX_get_options, library.ERR_clear_error
    except (AttributeError, OSError):
        return None  # OpenSSL is part of Python itself, and keeps its functions to itself
    control.restype, control.argtypes = ctypes.c_long, (ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_char_p)
    options.restype, options.argtypes = ctypes.c_uint64, (ctypes.c_void_p,)
    handle = ctypes.c_void_p.from_address(id(context) + object.__basicsize__)
    if handle.value is None or options(handle) != int(context.options):
        return None

    def set_by_handle(groups: str) -> bool:
        if control(handle, _SSL_CTRL_SET_GROUPS_LIST, 0, groups.encode()) == 1:
            return True
        clear_errors()  # or Python would report this one for a later call
        return False

    return set_by_handle
