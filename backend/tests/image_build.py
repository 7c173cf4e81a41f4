"""What `docker build` would have on its disk: the build context by `.dockerignore`, and each stage's COPY lines.

It knows the few forms that this repository's two files use, and fails on any other.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

REPOSITORY: Final = Path(__file__).parents[2]


class Stage(NamedTuple):
    """One FROM of the Dockerfile: its base image, and its own instructions (name, rest of the line), in order."""

    base: str
    instructions: list[tuple[str, str]]

    @property
    def folder(self) -> str:
        """Where it works."""
        return next((rest for name, rest in self.instructions if name == "WORKDIR"), "/")

    def copies(self) -> Iterator[tuple[list[str], str]]:
        """Sources in the build context, and the destination in the image."""
        for name, rest in self.instructions:
            if name == "COPY" and not rest.startswith("--from="):
                assert not rest.startswith(("-", "[")), f"a form of COPY that is not known here: {rest}"
                *sources, destination = rest.split()
                yield sources, destination


def stages(dockerfile: str) -> list[Stage]:
    """The stages, with the arguments before the first of them put into their base images."""
    found: list[Stage] = []
    arguments: dict[str, str] = {}
    for line in re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.MULTILINE)).splitlines():
        name, _, rest = line.partition(" ")
        if name == "FROM":
            base = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], rest.split()[0])
            found.append(Stage(base, []))
        elif name == "ARG" and not found:
            argument, _, value = rest.partition("=")
            arguments[argument] = value
        elif name:
            found[-1].instructions.append((name, rest))
    return found


def context(repository: Path) -> Iterator[Path]:
    """The files that `docker build` sends, relative to the repository."""
    lines = (repository / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    admitted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    refused = [pattern.removeprefix("**/") for pattern in patterns if pattern.startswith("**/")]
    assert patterns == ["*", *(f"!{path}" for path in admitted), *(f"**/{name}" for name in refused)]
    for top in admitted:
        path = repository / top
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file() and not {*file.relative_to(repository).parts} & {*refused}:
                yield file.relative_to(repository)


def assemble(stage: Stage, repository: Path, root: Path) -> Path:
    """Copies what the stage's COPY lines name from the build context to `root`, and returns its working folder.

    Raises:
        AssertionError: the context does not have what a line names, which ends `docker build`.
    """
    sent = list(context(repository))
    for sources, destination in stage.copies():
        into = (
            root / (stage.folder + "/" + destination).lstrip("/") if destination[0] != "/" else root / destination[1:]
        )
        for source in sources:
            found = [file for file in sent if file == Path(source) or Path(source) in file.parents]
            assert found, f".dockerignore keeps out what the Dockerfile copies: {source}"
            for file in found:
                single = file == Path(source)
                as_folder = destination.endswith(("/", ".")) or len(sources) > 1
                target = (
                    into / file.name if single and as_folder else into if single else into / file.relative_to(source)
                )
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(repository / file, target)
    return root / stage.folder.lstrip("/")
