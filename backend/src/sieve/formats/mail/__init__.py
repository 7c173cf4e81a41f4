"""E-mail (.eml): its headers, bodies and attachments, each read as a file of its own format."""
