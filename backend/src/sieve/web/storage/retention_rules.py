"""How long the gateway keeps what, and what the next run of each rule removes."""

from collections.abc import Sequence
from typing import Any, Final

from sieve.config import PREFIX, Settings
from sieve.gateway.clock import NS_PER_S
from sieve.gateway.documents import versions
from sieve.gateway.inbound import partials
from sieve.gateway.inbound.partials import Incoming
from sieve.setting_types import DAY_S
from sieve.store.blob_folder import GRACE_NS
from sieve.store.queries.storage_use import Kept
from sieve.web.storage.schemas import RetentionKind, RetentionShown
from sieve.web.storage_use import DAY_NS, Measured
from sieve.web.times import shown_if

_NOT_COUNTED: Final[dict[str, Any]] = {"next_run": None, "next_day": None}


def rules(settings: Settings, measured: Measured, incoming: Sequence[Incoming], now_ns: int) -> list[RetentionShown]:
    """All rules. `incoming`: the partials."""
    return [
        _by_days("received", settings, "retention_days", measured.received),
        _by_days("deleted", settings, "deleted_days", measured.deleted),
        _fixed("versions", versions.KEPT_DAYS * DAY_S, None),
        _of_partials(incoming, now_ns),
        _fixed("quarantine", GRACE_NS / NS_PER_S, measured.quarantine.oldest_ns),
        _by_days("timing-records", settings, "timing_records_days", measured.records),
        RetentionShown(
            kind="timing-marks",
            kept_s=settings.timing_marks_days * DAY_S,
            setting=_variable("timing_marks_days"),
            oldest_at=shown_if(measured.oldest_mark_ns),
            **_NOT_COUNTED,
        ),
        RetentionShown(
            kind="sessions",
            kept_s=settings.session_life_s,
            setting=_variable("session_life_s"),
            oldest_at=None,
            **_NOT_COUNTED,
        ),
        _fixed("audit", None, measured.oldest_entry_ns),
    ]


def _by_days(kind: RetentionKind, settings: Settings, setting: str, kept: Kept) -> RetentionShown:
    days = getattr(settings, setting)
    return RetentionShown(
        kind=kind,
        kept_s=None if days is None else days * DAY_S,
        setting=_variable(setting),
        oldest_at=shown_if(kept.oldest_ns),
        next_run=kept.next_run,
        next_day=kept.next_day,
    )


def _of_partials(incoming: Sequence[Incoming], now_ns: int) -> RetentionShown:
    until = [each.partial.until_ns for each in incoming if not each.is_taken]
    return RetentionShown(
        kind="partials",
        kept_s=partials.KEPT_NS / NS_PER_S,
        setting=None,
        oldest_at=shown_if(min((each.partial.touched_at_ns for each in incoming), default=None)),
        next_run=sum(at <= now_ns + partials.PACE_S * NS_PER_S for at in until),
        next_day=sum(at <= now_ns + DAY_NS for at in until),
    )


def _fixed(kind: RetentionKind, kept_s: float | None, oldest_ns: int | None) -> RetentionShown:
    return RetentionShown(kind=kind, kept_s=kept_s, setting=None, oldest_at=shown_if(oldest_ns), **_NOT_COUNTED)


def _variable(setting: str) -> str:
    return f"{PREFIX}{setting.upper()}"
