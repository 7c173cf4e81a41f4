"""The IO around the pure protocol: transports, listeners, sending, receiving, outbox worker, timing marks."""
