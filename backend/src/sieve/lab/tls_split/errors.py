"""Errors of the experiment.

LabError
├── HandOverError      a hand-over message is not valid; the connection is refused
└── RecordError        the peer broke the record protocol; `alert` is the answer that TLS prescribes
"""

from typing import Final

from sieve.lab.errors import LabError

UNEXPECTED_MESSAGE: Final = 10
BAD_RECORD_MAC: Final = 20
RECORD_OVERFLOW: Final = 22
DECODE_ERROR: Final = 50
PROTOCOL_VERSION: Final = 70


class HandOverError(LabError):
    """A hand-over message is not valid. The text never contains a byte of the message, which holds keys."""


class RecordError(LabError):
    """The peer broke the record protocol. `alert`: the description of the fatal alert to answer with."""

    def __init__(self, alert: int, reason: str) -> None:
        super().__init__(reason)
        self.alert = alert
