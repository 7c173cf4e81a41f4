"""PNG, JPEG and TIFF files: areas of their pictures can be marked; the file travels classified as a whole."""
