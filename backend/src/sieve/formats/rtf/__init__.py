"""Rich Text Format: a small lexer of our own, since no library says where in the file its text is."""
