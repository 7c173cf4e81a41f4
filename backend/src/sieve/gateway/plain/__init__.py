"""The plain channel: the listener that takes sealed chunks in its own process, and the sender's transport to it."""
