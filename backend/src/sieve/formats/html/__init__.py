"""Web pages: HTML as browsers and mail programs show it, in any encoding that maps back to the same bytes."""
