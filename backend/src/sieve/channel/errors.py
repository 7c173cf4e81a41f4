"""What can go wrong in the protocol, told apart by who broke the rule.

SieveError
└── ChannelError
    ├── BadManifest            what an author asks to send makes no manifest: a sentence for them
    ├── LocalProtocolError     we broke the rule: a defect of ours
    └── RemoteProtocolError    they broke the rule: refused, nothing of it is kept
        ├── MalformedOpening       the head of a secure request cannot be read
        └── ReceiptInvalid         a receipt that does not prove what it says
"""

from sieve.core.errors import SieveError


class ChannelError(SieveError):
    """Root of the protocol's errors."""


class BadManifest(ChannelError):
    """Values out of a manifest's bounds; every peer would refuse it."""


class LocalProtocolError(ChannelError):
    """Our own code called the protocol in a way that it forbids."""


class RemoteProtocolError(ChannelError):
    """The peer sent what the protocol forbids."""


class MalformedOpening(RemoteProtocolError):
    """The opening of an attempt is not one."""


class ReceiptInvalid(RemoteProtocolError):
    """The receipt's signature or contents do not fit."""
