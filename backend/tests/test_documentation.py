"""Links in the documentation lead somewhere, and the source files that it names are there."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md"), ROOT / "certs/README.md"]
SOURCES = ("backend/src", "backend/tests", "backend/benchmarks", "backend/scripts", "frontend/src", "e2e", "deploy")
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")
_NAMED = re.compile(r"`([\w./-]+\.(?:py|tsx?))`")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors that GitHub gives the headings of a page."""
    counted: Counter[str] = Counter()
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', page.read_text()))
    for heading in _HEADING.findall(_BLOCK.sub("", page.read_text())):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        found.add(f"{anchor}-{counted[anchor]}" if counted[anchor] else anchor)
        counted[anchor] += 1
    return frozenset(found)


def test_links_lead_to_files_and_headings() -> None:
    links = [(page, *link) for page in PAGES for link in _LINK.findall(page.read_text())]
    assert len(links) > 200
    broken = []
    for page, path, anchor in links:
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    assert broken == []


def test_source_files_that_are_named_are_there() -> None:
    files = [f"/{file.relative_to(ROOT)}" for folder in SOURCES for file in _files(ROOT / folder)]
    ends = {file[at:] for file in files for at in range(len(file)) if file[at] == "/"}
    # The changelog may name what is gone.
    named = [(page, name) for page in PAGES if page.name != "CHANGELOG.md" for name in _NAMED.findall(page.read_text())]
    assert len(named) > 200
    assert [f"{page.relative_to(ROOT)}: {name}" for page, name in named if f"/{name}" not in ends] == []


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*.[pt]*") if "node_modules" not in file.parts and file.suffix != ".pyc"]
