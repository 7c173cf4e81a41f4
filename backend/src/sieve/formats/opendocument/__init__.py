"""What OpenDocument texts and sheets share: their archive, their vocabulary, and their redacted edition."""
