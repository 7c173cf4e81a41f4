"""The wire protocol as pure state: bytes and `now` in, events and commands out. No socket, clock or randomness."""
