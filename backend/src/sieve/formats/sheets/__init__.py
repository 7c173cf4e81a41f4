"""What formats with sheets share: their names and cells, and any rows of them."""
