"""The groups in which the secure channel agrees on keys: elliptic curves, with the hybrid X25519MLKEM768 first where
OpenSSL has it (3.5 and later), and no finite-field group (ffdhe); and which of them a connection used.

Python sets and reads groups from 3.15 on (`SSLContext.set_groups`, `SSLSocket.group`). Before that, this module calls
OpenSSL on its own handles: Python keeps that of a context as the context's first field, and that of a connection as the
second field of its inner object, before the context; see decision 52.

Invariant: a handle is used only where Python's layout is known. That of a context only if OpenSSL reads the same
options from it as Python does; that of a connection only if the context follows it there, and OpenSSL reads the
context's handle from it.
"""

import _ssl
import ctypes
import ssl
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

HYBRID: Final = "*X25519MLKEM768:*X25519:P-256:X448:P-384:P-521"
"""`*`: the client sends a key for this group at once, so that a peer without the hybrid needs no second try."""
CURVES: Final = "X25519:P-256:X448:P-384:P-521"
NIST_CURVES: Final = "P-256:P-384:P-521"
"""What remains where only approved curves are there (FIPS)."""

Setter: TypeAlias = Callable[[str], bool]
"""Sets a list of groups; False if OpenSSL does not know one of them, and then nothing changed."""

_HANDLE: Final = ctypes.c_void_p
_HEAD_SIZE: Final = object.__basicsize__
"""Of what every Python object begins with; behind it are the fields of its own."""

# <openssl/ssl.h>
_SSL_CTRL_SET_GROUPS_LIST: Final = 92
_SSL_CTRL_GET_NEGOTIATED_GROUP: Final = 134
# <openssl/obj_mac.h>
_NAMES: Final = {415: "secp256r1", 715: "secp384r1", 716: "secp521r1", 1034: "x25519", 1035: "x448"}
"""The IANA names of the curves by OpenSSL's numbers. Before version 3.2 OpenSSL tells no name, and has no hybrid."""


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
    library = _openssl()
    handle = handle_of(library, context)
    control = _function(library, "SSL_CTX_ctrl", ctypes.c_long, _HANDLE, ctypes.c_int, ctypes.c_long, ctypes.c_char_p)
    clear_errors = _function(library, "ERR_clear_error", None)
    if handle is None or control is None or clear_errors is None:
        return None

    def set_by_handle(groups: str) -> bool:
        if control(handle, _SSL_CTRL_SET_GROUPS_LIST, 0, groups.encode()) == 1:
            return True
        clear_errors()  # or Python would report this one for a later call
        return False

    return set_by_handle


def group_of(connection: ssl.SSLObject | ssl.SSLSocket) -> str | None:
    """The group in which a connection agreed on its keys, by its IANA name. None: it has none, the handshake is not
    over, or neither Python nor OpenSSL tells."""
    if connection.cipher() is None:
        return None  # OpenSSL would look for the group in a session that is not there yet
    group: Callable[[], str | None] | None = getattr(connection, "group", None)
    if group is None:
        return group_by_handle(connection)
    try:
        return group()
    except NotImplementedError:  # Python built with OpenSSL before 3.2: then no group is shown
        return None


def group_by_handle(connection: ssl.SSLObject | ssl.SSLSocket) -> str | None:
    """Call it only after the handshake."""
    library = _openssl()
    handle = _connection_handle_of(library, connection)
    if handle is None:
        return None
    name_of = _function(library, "SSL_get0_group_name", ctypes.c_char_p, _HANDLE)
    if name_of is not None:
        name: bytes | None = name_of(handle)
        return None if name is None else name.decode()
    control = _function(library, "SSL_ctrl", ctypes.c_long, _HANDLE, ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
    return None if control is None else _NAMES.get(control(handle, _SSL_CTRL_GET_NEGOTIATED_GROUP, 0, None))


# --- handles -------------------------------------------------------------------------------------------


def _openssl() -> ctypes.CDLL | None:
    """The OpenSSL that Python uses; None where Python's layout is not known, or it tells no path."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 15):
        return None
    try:
        # Through Python's own module: a second copy of OpenSSL must not work on handles of the first.
        return ctypes.CDLL(_ssl.__file__)
    except (AttributeError, OSError):
        return None


def _function(library: ctypes.CDLL | None, name: str, result: Any, *arguments: Any) -> Callable[..., Any] | None:
    """None if OpenSSL is part of Python itself, and keeps its functions to itself, or has no such function."""
    function = getattr(library, name, None)
    if function is not None:
        function.restype, function.argtypes = result, arguments
    return function


def handle_of(library: ctypes.CDLL | None, context: ssl.SSLContext) -> int | None:
    """OpenSSL's handle of a context."""
    options = _function(library, "SSL_CTX_get_options", ctypes.c_uint64, _HANDLE)
    if options is None:
        return None
    handle = _HANDLE.from_address(id(context) + _HEAD_SIZE).value
    return handle if handle is not None and options(handle) == int(context.options) else None


def _connection_handle_of(library: ctypes.CDLL | None, connection: ssl.SSLObject | ssl.SSLSocket) -> int | None:
    """OpenSSL's handle of a connection."""
    context_of = _function(library, "SSL_get_SSL_CTX", ctypes.c_void_p, _HANDLE)
    inner = getattr(connection, "_sslobj", None)
    if context_of is None or type(inner) is not getattr(_ssl, "_SSLSocket", None):
        return None
    _socket, handle, context = (_HANDLE * 3).from_address(id(inner) + _HEAD_SIZE)
    if handle is None or context != id(connection.context):
        return None
    expected = handle_of(library, connection.context)
    return handle if expected is not None and context_of(handle) == expected else None
