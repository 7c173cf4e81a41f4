"""Verdicts follow from the figures."""

from typing import Any

import pytest

from sieve.lab.tls_split.comparison import Measured, verdicts

FIGURES = ("initiation_ms", "resumption_ms", "handshake_ms", "resumed_handshake_ms", "record_ms", "processor_ms")


def found(through: float, direct: float, loaded: float = 5.0) -> dict[str, Any]:
    """Two loads; a design's times are those of one process times its factor."""
    cells = []
    for clients, more in ((0, 1.0), (100, loaded), (900, 2 * loaded)):
        for size in (2, 20, 200):
            for design, factor in (("one-process", 1.0), ("through-handler", through), ("direct", direct)):
                work = {"handshake_ms": 1.0, "resumed_handshake_ms": 0.5}
                times = {name: work.get(name, size / 10) * more * factor for name in FIGURES}
                counts = {"served": 10, "failed": 0, "not_resumed": 0}
                cells.append({"design": design, "clients": clients, "size_kb": size, **times, **counts})
    return {"cells": cells}


def test_overheads_are_of_runs_with_the_same_load() -> None:
    measured = Measured(found(1.5, 1.04))
    more = measured.overhead("through-handler", "processor_ms", 200)
    assert more is not None
    assert more.value == pytest.approx(50)
    assert more.n == 2
    assert measured.value("direct", "record_ms", 200, 0) == pytest.approx(20.8)
    assert measured.overhead("direct", "record_ms", 6) is None
    assert measured.failures() == (270, 0, 0)


@pytest.mark.parametrize(("direct", "answer"), [(1.04, "follows"), (1.06, "does not follow")])
def test_the_aim_is_five_percent(direct: float, answer: str) -> None:
    last = list(verdicts(Measured(found(1.5, direct))))[-1]
    assert (last.says, last.answer) == ("direct routing removes the overhead", answer)
    assert ("because" in last.ours) == (answer != "follows")


def test_every_answer_but_follows_has_a_reason() -> None:
    for through, loaded in ((1.5, 5.0), (0.9, 5.0), (1.0, 1.0)):
        for verdict in verdicts(Measured(found(through, 1.2, loaded))):
            assert verdict.answer == "follows" or "because" in verdict.ours


def test_nothing_is_concluded_from_nothing() -> None:
    only_alone = {"cells": [cell for cell in found(1.5, 1.1)["cells"] if not cell["clients"]]}
    assert {verdict.answer for verdict in verdicts(Measured(only_alone))} == {"follows", "not decided"}
    assert list(verdicts(Measured({"cells": []}))) == []
