"""Labels of a draft's spans, and its banner. They are for the author only and not part of the document.

Invariant: nothing is lowered silently. Labels follow their text from save to save; the banner stays at least as high as
the labels, and does not fall by itself. To lower a label or the banner, the author gives a reason, which is audited.
All of this is sealed at rest, because a label says how sensitive its text is. The marks of a file contain its labels:
removing or lowering a mark needs no reason, but the banner does not fall.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from blake3 import blake3
from sqlalchemy.ext.asyncio import AsyncSession

from sieve import marks_file
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.errors import Conflict, GatewayError, NotFound, SavedMeanwhile
from sieve.gateway.reading.file import File
from sieve.gateway.stored_document import StoredDocument
from sieve.marking.labels import Label, LabelledText, LabelSet, labels_after_edit, lowered
from sieve.store import sealed_value, sealing_context
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Document, User
from sieve.store.queries import draft_labels as queries
from sieve.store.queries import drafts as draft_queries

_DIGEST: Final = 16
_MOST_GONE: Final = 10_000


class BadLabels(GatewayError):
    """The labels do not fit the draft or the label set."""


class Lowering(Conflict):
    """The change would lower a label or the banner, but gives no reason."""


@dataclass(frozen=True, slots=True)
class Banner:
    """`floor`: the highest label. `banner`: the floor, or a higher label that the author chose for the reason
    `compilation`; higher without a reason if the labels that it came from are gone.
    """

    floor: Label | None
    banner: Label | None
    compilation: str | None


@dataclass(frozen=True, slots=True)
class Labels:
    """Of a draft at `revision`. `labels`: one for each span, in order; None for a file, whose marks have them."""

    revision: int
    labels: Sequence[str | None] | None
    banner: Banner


@dataclass(frozen=True, slots=True)
class LabelsAsked:
    """A change that an author requests. `banner`: None for the floor. `lowering`: the reason, if it lowers anything."""

    labels: Sequence[str | None] | None
    banner: str | None
    compilation: str | None
    lowering: str | None


class _Fall(NamedTuple):
    """A lowering, for the audit log: counts in clear, old and new banner sealed."""

    clear: Mapping[str, Any]
    sealed: Mapping[str, Any]


class _Kept(NamedTuple):
    spans: list[LabelledText]
    banner: str | None
    compilation: str | None
    gone: list[LabelledText]
    """Labelled texts that were removed, the latest last: if one comes back, it gets its label again."""


@dataclass(frozen=True, slots=True)
class DraftLabels:
    """The labels of all drafts. The caller checks that the person is an author; drafts of others are not found.

    `set`: the label set of this gateway, if an admin chose one.
    """

    database: Database
    blobs: BlobStore
    keys: MasterKeys
    audit: Audit
    set: LabelSet | None

    async def of(self, author: User, draft_id: str) -> Labels:
        """The labels of the latest save of a draft.

        Raises:
            NotFound: this person has no such draft.
            Conflict: this gateway has no labels, or the draft was saved meanwhile.
        """
        labels = self._chosen()
        save, _, kept, digests, of_marks = await self._load(author, draft_id)
        return await asyncio.to_thread(_as_they_are, labels, save, kept, digests, of_marks)

    async def change(self, author: User, draft_id: str, revision: int, asked: LabelsAsked) -> Labels:
        """Changes the labels or the banner of a draft. `revision`: the save whose spans they label.

        Raises:
            NotFound, Conflict: as `of` does.
            SavedMeanwhile: it is at another revision.
            Conflict: its labels were changed meanwhile.
            BadLabels: there is not one for each span, one is unknown, or the banner is too low or needs a reason.
            Lowering: it lowers something and gives no reason.
        """
        chosen = self._chosen()
        save, found, kept, digests, of_marks = await self._load(author, draft_id)
        if save.revision != revision:
            raise SavedMeanwhile(save.revision or 0)

        def work() -> tuple[Labels, _Fall | None, bytes]:
            """The new labels, what they lower, and what to store. In a thread: a draft may have a million spans."""
            before = _as_they_are(chosen, save, kept, digests, of_marks)
            labels = _fitting(chosen, before.labels, asked.labels)
            banner = _banner(chosen, of_marks if labels is None else labels, asked, before.banner)
            fallen = 0 if labels is None or before.labels is None else lowered(chosen, before.labels, labels)
            banner_falls = _rank(banner.banner) < _rank(before.banner.banner)
            if (fallen or banner_falls) and not asked.lowering:
                what = "the banner" if banner_falls else f"{fallen:,} label{'' if fallen == 1 else 's'}"
                raise Lowering(
                    f"{what} would be lowered; give a reason, as lowering_reason: it is kept in the audit log"
                )
            spans = [] if labels is None else [LabelledText(*pair) for pair in zip(digests, labels, strict=True)]
            banners = [_name(before.banner.banner), _name(banner.banner)]
            fall = _Fall({"revision": revision, "spans": fallen}, {"banner": banners})
            sealed = self._seal(draft_id, _Kept(spans, _name(banner.banner), banner.compilation, _gone(kept, digests)))
            return Labels(revision, labels, banner), fall if fallen or banner_falls else None, sealed

        now, fall, sealed = await asyncio.to_thread(work)
        async with self.database.write() as session:
            whole = await draft_queries.owned(session, draft_id, author.id)
            if whole is None:
                raise _none_such()
            if whole.draft.revision != revision:
                raise SavedMeanwhile(whole.draft.revision)
            if await queries.of(session, draft_id) != found:
                # The lowering was computed from `found`: two changes at once must not lower what one of them raised.
                raise Conflict("the labels of this draft were changed at that moment; review them again")
            if fall is not None:
                why, clear, secret = asked.lowering, fall.clear, fall.sealed
                await self.audit.note(
                    session, author.name, "labels-lowered", draft_id, clear, reason=why, sealed_details=secret
                )
            await queries.keep(session, draft_id, sealed)
        return now

    async def banner_to_keep(self, before: Document, marks: bytes) -> Label | None:
        """The highest label in the marks of the save `before` of a file's draft, if `marks`, which are in JSON, have
        none as high.

        Raises:
            BlobDamaged: that save is gone.
            MarksFileError: `marks` are malformed.
        """
        if self.set is None:
            return None
        file = File.of(self.blobs, before)
        was = self.set.highest(await asyncio.to_thread(lambda: _labels_in(file.kept_marks())))
        floor = self.set.highest(await asyncio.to_thread(_labels_in, marks))
        return was if _rank(floor) < _rank(was) else None

    async def keep_banner(self, session: AsyncSession, draft_id: str, least: Label) -> None:
        """Raises the banner of a draft to `least` if it is lower: part of the transaction that saves the draft.

        Raises:
            BlobDamaged: the stored labels do not open.
        """
        kept = self._unseal(draft_id, await queries.of(session, draft_id))
        if self.set is None or (kept.banner is not None and self.set.of(kept.banner).rank >= least.rank):
            return
        await queries.keep(session, draft_id, self._seal(draft_id, _Kept(kept.spans, least.name, None, kept.gone)))

    def _chosen(self) -> LabelSet:
        if self.set is None:
            raise Conflict("this gateway has no labels; an admin chooses a set with SIEVE_LABELS")
        return self.set

    async def _load(
        self, author: User, draft_id: str
    ) -> tuple[Document, bytes | None, _Kept, list[str], list[str | None]]:
        """The latest save, the stored labels (sealed, open), digests of a text's spans, labels of a file's marks."""
        async with self.database.read() as session:
            whole = await draft_queries.owned(session, draft_id, author.id)
            if whole is None:
                raise _none_such()
            sealed = await queries.of(session, draft_id)
        try:
            if whole.save.format is None:
                found = await asyncio.to_thread(_digests, StoredDocument.of(self.blobs, whole.save)), list[str | None]()
            else:
                file = File.of(self.blobs, whole.save)
                found = list[str](), await asyncio.to_thread(lambda: _labels_in(file.kept_marks()))
        except BlobDamaged:
            async with self.database.read() as session:
                now = await draft_queries.owned(session, draft_id, author.id)
            if now is None or now.save.id != whole.save.id:
                raise Conflict("the draft was saved or deleted at that moment; try again") from None
            raise
        return whole.save, sealed, await asyncio.to_thread(self._unseal, draft_id, sealed), *found

    async def copy(self, session: AsyncSession, from_id: str, to_id: str) -> None:
        """Gives a new draft the labels and the banner of another one, in the caller's transaction."""
        sealed = await queries.of(session, from_id)
        if sealed is not None:
            await queries.keep(session, to_id, self._seal(to_id, self._unseal(from_id, sealed)))

    def _seal(self, draft_id: str, kept: _Kept) -> bytes:
        spans, gone = ([[span.digest, span.label] for span in each] for each in (kept.spans, kept.gone))
        text = json.dumps({"spans": spans, "banner": kept.banner, "compilation": kept.compilation, "gone": gone})
        return sealed_value.seal(self.keys, text.encode(), sealing_context.labels(draft_id))

    def _unseal(self, draft_id: str, sealed: bytes | None) -> _Kept:
        if sealed is None:
            return _Kept([], None, None, [])
        stored = json.loads(sealed_value.unseal(self.keys, sealed, sealing_context.labels(draft_id)))
        # Earlier versions did not store `gone`.
        spans, gone = ([LabelledText(*pair) for pair in each] for each in (stored["spans"], stored.get("gone", [])))
        return _Kept(spans, stored["banner"], stored["compilation"], gone)


