"""`sieve forward` names its draft also when Ctrl-C comes while the gateway makes it, so that the draft is deleted."""

import os
import signal
from typing import Any, cast

import pytest

from sieve.cli import forward
from sieve.cli.api import Api
from sieve.cli.upload import Uploaded


class InterruptedApi:
    """Answers as the gateway does, after Ctrl-C."""

    def call(self, method: str, path: str, **_: Any) -> dict[str, str]:
        os.kill(os.getpid(), signal.SIGINT)
        return {"document_id": "document", "name": "memo.txt", "id": "draft"}


def test_ctrl_c_while_the_draft_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    uploaded: list[Uploaded] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            forward.new_draft(cast(Api, InterruptedApi()), "/inbox/t", "marked", uploaded)
    finally:
        signal.signal(signal.SIGINT, before)
    assert uploaded == [Uploaded("document", "memo.txt", "draft")]
