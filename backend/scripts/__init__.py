"""What makes the tests' samples and holds redacted editions against programs that are no part of this project."""
