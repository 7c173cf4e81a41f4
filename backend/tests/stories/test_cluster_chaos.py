"""A short form of `make chaos-cluster`: replicas are killed and restarted, servers go away, nginx is reloaded, and
nothing is lost or delivered twice.
"""

from pathlib import Path

from chaos.cluster import faults, play
from chaos.cluster_world import cluster_world


async def test_faults_of_a_cluster_lose_and_double_nothing(tmp_path: Path) -> None:
    lines: list[str] = []
    played = faults(kills=2, others=1)
    async with cluster_world(tmp_path, seed=1, lease_s=10) as world:
        await play(world, played, lines.append)
        assert world.broken == []
        assert [line.split(" | ")[1] for line in lines] == ["1"] * len(played)
        assert all(counts["documents"] for counts in world.book.values())
