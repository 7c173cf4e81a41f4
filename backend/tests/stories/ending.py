"""How tests end a process that has servers of its own to stop."""

import subprocess


def end(process: subprocess.Popen[bytes], within_s: float) -> None:
    """Ends the process, in order if it manages that within `within_s`."""
    process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
