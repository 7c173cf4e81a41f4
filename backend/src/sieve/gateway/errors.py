"""Errors of the gateway around the protocol.

SieveError
└── GatewayError
    ├── StartError            the gateway cannot start; one line says what to fix
    ├── UnreadableNow         stored data cannot be read right now; trying again may help
    ├── WrongPeer             the other end of a TLS connection is not the expected peer
    ├── PeerUnreachable       the peer cannot be reached right now; trying again may help
    ├── PeerRefused           the peer refused, with a reason for people (`permanent` or not)
    ├── PairingError          an invitation or code does not match
    ├── UnknownRecipient      the peer has no recipient of that name
    ├── UnfitPlan             the requested channels do not fit the peer or the document
    ├── NotAllowed            this person may not do that
    ├── ProviderUnreachable   the sign-in provider does not answer, or cannot be used
    ├── NotFound              there is no such thing for this person
    ├── Conflict              the thing is not in a state for that
    ├── SavedMeanwhile        the thing to change was saved by another request first
    ├── KeyChangeError        the master key cannot be changed or retired
    └── BackupError           a backup cannot be made or restored, or is damaged
        └── UnfitFolder       the named folder cannot be used for that
"""

from collections.abc import Sequence

from sieve.channel.refusals import RefusalKind
from sieve.core.errors import SieveError
from sieve.core.sentence import Sentence
from sieve.store.errors import BlobsUnreachable


class GatewayError(SieveError):
    """Root of the gateway's errors."""


class StartError(GatewayError):
    """The gateway cannot start."""


class UnreadableNow(GatewayError):
    """Stored data cannot be read: the disk fails, or too many files are open. This is not the peer's fault."""

    def __init__(self, error: OSError) -> None:
        # The store's own sentence names it, which is not for authors.
        is_remote = isinstance(error, BlobsUnreachable)
        why = "the S3 store cannot be used" if is_remote else error.strerror or type(error).__name__
        super().__init__(
            Sentence("stored-unreadable-now", "the stored document cannot be read right now: {why}", why=why)
        )


class WrongPeer(GatewayError):
    """The certificate at the other end is not the pinned one, or has expired."""


class PeerUnreachable(GatewayError):
    """The peer does not answer."""


class PeerRefused(GatewayError):
    """The peer refused."""

    def __init__(self, reason: str, *, permanent: bool, kind: RefusalKind = RefusalKind.REFUSED) -> None:
        super().__init__(reason)
        self.permanent, self.kind = permanent, kind


class ProviderUnreachable(GatewayError):
    """The OpenID Connect provider does not answer, or not as one does. People with a password can still sign in."""


class PairingError(GatewayError):
    """The invitation or the code does not fit."""


class UnknownRecipient(GatewayError):
    """A recipient that the peer does not know."""


class UnfitPlan(GatewayError):
    """Channels or a split that the peer does not take, or that do not fit the document."""


class NotAllowed(GatewayError):
    """This person's roles or clearance do not allow it."""


class NotFound(GatewayError):
    """No such thing, or none that this person may see."""


class Conflict(GatewayError):
    """The thing is not in a state that allows this."""


class SavedMeanwhile(GatewayError):
    """A draft is not at the revision that was to be changed, or a policy not at the version. `revision`: the current
    one.
    """

    def __init__(self, revision: int, *, policy: bool = False) -> None:
        if policy:
            sentence = Sentence(
                "policy-saved-meanwhile",
                "the policy was saved in the meantime and is at version {revision}; load that version and change it",
                revision=revision,
            )
        else:
            sentence = Sentence(
                "draft-saved-meanwhile",
                "the draft was saved in the meantime and is at revision {revision}; load that version and change it",
                revision=revision,
            )
        super().__init__(sentence)
        self.revision = revision


class KeyChangeError(GatewayError):
    """The master key cannot be changed, or an earlier one cannot be retired."""


class BackupError(GatewayError):
    """A backup cannot be made or restored, or is not what was written."""


class StoreMoveError(GatewayError):
    """The documents and the database cannot be moved there. They are where they were."""


class UnfitFolder(BackupError):
    """The folder cannot hold a backup, or holds none."""


def no_such_documents(missing: Sequence[str], of: int) -> NotFound:
    """Of several documents, those that are missing are named by their ids."""
    if of == 1:
        return NotFound("you have no such document")
    return NotFound(f"nothing was sent: you have no such document: {', '.join(missing)}")


class ForwardingFailed(GatewayError):
    """A receiver of the audit log may not have the entries that were sent to it."""