def _as_they_are(
    labels: LabelSet, save: Document, kept: _Kept, digests: Sequence[str], of_marks: Sequence[str | None]
) -> Labels:
    now = labels_after_edit(labels, kept.spans, digests, kept.gone) if save.format is None else None
    floor = labels.highest(of_marks if now is None else now)
    banner, compilation = floor, None
    if kept.banner is not None and labels.of(kept.banner).rank > _rank(floor):
        banner, compilation = labels.of(kept.banner), kept.compilation
    return Labels(save.revision or 0, now, Banner(floor, banner, compilation))


def _gone(kept: _Kept, digests: Sequence[str]) -> list[LabelledText]:
    here = set(digests)
    known = {span: None for span in (*kept.gone, *kept.spans) if span.digest not in here and span.label is not None}
    return list(known)[-_MOST_GONE:]


def _fitting(
    known: LabelSet, before: Sequence[str | None] | None, asked: Sequence[str | None] | None
) -> Sequence[str | None] | None:
    """The new labels: the old ones, if the change has none."""
    if asked is None:
        return before
    if before is None:
        raise BadLabels("the labels of a file are in its marks; change those")
    if len(asked) != len(before):
        raise BadLabels(f"the draft has {len(before):,} spans, and {len(asked):,} labels were given; give one for each")
    if any(label is not None and label not in known.by_name for label in set(asked)):
        raise BadLabels("a label is not one of this gateway's; GET /labels lists them")
    return asked


