"""Free ports that nobody else gets while a gateway that has them is stopped.

A port of a stopped gateway is free, and the kernel may give it to anybody. So a test that starts the gateway again
keeps a socket that is bound to the port and never listens.
"""

import socket
from contextlib import ExitStack


class ReservedPorts(ExitStack):
    """Reserves ports until it is closed."""

    def address(self) -> str:
        """`host:port`, for one listener."""
        sock = self.enter_context(socket.socket())
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{sock.getsockname()[1]}"

    def binds(self) -> dict[str, str]:
        """Addresses of a gateway's three listeners."""
        return {what: self.address() for what in ("web", "secure", "plain")}
