"""Sets OpenSSL's suites of TLS 1.3 by a configuration file, which OpenSSL reads once, before anything else.

Python's `ssl` can choose the suites of TLS 1.2 only; those of TLS 1.3 come from the file that OPENSSL_CONF names.
OpenSSL reads it at its first use, before the gateway reads its settings, so the process replaces itself once.

Invariant: the process restarts at most once; a file that OPENSSL_CONF already names is not replaced; and `tls` checks
for each context that the suites are in force.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from sieve.gateway.errors import StartError
from sieve.gateway.peering.tls import tls_1_3_in_force

VARIABLE: Final = "OPENSSL_CONF"


def text(suites: Sequence[str]) -> str:
    """The file's text: only these suites, for every context."""
    return (
        "# Written by the gateway at each start, from SIEVE_TLS_CIPHERS.\n"
        "openssl_conf = sieve\n[sieve]\nssl_conf = tls\n[tls]\nsystem_default = suites\n"
        f"[suites]\nCiphersuites = {':'.join(suites)}\n"
    )


def put_in_force(
    suites: Sequence[str],
    path: Path,
    environment: Mapping[str, str],
    start_again: Callable[[Mapping[str, str]], None],
    in_force: Callable[[], tuple[str, ...]] = tls_1_3_in_force,
) -> None:
    """Returns if OpenSSL uses these suites of TLS 1.3, in this order; else makes sure that `path` names them, and calls
    `start_again` with the environment for that, which does not return.

    Raises:
        StartError: OPENSSL_CONF names another file, or ours without effect; or ours cannot be written.
    """
    if not suites or in_force() == tuple(suites):
        return
    named = environment.get(VARIABLE)
    if named == str(path) and _read(path) == text(suites):
        raise StartError(f"SIEVE_TLS_CIPHERS: this machine's OpenSSL does not take {', '.join(suites)}; leave it out")
    if named is not None and named != str(path):
        raise StartError(
            f"SIEVE_TLS_CIPHERS: {VARIABLE} names {named}, which lists other suites of TLS 1.3; "
            f"write Ciphersuites = {':'.join(suites)} there, in the section of system_default, or unset {VARIABLE}"
        )
    try:
        if _read(path) != text(suites):  # a start on a full disk writes nothing that is there
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Replaced at once: another gateway may be reading it at its start.
            new = path.with_suffix(f".{os.getpid()}")
            new.write_text(text(suites))
            new.replace(path)
    except OSError as error:
        raise StartError(f"{path} cannot be written: {error.strerror}; see to the data folder") from error
    start_again({**environment, VARIABLE: str(path)})


def _read(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None
