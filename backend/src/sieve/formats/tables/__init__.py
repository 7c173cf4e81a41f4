"""Tables (.csv, .tsv, .jsonl): rows and cells as units of text, and the bytes that a marked cell takes with it."""
