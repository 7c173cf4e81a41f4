"""A gateway that kills itself (SIGKILL) when it reaches the step that a file names: a timing mark, its channel if any.

python crashing_gateway.py FILE

As long as there is no file it lives: so one start serves for the end of one transfer and the way to the next death.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from sieve import config, main
from sieve.gateway import marks

WHERE = Path(sys.argv[1])
_at = marks.Marks.at


def at_or_never_again(self: marks.Marks, name: marks.MarkName, channel: str = "", at_ns: int | None = None) -> None:
    """As `Marks.at`, up to the step where everything ends."""
    _at(self, name, channel, at_ns)
    with suppress(FileNotFoundError):
        if WHERE.read_text() == f"{name} {channel}".rstrip():
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    marks.Marks.at = at_or_never_again  # type: ignore[method-assign]
    sys.exit(main.run(config.load))
