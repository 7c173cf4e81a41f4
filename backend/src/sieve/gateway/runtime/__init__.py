"""The process and the operating system: listeners, connection limits, confinement, memory, the data folder's lock."""