def _banner(known: LabelSet, labels: Sequence[str | None], asked: LabelsAsked, before: Banner) -> Banner:
    floor = known.highest(labels)
    if asked.banner is None:
        return Banner(floor, floor, None)
    banner = known.by_name.get(asked.banner)
    if banner is None:
        raise BadLabels("the banner is none of this gateway's labels; GET /labels lists them")
    if banner.rank < _rank(floor):
        raise BadLabels(f"the banner cannot be lower than the labels below it: it is {_name(floor)} at least")
    if banner.rank == _rank(floor):
        return Banner(floor, floor, None)
    if not asked.compilation and banner == before.banner:
        # Unchanged, and so is its reason, if it has one.
        return Banner(floor, banner, before.compilation)
    if not asked.compilation:
        raise BadLabels("a banner above the labels below it needs a compilation_reason")
    return Banner(floor, banner, asked.compilation)


def _digests(document: StoredDocument) -> list[str]:
    """One for the text of each span, in order."""
    digests: list[str] = []
    at = 0
    classified = b"".join(
        document.held(iter([document.read_classified(0, document.classified_size)] if document.classified_size else []))
    )
    for start, end in document.spans:
        digests.append(blake3(classified[at : at + end - start]).hexdigest(length=_DIGEST))
        at += end - start
    return digests


def _labels_in(kept: bytes | None) -> list[str | None]:
    """The labels in stored marks."""
    marks = [] if kept is None else marks_file.read_marks(json.loads(kept))
    return [mark.label or None for mark in marks]


def _rank(label: Label | None) -> int:
    return -1 if label is None else label.rank


def _name(label: Label | None) -> str | None:
    return None if label is None else label.name


def _none_such() -> NotFound:
    return NotFound("you have no such draft")
