"""The page of replicas: its bound for more machines follows from the figures that it shows."""

from benchmarks.cluster import more_machines

from sieve import demo


def test_processors_limit_until_the_writer_does() -> None:
    text = "\n".join(more_machines("3 replicas", 50.0, 2, dict(zip(demo.NAMES, (4.0, 10.0), strict=True))))
    rows = [line for line in text.splitlines() if line.startswith(("| 2 |", "| 4 |", "| 8 |"))]
    # 2 cores / 50 ms = 40 documents a second on each machine; 10 units of 1, 2, 5 and 10 ms: 100, 50, 20 and 10.
    assert rows == [
        "| 2 | 80 | 80 | 50 | 20 | 10 |",
        "| 4 | 160 | 100 | 50 | 20 | 10 |",
        "| 8 | 320 | 100 | 50 | 20 | 10 |",
    ]
    assert "takes 4.0 units of the sender's writer and 10.0 of the receiver's" in text.replace("\n", " ")
