"""Authenticator apps: time-based one-time codes of six digits (RFC 6238)."""

from typing import Final

import pyotp
import segno
from pyotp.exceptions import OTPVerificationError

from sieve.store import sealed_value, sealing_context
from sieve.store.master_keys import MasterKeys

PERIOD_S: Final = 30
DRIFT: Final = 1
"""By how many steps of `PERIOD_S` the clock of the app may differ from this gateway's."""


def new_secret() -> str:
    """A secret of 160 bits, in base32."""
    return pyotp.random_base32()


def uri(secret: str, login: str, gateway: str) -> str:
    """The address that an app reads from the QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=login, issuer_name=f"Security Sieve {gateway}")


def qr_rows(text: str) -> list[str]:
    """The QR code of `text`, without its margin: a string of 0 and 1 (dark) for each row."""
    return ["".join("1" if module else "0" for module in row) for row in segno.make_qr(text, error="m").matrix]


def step_of(secret: str, code: str, now_ns: int, last_step: int | None) -> int | None:
    """The time step of a right code; None if the code is wrong, or not later than the code of `last_step`."""
    now_s = now_ns // 1_000_000_000
    try:
        step = pyotp.TOTP(secret).verify_and_get_timecode("".join(code.split()), for_time=now_s, valid_window=DRIFT)
    except OTPVerificationError:
        return None
    # A later step than any that could have been used is of a clock that was ahead. It must not block the person.
    was_ahead = last_step is not None and last_step > now_s // PERIOD_S + DRIFT
    return step if last_step is None or was_ahead or step > last_step else None


def seal(keys: MasterKeys, secret: str, user_id: str) -> bytes:
    """The secret as a row stores it."""
    return sealed_value.seal(keys, secret.encode(), sealing_context.authenticator_app(user_id))


def unseal(keys: MasterKeys, sealed: bytes, user_id: str) -> str:
    """The secret of a row.

    Raises:
        BlobDamaged, MasterKeyMissing: it does not open.
    """
    return sealed_value.unseal(keys, sealed, sealing_context.authenticator_app(user_id)).decode()
