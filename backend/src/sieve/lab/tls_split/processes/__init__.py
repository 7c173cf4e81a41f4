"""The processes of the experiment, and the only part of it with sockets. They are started by `site`:

    handler agent    accepts connections and hands each to a handler
    handler          does handshakes; holds the private key and the ticket keys
    delegate agent   keeps a number of workers running
    worker           records and answers; has neither key

With direct routing, handlers accept connections themselves, and there is no handler agent.

`one-process` does all of it, with the same libraries, for comparison. A role gets its queues and listeners as inherited
descriptors, and its standard input is a socket to the process that started it: when that closes, the role ends.
"""
