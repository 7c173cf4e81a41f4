"""What Word and Excel files share: an Open Packaging archive of XML parts, read and written without trust in it."""
