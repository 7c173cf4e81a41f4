"""What a gateway keeps: rows in a database, bytes in blobs, and the master keys that seal them."""
