"""PNG and JPEG pictures: whether every byte is known, and what a picture contains besides its pixels."""
