"""Zip archives: which bytes of the file are the data of which entry, and which are anything else."""
