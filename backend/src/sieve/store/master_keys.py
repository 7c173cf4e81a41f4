"""The master keys: they wrap the data key of each sealed blob, and never touch a document themselves.

A key is named by an id that is derived from it and does not reveal it. The first key of the file wraps; each of them
unwraps, so that a new one can be put on top while the old one is still needed. A key that is lost for good may be named
there, so that the gateway starts without what it sealed.

    wrapped = "aes-siv wrap" (12 bytes) | AES-256-SIV(key derived from the master key, data key, aad)

AES-SIV (RFC 5297) needs no nonce, so none can repeat, however often a master key wraps (ADR 45). Earlier versions
wrapped with AES-256-GCM; these wraps begin with a random nonce in place of the 12 bytes, and still unwrap.
"""

import os
import re
import secrets
import stat
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, Self

from blake3 import blake3
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV

from sieve.store.errors import MasterKeyError, MasterKeyMissing

KEY_SIZE: Final = 32
NONCE_SIZE: Final = 12
_LOST: Final = re.compile(r"lost\s+([0-9a-f]{16})")
_ID_CONTEXT: Final = "security-sieve 2026 master key id v1"
_SIV_CONTEXT: Final = "security-sieve 2026 master key aes-siv v1"
_DERIVING_CONTEXT: Final = "security-sieve 2026 master key derived v1"
SIV: Final = b"aes-siv wrap"
"""A wrap begins with it, unless it is one of an earlier version. `NONCE_SIZE` bytes, so both have the same size."""


