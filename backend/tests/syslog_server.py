"""A syslog receiver over TLS (RFC 5425), as a process of its own, so that a test can kill it.

    python syslog_server.py HOST PORT CERTIFICATE KEY CLIENT_CA|- OUT MODE

It prints its port, then appends each message to the file OUT as a line. MODE: `proper` answers the end of a connection
as the protocol requires; `abrupt` only closes it; `stuck` stops reading after the first message of a connection.
"""

import socket
import ssl
import sys
import time
from pathlib import Path


def frames(connection: ssl.SSLSocket, mode: str, out: Path) -> None:
    """Reads messages until the sender ends the connection."""
    file = connection.makefile("rb")
    while head := file.read(1):
        while head[-1:] != b" ":
            head += file.read(1)
        message = file.read(int(head))
        with out.open("ab") as kept:
            kept.write(message + b"\n")
        if mode == "stuck":
            time.sleep(3600)


def main(host: str, port: str, certificate: str, key: str, client_ca: str, out: str, mode: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if client_ca != "-":
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_ca)
    with socket.create_server((host, int(port))) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        while True:
            accepted, _ = listener.accept()
            try:
                # With suppress_ragged_eofs, a connection that breaks would look like one that ends.
                with context.wrap_socket(accepted, server_side=True, suppress_ragged_eofs=False) as connection:
                    frames(connection, mode, Path(out))
                    if mode == "proper":
                        connection.unwrap()
            except OSError as error:
                sys.stderr.write(f"{error}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
