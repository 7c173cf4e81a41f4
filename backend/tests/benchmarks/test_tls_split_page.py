"""The page of TLS in several processes, from figures."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks import tls_split_page
from sieve.lab.tls_split.printed_tables import SIZES_KB

FIGURES = (
    *("initiation_ms", "resumption_ms", "total_ms", "handshake_ms", "resumed_handshake_ms"),
    *("record_ms", "processor_ms"),
)
ROUNDS = 2
MACHINE = {"cores": 2, "cpu": "a cpu", "system": "Linux", "python": "3", "openssl": "3", "load_at_start": [0.0]}


def cell(number: int, design: str, clients: int, size: int) -> dict[str, Any]:
    factor = {"one-process": 1.0, "through-handler": 1.5, "direct": 1.2, "own-records": 1.1}[design]
    counts = {"served": 3, "failed": 0, "not_resumed": 0, "processor_by_role_ms": {"worker": 0.25}}
    place = {"round": number, "design": design, "clients": clients, "size_kb": size}
    return {**place, **dict.fromkeys(FIGURES, factor * size), **counts}


def found(loads: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, Any]:
    cells = [
        cell(number, design, load, size)
        for number in range(ROUNDS)
        for load in loads
        for size in sizes
        for design in (*tls_split_page.DESIGNS, "own-records")
    ]
    about = {"at": "1 May 2026", "commit": "abc", "machine": MACHINE, "plan": {"key": "rsa"}, "took_s": 9.0}
    return {**about, "pinned": True, "preferred": False, "client_processes": 2, "cells": cells}


def test_every_table_of_the_thesis_is_beside_ours(tmp_path: Path) -> None:
    whole = found((0, 100, 900), SIZES_KB)
    page = tls_split_page.write({**whole, "ecdsa": whole}, tmp_path).read_text()
    for table in ("6.1 and A.1", "6.2", "6.3 and 6.4", "6.5, B.1, C.1"):
        assert table in page
    # Printed, true, and ours.
    for figure in ("215.4", "120.7", "+50.0", "+20.0", "0.200 | 0.300", "+7.7 / +50.0 ± 0.0: differs", "| 0.25 |"):
        assert figure in page
    assert "10 differs on today's machines, 35 not measured" in page
    assert "a full handshake takes 64 ms on an idle machine (page 39) | follows" in page
    assert "no priority over other work" in page
    # By the records, and by the hand-over.
    for clients in ("1", "many"):
        assert f"| 200 KB | {clients} | 200.00 | 220.00 | 240.00 | +10.0 ± 0.0 | +9.1 ± 0.0 |" in page
    assert "records: +10.0 % ± 0.0 processor time; the hand-over beside that: +9.1 % ± 0.0)" in page
    for name in tls_split_page.DRAWN:
        ElementTree.parse(tmp_path / "tls-split" / f"{name}.svg")  # noqa: S314 -- our own
        assert f"](tls-split/{name}.svg)" in page


def test_what_was_not_measured_is_left_out(tmp_path: Path) -> None:
    page = tls_split_page.write(found((0,), (2, 200)), tmp_path).read_text()
    assert "| 45 not measured |" in page
    assert "| - |" in page
