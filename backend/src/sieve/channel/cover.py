"""The cover sheet of a document: its author's note, and what the recipients should know about the document.

It travels in the opening, so over the secure channel alone, and only to peers whose hello says that they take covers.
The receipt does not cover it.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.manifest import MAX_RECIPIENT_BYTES, TRANSFER_ID_SIZE, Fields

MAX_NOTE: Final = 2000
MAX_OTHERS: Final = 100
MAX_OTHER_NAME: Final = 100
MAX_GATEWAY: Final = 63
"""Limits in characters. The fullest cover has less than 64 KiB, see `sieve.channel.opening`."""
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class OtherRecipient:
    """A recipient at another gateway, as the author's gateway lists them."""

    name: str
    gateway: str

    def __post_init__(self) -> None:
        """Raises BadManifest for what no peer would take."""
        for text, longest in ((self.name, MAX_OTHER_NAME), (self.gateway, MAX_GATEWAY)):
            if len(text) > longest or not _is_text(text):
                raise BadManifest("the name or the gateway of another recipient is too long, or no text")


@dataclass(frozen=True, slots=True)
class Cover:
    """`sender`: the author's login. `note`: their text, empty if there is none; every recipient reads it, cleared or
    not. `in_reply_to`: the id of the receiver's transfer that this document answers. `read_receipts`: whether the
    author asks to be told when recipients open the document. `others`: recipients of the same document at other
    gateways; `others_left_out`: how many more there are.
    """

    sender: str
    note: str = ""
    in_reply_to: str | None = None
    read_receipts: bool = False
    others: tuple[OtherRecipient, ...] = ()
    others_left_out: int = 0

    def __post_init__(self) -> None:
        """Raises BadManifest for what no peer would take."""
        if not (_is_text(self.sender) and 1 <= len(self.sender.encode()) <= MAX_RECIPIENT_BYTES):
            raise BadManifest("the cover's sender is not a login")
        if len(self.note) > MAX_NOTE or not _is_text(self.note):
            raise BadManifest(f"the note must be text of at most {MAX_NOTE} characters")
        if len(self.others) > MAX_OTHERS or not 0 <= self.others_left_out < 2**31:
            raise BadManifest(f"the cover names more than {MAX_OTHERS} other recipients")

    def __repr__(self) -> str:
        return "Cover()"

    @property
    def must_arrive(self) -> bool:
        """Whether the document must not arrive without its cover."""
        return bool(self.note) or self.read_receipts

    @property
    def head(self) -> dict[str, Any]:
        """The cover as JSON values."""
        return {
            "sender": self.sender,
            "note": self.note,
            "in_reply_to": self.in_reply_to,
            "read_receipts": self.read_receipts,
            "others": [{"name": other.name, "gateway": other.gateway} for other in self.others],
            "others_left_out": self.others_left_out,
        }

    @classmethod
    def from_head(cls, head: Any) -> "Cover":
        """The cover that `head` says.

        Raises:
            MalformedOpening: a field is missing, of another type, out of bounds, or not known.
        """
        if not isinstance(head, dict):
            raise MalformedOpening("the cover must be a JSON object")
        take = Fields(head, "cover")
        asked, listed = head.get("read_receipts"), head.get("others")
        if not isinstance(asked, bool):
            raise MalformedOpening("the cover's read_receipts must be true or false")
        if not (isinstance(listed, list) and all(isinstance(other, dict) for other in listed)):
            raise MalformedOpening("the cover's others must be a list of JSON objects")
        answers = head.get("in_reply_to")
        try:
            cover = cls(
                sender=take.text("sender", MAX_RECIPIENT_BYTES),
                note=take.text("note", MAX_NOTE),
                in_reply_to=None if answers is None else take.hexadecimal("in_reply_to", TRANSFER_ID_SIZE).hex(),
                read_receipts=asked,
                others=tuple(_other(other) for other in listed[: MAX_OTHERS + 1]),
                others_left_out=take.integer("others_left_out", 0, 2**31 - 1),
            )
        except BadManifest as error:
            raise MalformedOpening(f"the cover cannot be taken: {error}") from error
        if cover.head != head:
            raise MalformedOpening("the cover has fields that this version does not know")
        return cover


def _other(said: dict[str, Any]) -> OtherRecipient:
    take = Fields(said, "cover's other recipient")
    return OtherRecipient(take.text("name", MAX_OTHER_NAME), take.text("gateway", MAX_GATEWAY))


def _is_text(text: str) -> bool:
    """Whether `text` has a UTF-8 form and no controls but line feeds and tabs, which bounds its size in JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return not _CONTROLS.search(text)
