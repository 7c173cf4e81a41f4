"""A gateway that kills itself (SIGKILL) the first time that it reaches a named step: a timing mark on a channel.

python crashing_gateway.py MARK [CHANNEL]
"""

import os
import signal
import sys

from sieve import config, main
from sieve.gateway import marks

STEP, CHANNEL = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
_at = marks.Marks.at


def at_or_never_again(self: marks.Marks, name: marks.MarkName, channel: str = "", at_ns: int | None = None) -> None:
    """As `Marks.at`, up to the step where everything ends."""
    _at(self, name, channel, at_ns)
    if name == STEP and channel == CHANNEL:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    marks.Marks.at = at_or_never_again  # type: ignore[method-assign]
    sys.exit(main.run(config.load))
