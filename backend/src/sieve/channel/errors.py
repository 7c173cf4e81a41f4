"""Errors of the protocol, by which side broke the rule.

SieveError
└── ChannelError
    ├── BadManifest            a document does not fit into a manifest; the sentence is for its author
    ├── LocalProtocolError     we broke the rule: a defect of this program
    └── RemoteProtocolError    the peer broke the rule: refused, and nothing is kept
        ├── MalformedOpening       the head of a secure request cannot be read
        └── ReceiptInvalid         a receipt that does not prove what it says
"""

from sieve.core.errors import SieveError


class ChannelError(SieveError):
    """Root of the protocol's errors."""


class BadManifest(ChannelError):
    """Values out of a manifest's bounds; every peer would refuse it."""


class LocalProtocolError(ChannelError):
    """This program called the protocol in a way that it forbids."""


class RemoteProtocolError(ChannelError):
    """The peer sent what the protocol forbids."""


class MalformedOpening(RemoteProtocolError):
    """The opening of an attempt is malformed."""


class ReceiptInvalid(RemoteProtocolError):
    """The receipt's signature or contents do not fit."""
