"""Files of each format: their units of text, marks as byte ranges of the file, redacted editions.

`registry` lists the formats, `recognition` says of which one a file is, and `reading` reads it. Each has a package;
`bytes_reading` reads any other file. `office`, `zip` and `pictures` hold what several of them share.
"""
