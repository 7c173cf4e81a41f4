"""What office documents share: archives of XML parts, read and written without trust in them."""