class MasterKeys:
    """32-byte keys, by id. Its `repr` shows ids alone."""

    def __init__(self, keys: Sequence[bytes], lost: Collection[str] = ()) -> None:
        """`keys`: the one that wraps first. `lost`: ids of keys that are lost for good.

        Raises:
            MasterKeyError: there is none, or one is not 32 bytes long.
        """
        if not keys or any(len(key) != KEY_SIZE for key in keys):
            raise MasterKeyError(f"master keys must be {KEY_SIZE} bytes each, and there must be one at least")
        self._by_id = {key_id(key): _MasterKey(key) for key in keys}
        self.current: Final = key_id(keys[0])
        self._lost = frozenset(lost)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Keys from text: one a line, 64 hexadecimal digits; or `lost` and the id of a key. Empty lines and `#`
        comments do not count.

        Raises:
            MasterKeyError: a line is something else, or there is no key.
        """
        keys, lost = [], []
        for number, line in enumerate(text.splitlines(), start=1):
            digits = line.strip()
            if not digits or digits.startswith("#"):
                continue
            if named := _LOST.fullmatch(digits):
                lost.append(named[1])
                continue
            try:
                key = bytes.fromhex(digits)
            except ValueError:
                key = b""
            if len(key) != KEY_SIZE:
                raise MasterKeyError(
                    f"line {number} of the master keys is not {2 * KEY_SIZE} hexadecimal digits; "
                    "make a key with: openssl rand -hex 32"
                )
            keys.append(key)
        return cls(keys, lost)

    @classmethod
    def load_or_create(cls, path: Path, needed: Collection[str]) -> Self:
        """The keys in the file `path`. Where nothing was wrapped yet, a fresh one is made there, with mode 0600.

        `needed`: the ids of the keys without which something that is kept cannot be opened.

        Raises:
            MasterKeyMissing: one of those is not there, and is not said to be lost.
            MasterKeyError: others may read the file, it cannot be read or made, or it does not hold keys.
        """
        try:
            text = _read_private(path)
            if text is None and needed:
                raise MasterKeyMissing(_missing(min(needed), path, "there is no such file"))
            if text is None:
                _create(path, f"{secrets.token_hex(KEY_SIZE)}\n".encode())
                # Another process created it first: both use that one.
                text = _read_private(path)
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise MasterKeyError(f"cannot use the master key file {path}: {why}; set SIEVE_MASTER_KEY_FILE") from error
        if text is None:
            raise MasterKeyError(f"the master key file {path} vanished while it was read; start again")
        try:
            keys = cls.from_text(text)
        except MasterKeyError as error:
            raise MasterKeyError(f"the master key file {path} is damaged: {error}") from error
        keys.check(needed, path)
        return keys

    def check(self, needed: Collection[str], source: object) -> None:
        """Checks that the needed keys are here or known to be lost. `source`: where these came from, for people.

        Raises:
            MasterKeyMissing: one is not.
        """
        if missing := set(needed) - self._by_id.keys() - self._lost:
            raise MasterKeyMissing(_missing(min(missing), source, f"it holds {', '.join(self._by_id)}"))

    def derived(self, purpose: str) -> tuple[bytes, ...]:
        """Keys of 32 bytes for `purpose`, a constant of the program: one of each master key, that of the current one
        first. What it makes must count with any of them, because replicas may have the same keys in another order.
        """
        return tuple(key.derived(purpose) for key in self._by_id.values())

    def wrap(self, data_key: bytes, aad: bytes) -> tuple[str, bytes]:
        """`data_key` under the current master key, bound to `aad`; and that key's id."""
        return self.current, self._by_id[self.current].wrap(data_key, aad)

    def is_current(self, key_id: str, wrapped: bytes) -> bool:
        """Whether `wrap` would wrap in this way, by this key."""
        return key_id == self.current and wrapped.startswith(SIV)

    def rewrap(self, key_id: str, wrapped: bytes, aad: bytes) -> tuple[str, bytes]:
        """The same data key under the current master key.

        Raises:
            MasterKeyMissing, MasterKeyError: see `unwrap`.
        """
        return self.wrap(self.unwrap(key_id, wrapped, aad), aad)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the keys that are here, the one that wraps first."""
        return tuple(self._by_id)

    @property
    def lost(self) -> frozenset[str]:
        """The ids of the keys that are lost for good."""
        return self._lost

    def unwrap(self, key_id: str, wrapped: bytes, aad: bytes) -> bytes:
        """The data key again.

        Raises:
            MasterKeyMissing: there is no such master key here.
            MasterKeyError: the wrapped key or `aad` is not what was wrapped.
        """
        master = self._by_id.get(key_id)
        if master is None:
            raise MasterKeyMissing(
                f"the master key {key_id} is needed and not here; add it to the master key file and start again"
            )
        try:
            return master.unwrap(wrapped, aad)
        except (InvalidTag, ValueError) as error:
            raise MasterKeyError("a blob's key does not open: its row was changed") from error

    def __repr__(self) -> str:
        return f"MasterKeys({', '.join(self._by_id)})"


class _MasterKey:
    def __init__(self, key: bytes) -> None:
        self._gcm = AESGCM(key)
        self._siv = AESSIV(blake3(key, derive_key_context=_SIV_CONTEXT).digest(length=2 * KEY_SIZE))
        self._deriving = blake3(key, derive_key_context=_DERIVING_CONTEXT).digest()

    def derived(self, purpose: str) -> bytes:
        return blake3(self._deriving, derive_key_context=f"{_DERIVING_CONTEXT} {purpose}").digest()

    def wrap(self, data_key: bytes, aad: bytes) -> bytes:
        return SIV + self._siv.encrypt(data_key, [aad])

    def unwrap(self, wrapped: bytes, aad: bytes) -> bytes:
        before, sealed = wrapped[:NONCE_SIZE], wrapped[NONCE_SIZE:]
        return self._siv.decrypt(sealed, [aad]) if before == SIV else self._gcm.decrypt(before, sealed, aad)


def key_aad(*parts: str) -> bytes:
    """What a wrapped key is bound to; each part with its length before it, so that no two readings are possible."""
    encoded = (part.encode() for part in parts)
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def key_id(key: bytes) -> str:
    """The id of a master key: 16 hexadecimal digits that do not reveal it."""
    return blake3(key, derive_key_context=_ID_CONTEXT).hexdigest(length=8)


def _missing(missing: str, source: object, found: str) -> str:
    advice = (
        "put the file back from a backup, or set SIEVE_MASTER_KEY_FILE to it"
        if isinstance(source, Path)
        else "let the command print it, too"
    )
    return (
        f"the master key {missing} is missing in {source} ({found}), and the database holds what it sealed; {advice} "
        f"(if the key is lost for good, and with it all that it sealed, add the line: lost {missing})"
    )


def _read_private(path: Path) -> str | None:
    """The file's text; None if there is no file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as file:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if mode & 0o077:
            raise MasterKeyError(
                f"the master key file {path} can be used by others (mode {mode:04o}); run: chmod 600 {path}"
            )
        return file.read().decode("ascii")


def _create(path: Path, content: bytes) -> None:
    """Makes the file whole or not at all, mode 0600, unless there is one; durable when it returns."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        try:
            # Unlike a rename, a link never replaces a key that somebody else has just made.
            path.hardlink_to(draft)
        except FileExistsError:
            return
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
