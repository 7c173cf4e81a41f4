"""Programs that make and open documents, as they are installed: what they are called, their versions, one run each.

Invariant: a program works in its own folder and uses none of the user's files; callers pass what it needs. If it is not
installed, an error says what to install.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

_LONGEST_S = 300


class Missing(Exception):
    """A program that is needed is not installed."""


@dataclass(frozen=True)
class Program:
    """A command, how it tells its version, and the package that Debian has it in."""

    name: str
    command: str
    asked: tuple[str, ...]
    package: str

    @property
    def is_here(self) -> bool:
        """Whether it is installed."""
        return self._found() is not None

    def version(self) -> str:
        """Its name and version.

        Raises:
            Missing: it is not installed.
        """
        said = self._ran([*self.asked], Path.cwd())
        number = re.search(r"\d+(?:\.\d+)+", said)
        return f"{self.name} {number[0] if number else 'of an unknown version'}"

    def run(self, arguments: Sequence[str], folder: Path) -> str:
        """Runs it in `folder`; what it said.

        Raises:
            Missing: it is not installed.
            subprocess.SubprocessError: it failed, or took too long.
        """
        return self._ran(arguments, folder)

    def path(self) -> str:
        """Where it is installed.

        Raises:
            Missing: it is not installed.
        """
        path = self._found()
        if path is None:
            raise Missing(f"{self.name} is not installed; on Debian: apt-get install {self.package}")
        return path

    def _found(self) -> str | None:
        # Servers are often in a folder that only root looks in.
        return which(self.command) or which(self.command, path="/usr/sbin")

    def _ran(self, arguments: Sequence[str], folder: Path) -> str:
        done = subprocess.run(
            [self.path(), *arguments],
            cwd=folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_LONGEST_S,
        )
        return done.stdout


OFFICE = Program("LibreOffice", "soffice", ("--version",), "libreoffice-writer-nogui libreoffice-calc-nogui")
PANDOC = Program("pandoc", "pandoc", ("--version",), "pandoc")
GHOSTSCRIPT = Program("Ghostscript", "gs", ("--version",), "ghostscript")
QPDF = Program("qpdf", "qpdf", ("--version",), "qpdf")
POPPLER = Program("poppler", "pdftotext", ("-v",), "poppler-utils")
MUTOOL = Program("mutool", "mutool", ("-v",), "mupdf-tools")
DRAWER = Program("poppler", "pdftoppm", ("-v",), "poppler-utils")
CAIRO = Program("poppler with cairo", "pdftocairo", ("-v",), "poppler-utils")
UNITE = Program("poppler", "pdfunite", ("-v",), "poppler-utils")
PROMETHEUS = Program("Prometheus", "prometheus", ("--version",), "prometheus")
PROMTOOL = Program("promtool", "promtool", ("--version",), "prometheus")
NGINX = Program("nginx", "nginx", ("-v",), "nginx libnginx-mod-stream")
GIT = Program("Git", "git", ("--version",), "git")
CHROMIUM = Program("Chromium", "chromium", ("--version",), "chromium")


def converted(folder: Path, files: Sequence[Path], to: str) -> None:
    """Has LibreOffice open `files` and write them into `folder` in another form, with a profile of its own in there.

    Raises:
        Missing, subprocess.SubprocessError: as `Program.run`.
    """
    profile = (folder / "profile").resolve().as_uri()
    OFFICE.run(
        [
            *(f"-env:UserInstallation={profile}", "--headless", "--norestore", "--convert-to", to),
            *("--outdir", str(folder), *map(str, files)),
        ],
        folder,
    )
