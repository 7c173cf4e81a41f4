"""Where the master keys come from: a file of the gateway's, or a command that prints them, such as a helper of a key
management service or of a hardware token.

Invariant: no key, and nothing that the command prints, is part of an error, a log or another process's environment.
"""

import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from pydantic import SecretStr

from sieve.store.errors import MasterKeyError
from sieve.store.master_keys import MasterKeys

COMMAND_TIMEOUT_S: Final = 30.0
MAX_OUTPUT: Final = 64 * 1024
_PASSED_ON: Final = ("PATH", "HOME", "USER", "LANG", "TZ")
"""Nothing else of the gateway's environment reaches the command: a variable may hold a secret."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """Keys in a file, mode 0600. The gateway makes it if nothing needs a key yet."""

    path: Path

    def load(self, needed: Collection[str]) -> MasterKeys:
        """The keys; see `MasterKeys.load_or_create`."""
        return MasterKeys.load_or_create(self.path, needed)

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class KeyCommand:
    """Keys that a command prints, as a key file has them. It gets no standard input, no shell, a minimal environment.
    `timeout_s`: after this the command and its children are killed.
    """

    command: str
    timeout_s: float = COMMAND_TIMEOUT_S

    def load(self, needed: Collection[str]) -> MasterKeys:
        """The keys.

        Raises:
            MasterKeyMissing: one of the needed keys is not among them, and is not said to be lost.
            MasterKeyError: the command fails, takes too long, or prints something else.
        """
        try:
            keys = MasterKeys.from_text(self._output())
        except MasterKeyError as error:
            raise MasterKeyError(f"the command of SIEVE_MASTER_KEY_COMMAND failed: {error}") from None
        keys.check(needed, self)
        return keys

    def _output(self) -> str:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            running = subprocess.Popen(  # noqa: S603 -- the admin's own command, without a shell
                shlex.split(self.command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise MasterKeyError(f"it cannot be started: {error.strerror}") from None
        with running:
            try:
                output = self._read(running)
                status = running.wait(self.timeout_s)
            except subprocess.TimeoutExpired:
                raise MasterKeyError(f"it did not end within {self.timeout_s:g} s") from None
            finally:
                if running.returncode is None:
                    # With its children, which would keep its output open.
                    os.killpg(running.pid, signal.SIGKILL)
        if status:
            how = f"status {status}" if status > 0 else f"signal {-status}"
            raise MasterKeyError(f"it ended with {how}; run it as the gateway's user to see why")
        try:
            return output.decode("ascii")
        except UnicodeDecodeError:
            raise MasterKeyError("it printed something else than keys") from None

    def _read(self, running: "subprocess.Popen[bytes]") -> bytes:
        if running.stdout is None:
            raise MasterKeyError("it has no output")
        until, output = time.monotonic() + self.timeout_s, b""
        ready = select.poll()
        ready.register(running.stdout, select.POLLIN)
        while ready.poll(max(0.0, until - time.monotonic()) * 1000):
            piece = os.read(running.stdout.fileno(), MAX_OUTPUT)
            output += piece
            if not piece:
                return output
            if len(output) > MAX_OUTPUT:
                raise MasterKeyError(f"it printed more than {MAX_OUTPUT // 1024} KiB")
        raise subprocess.TimeoutExpired(running.args, self.timeout_s)

    def __str__(self) -> str:
        return "the output of SIEVE_MASTER_KEY_COMMAND"


KeySource: TypeAlias = KeyFile | KeyCommand


def key_source(command: SecretStr | None, file: Path) -> KeySource:
    """Where the master keys come from, as the settings say."""
    return KeyFile(file) if command is None else KeyCommand(command.get_secret_value())
